import { pino } from 'pino';
import type { Config } from '../../src/app/config.ts';
import { startEngine } from '../../src/app/engine.ts';
import type { Pace } from '../../src/app/pace.ts';
import { signerConfigOf } from '../../src/app/wiring/signer.ts';
import { instant } from '../../src/kernel/clock.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { unixOutbound } from '../../src/signer/client.ts';
import type { SignerServer } from '../../src/signer/server.ts';
import { startSigner } from '../../src/signer/start-signer.ts';
import type { Outbound } from '../../src/world/outbound/http.ts';
import { type DoorParts, Doors, type Ears } from './doors.ts';
import type { Bug } from './planting.ts';
import type { Scheduler } from './scheduler.ts';
import type { World } from './world.ts';

const SECOND = 1_000;
/** Rounds cost more than they tell where nothing happens: all that is seen only sooner is looked at less often. */
const PACE: Pace = {
  scan: 10 * SECOND,
  readings: 150 * SECOND,
  deposits: 600 * SECOND,
  treasury: 600 * SECOND,
  addresses: 60 * SECOND,
  fullPool: 120 * SECOND,
  outputs: 600 * SECOND,
  journal: 120 * SECOND,
  prices: 600 * SECOND,
  breakers: 60 * SECOND,
  solvency: 1200 * SECOND,
  levels: 600 * SECOND,
  months: 3_600 * SECOND,
  work: 20 * SECOND,
};

/** The desk's processes in one world. */
export class Desk {
  readonly complaints: string[] = [];
  readonly engines: Doors[] = [];
  /** Who is told that there is work. */
  readonly ears: Ears = new Map();
  readonly #world: World;
  readonly #scheduler: Scheduler;
  readonly #parts: DoorParts;
  readonly #pace: Pace;
  readonly #bug: Bug | undefined;
  readonly #others: Doors[] = [];
  readonly config: Config;
  #signer: SignerServer | undefined;
  #started = 0;

  constructor(world: World, scheduler: Scheduler, parts: DoorParts, pace: Partial<Pace>, bug?: Bug) {
    this.#world = world;
    this.#scheduler = scheduler;
    this.#parts = parts;
    this.#pace = { ...PACE, ...pace };
    this.#bug = bug;
    this.config = bug?.config?.(world.config) ?? world.config;
  }

  get hasEngine(): boolean {
    return this.engines.some(({ process }) => !process.isDead);
  }

  /** Whether somebody runs the command after the database was put back. */
  get restores(): boolean {
    return this.#bug?.skipsRestore !== true;
  }

  get clock() {
    return { now: () => instant(this.#scheduler.wall) };
  }

  /** Calls under way are answered first. */
  async startSigner(): Promise<void> {
    await this.#signer?.close();
    const { config, route } = this.#world;
    const silent = { info() {}, warn() {}, error() {} };
    this.#signer = await startSigner(signerConfigOf(config), { outbound: route, clock: this.clock, log: silent });
  }

  /** As the world hears it: in one moment. */
  signerRoute(): Outbound {
    return unixOutbound(this.#world.config.signer.socket);
  }

  log(who: string) {
    const write = (line: string) => {
      const { msg, job, round, error } = JSON.parse(line) as Record<string, string> & { error?: { message?: string } };
      this.complaints.push([who, msg, round, job, error?.message].filter(Boolean).join(': '));
    };
    return pino({ level: 'warn', serializers: { error: pino.stdSerializers.err } }, { write });
  }

  doorsOf(name: string): Doors {
    const doors = new Doors(name, this.#parts, this.ears);
    this.#others.push(doors);
    return doors;
  }

  /** An engine behind doors of its own. It comes up as the scheduler lets it. */
  startEngine(): void {
    this.#started += 1;
    const doors = new Doors(`engine ${this.#started}`, this.#parts, this.ears);
    this.engines.push(doors);
    const { process } = doors;
    const plant = this.#bug?.plant?.(this.#world) ?? {};
    const { outbound = asIs, signerOutbound = asIs, database = asIs } = plant;
    startEngine(this.config, {
      ...{ clock: this.clock, log: this.log(process.name), worker: this.#started, pace: this.#pace },
      outbound: outbound(doors.outbound),
      signerOutbound: signerOutbound(doors.outbound),
      rules: { ...RULES, ...this.#bug?.rules },
      openDb: (url) => database(doors.openDb(url)),
      onLost: () => void doors.die(),
    }).catch((error: Error) => {
      this.complaints.push(`${process.name} did not start: ${error.message}`);
      this.#scheduler.note(`${process.name} did not start`);
      void doors.die();
    });
  }

  /** Every process that has the database open, and waits until it is closed. */
  async stopAll(): Promise<void> {
    await Promise.all([...this.engines.splice(0), ...this.#others.splice(0)].map((doors) => doors.die()));
  }

  async close(): Promise<void> {
    await this.stopAll();
    await this.#signer?.close();
  }
}

const asIs = <T>(real: T): T => real;
