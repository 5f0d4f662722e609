import pg from 'pg';
import { runRestore } from '../../src/app/restore.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import type { Desk } from './desk.ts';
import type { Call, Mishap } from './doors.ts';
import type { Event, Plan } from './plan.ts';
import type { Scheduler } from './scheduler.ts';
import type { World } from './world.ts';

/** The database of now; after a restore it is another. */
export class Store {
  url: string;
  db: Db;
  readonly #made: string[] = [];

  constructor(url: string) {
    this.url = url;
    this.db = openDb(url, 1);
  }

  /** A copy of what is there; nobody else may be connected. */
  async backup(name: string): Promise<string> {
    await this.db.close();
    await this.#asAdmin(`CREATE DATABASE ${name} TEMPLATE ${new URL(this.url).pathname.slice(1)}`);
    this.#made.push(name);
    this.db = openDb(this.url, 1);
    return Object.assign(new URL(this.url), { pathname: `/${name}` }).href;
  }

  async use(url: string): Promise<void> {
    await this.db.close();
    this.url = url;
    this.db = openDb(url, 1);
  }

  async close(): Promise<void> {
    await this.db.close();
    for (const name of this.#made) await this.#asAdmin(`DROP DATABASE ${name} WITH (FORCE)`);
  }

  async #asAdmin(text: string): Promise<void> {
    const client = new pg.Client({
      connectionString: Object.assign(new URL(this.url), { pathname: '/postgres' }).href,
    });
    await client.connect();
    await client.query(text);
    await client.end();
  }
}

const RESTORE_MARGIN = 8;
const REVIVE_MS = 3_000;

/** Carries out what the plan says that goes wrong. */
export class Troubles {
  isStalled = false;
  readonly #plan: Plan;
  readonly #scheduler: Scheduler;
  readonly #world: World;
  readonly #desk: Desk;
  readonly #store: Store;
  /** Calls of engines that are left until one of them meets its fate. */
  readonly #fates: { left: number; readonly mishap: Mishap }[] = [];
  #left = 0;

  constructor(plan: Plan, scheduler: Scheduler, world: World, desk: Desk, store: Store) {
    this.#plan = plan;
    this.#scheduler = scheduler;
    this.#world = world;
    this.#desk = desk;
    this.#store = store;
  }

  get areOver(): boolean {
    return this.#left === 0 && this.#fates.length === 0;
  }

  begin(): void {
    for (const event of this.#plan.events) {
      if (event.what === 'order') continue;
      this.#left += 1;
      this.#at(event.at, `${event.what}`, () => this.#happen(event));
    }
    this.#keepAlive();
  }

  mishap({ process, at }: Call): Mishap | undefined {
    if (!process.name.startsWith('engine')) return undefined;
    for (const fate of this.#fates) fate.left -= 1;
    const index = this.#fates.findIndex(
      ({ left, mishap }) => left < 0 && (mishap !== 'answer lost' || at !== 'signer'),
    );
    if (index < 0) return undefined;
    const [fate] = this.#fates.splice(index, 1);
    return fate?.mishap;
  }

  #at(seconds: number, name: string, act: () => Promise<void>): void {
    this.#scheduler.after(seconds * 1_000, () => {
      void this.#scheduler.outside(name, act).then(() => {
        this.#left -= 1;
      });
    });
  }

  /** For so long, and then no more. */
  #while(seconds: number, begin: () => void, end: () => void): void {
    this.#left += 1;
    begin();
    this.#scheduler.after(seconds * 1_000, () => {
      end();
      this.#left -= 1;
    });
  }

  async #happen(event: Exclude<Event, { what: 'order' }>): Promise<void> {
    const { arbitrum, node, providers, venue } = this.#world;
    switch (event.what) {
      case 'crash':
        this.#fates.push({ left: event.calls, mishap: event.moment });
        return;
      case 'lost':
        this.#fates.push({ left: event.calls, mishap: 'answer lost' });
        return;
      case 'reorg': {
        const ours = this.#world.isOurs;
        const isLost = { nothing: () => false, deposits: (from: string) => this.#world.isCustomers(from), ours };
        arbitrum.reorganise(event.depth, ({ from }) => isLost[event.loses](from));
        return;
      }
      case 'spike':
        return this.#while(
          event.seconds,
          () => {
            arbitrum.baseFee *= BigInt(event.times);
          },
          () => {
            arbitrum.baseFee /= BigInt(event.times);
          },
        );
      case 'stall':
        return this.#while(
          event.seconds,
          () => {
            this.isStalled = true;
          },
          () => {
            this.isStalled = false;
          },
        );
      case 'node':
        return this.#while(
          event.seconds,
          () => {
            node.isDown = event.how === 'down';
            node.lag = event.how === 'lags' ? 4 : 0;
            node.forgets = event.how === 'forgets';
          },
          () => {
            node.isDown = false;
            node.lag = 0;
            node.forgets = false;
          },
        );
      case 'provider':
        providers[event.which]?.setFault({ mode: event.mode, count: 1 });
        return;
      case 'venue':
        venue.setFault({ mode: event.mode, count: event.count });
        return;
      case 'book':
        return this.#while(
          200,
          () => venue.setBook({ mid: '320', depthUsd: event.depthUsd, spreadBps: 10 }),
          () => venue.setBook({ mid: '320', depthUsd: 250_000, spreadBps: 10 }),
        );
      case 'clock':
        this.#scheduler.skew += event.by * 1_000;
        return;
      case 'engine':
        this.#desk.startEngine();
        return;
      case 'signer':
        return this.#desk.startSigner();
      case 'restore':
        return this.#restore(event.backAt - event.at);
    }
  }

  async #restore(seconds: number): Promise<void> {
    await this.#desk.stopAll();
    const url = await this.#store.backup(`${new URL(this.#store.url).pathname.slice(1)}_backup`);
    this.#desk.startEngine();
    this.#left += 1;
    this.#at(seconds, 'from the backup', async () => {
      await this.#desk.stopAll();
      await this.#store.use(url);
      this.#desk.config = { ...this.#desk.config, database: url };
      const silent = this.#desk.log('restore');
      const signerOutbound = this.#desk.signerRoute();
      const { route: outbound } = this.#world;
      const around = { clock: this.#desk.clock, log: silent, outbound, signerOutbound, margin: RESTORE_MARGIN };
      if (this.#desk.restores) await runRestore(this.#desk.config, around);
      this.#desk.startEngine();
    });
  }

  /** A supervisor: where no engine is left, another is started. */
  #keepAlive(): void {
    this.#scheduler.after(REVIVE_MS, () => {
      if (!this.#desk.hasEngine) this.#desk.startEngine();
      this.#keepAlive();
    });
  }
}
