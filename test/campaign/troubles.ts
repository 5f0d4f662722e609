import { runRestore } from '../../src/app/restore.ts';
import type { Db } from '../../src/store/db.ts';
import { lendDb, type SeedDatabase } from './database.ts';
import type { Desk } from './desk.ts';
import type { Call, Mishap } from './doors.ts';
import type { Event, Plan } from './events.ts';
import type { Scheduler } from './scheduler.ts';
import type { World } from './world.ts';

/** The database, as whoever watches the desk reads it. */
export class Store {
  readonly database: SeedDatabase;
  readonly db: Db;

  constructor(database: SeedDatabase) {
    this.database = database;
    this.db = lendDb(database.url);
  }

  close(): Promise<void> {
    return this.db.close();
  }
}

const RESTORE_MARGIN = 8;
const REVIVE_MS = 3_000;
/** Fewer may be signed than are waited for. */
const UNHEARD_S = 100;

interface Fate {
  /** Calls that go well before it. */
  left: number;
  readonly mishap: Mishap;
  /** Where only such calls count. */
  isMeant?(call: Call): boolean;
  befalls?(): void;
}

const isPayout = ({ label, body }: Call): boolean =>
  label === '/transfer' && body?.includes('"kind":"payout"') === true;

/** Carries out what the plan says that goes wrong. */
export class Troubles {
  isStalled = false;
  isRestoring = false;
  /** Whom customers want to be paid on EVM chains. */
  payees: () => readonly string[] = () => [];
  readonly #plan: Plan;
  readonly #scheduler: Scheduler;
  readonly #world: World;
  readonly #desk: Desk;
  readonly #store: Store;
  /** Of calls of engines. */
  readonly #fates: Fate[] = [];
  #left = 0;
  #backups = 0;

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
      if (event.what === 'order' || event.what === 'levels') continue;
      this.#left += 1;
      this.#at(event.at, `${event.what}`, () => this.#happen(event));
    }
    this.#keepAlive();
  }

  mishap(call: Call): Mishap | undefined {
    if (!call.process.name.startsWith('engine')) return undefined;
    const meant = this.#fates.filter((fate) => fate.isMeant?.(call) ?? true);
    for (const fate of meant) fate.left -= 1;
    const fate = meant.find(({ left }) => left < 0);
    if (!fate) return undefined;
    this.#fates.splice(this.#fates.indexOf(fate), 1);
    fate.befalls?.();
    return fate.mishap;
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

  async #happen(event: Exclude<Event, { what: 'order' | 'levels' }>): Promise<void> {
    const { arbitrum, node, providers, venue } = this.#world;
    switch (event.what) {
      case 'crash':
        this.#fates.push({ left: event.calls, mishap: event.moment });
        return;
      case 'lost':
        this.#fates.push({ left: event.calls, mishap: 'answer lost' });
        return;
      case 'unheard': {
        const befalls = event.isListed ? { befalls: () => this.#world.list(this.payees()) } : {};
        const fate: Fate = { left: event.calls, mishap: 'answer lost', isMeant: isPayout, ...befalls };
        return this.#while(
          UNHEARD_S,
          () => void this.#fates.push(fate),
          () => void this.#fates.splice(0, this.#fates.length, ...this.#fates.filter((one) => one !== fate)),
        );
      }
      case 'reorg': {
        const ours = this.#world.isOurs;
        const isLost = { nothing: () => false, deposits: (from: string) => this.#world.isCustomers(from), ours };
        arbitrum.reorganise(event.depth, ({ from }) => isLost[event.loses](from));
        return;
      }
      case 'monero':
        this.#world.monero.undo(event.depth, event.loses);
        return;
      case 'undone':
        return this.#world.abroad.get(event.chain)?.undo?.(event.depth, event.loses);
      case 'crowd': {
        const chain = this.#world.abroad.get(event.chain);
        const crowd = (isCrowded: boolean) => () => {
          if (chain) chain.isCrowded = isCrowded;
        };
        return this.#while(event.seconds, crowd(true), crowd(false));
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
          () => node.be(event.how, true),
          () => node.be(event.how, false),
        );
      case 'provider':
        providers[event.which]?.setFault({ mode: event.mode, count: 1 });
        return;
      case 'venue':
        venue.setFault({ mode: event.mode, count: event.count });
        return;
      case 'book':
        return this.#while(
          100,
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
    this.#backups += 1;
    const backup = `backup_${this.#backups}`;
    await this.#store.database.backUp(backup);
    this.#desk.startEngine();
    this.#left += 1;
    this.#at(seconds, 'from the backup', async () => {
      await this.#desk.stopAll();
      await this.#store.database.putBack(backup);
      if (this.#desk.restores) this.#recover();
      else this.#desk.startEngine();
    });
  }

  /** A person runs the command, again where it failed; engines and the front stay down until it is done. */
  #recover(): void {
    this.isRestoring = true;
    this.#left += 1;
    const doors = this.#desk.doorsOf('restore');
    const { outbound, openDb } = doors;
    const around = { clock: this.#desk.clock, log: this.#desk.log('restore'), margin: RESTORE_MARGIN };
    const run = () =>
      runRestore(this.#desk.config, { ...around, outbound, signerOutbound: outbound, openDb }).then(
        () => 'done',
        () => 'failed',
      );
    const end = Promise.race([run(), doors.death.catch(() => 'gone')]);
    const leave = (end: string) => async () => {
      this.#left -= 1;
      if (end === 'gone') return;
      await doors.die();
      if (end === 'failed') return this.#recover();
      this.isRestoring = false;
      this.#desk.startEngine();
    };
    void end.then((end) => this.#scheduler.outside(`restore is ${end}`, leave(end)));
  }

  /** A supervisor: where no engine is left, another is started. */
  #keepAlive(): void {
    this.#scheduler.after(REVIVE_MS, () => {
      if (!this.#desk.hasEngine && !this.isRestoring) this.#desk.startEngine();
      this.#keepAlive();
    });
  }
}
