import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Demo, demoIntegration } from '../../sandbox/demo.ts';
import { freePort } from '../../sandbox/process.ts';
import { buildPages } from '../../scripts/build-pages.ts';
import { startApi } from '../../src/app/api.ts';
import { startEngine } from '../../src/app/engine.ts';
import type { AppLog } from '../../src/app/log.ts';
import { openMetrics } from '../../src/app/metrics.ts';
import type { Pace } from '../../src/app/pace.ts';
import type { Seat } from '../../src/app/seats.ts';
import { signerConfigOf } from '../../src/app/wiring/signer.ts';
import { type Feed, openFeed } from '../../src/engine/feed.ts';
import { openLeadership } from '../../src/engine/leader.ts';
import type { Running } from '../../src/engine/worker.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { RULES, type Rules } from '../../src/life/order/rules.ts';
import { unixOutbound } from '../../src/signer/client.ts';
import { type SignerDeps, startSigner } from '../../src/signer/start-signer.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { eventually, orAway } from '../run/patience.ts';
import { type Fate, Mortal } from './mortal.ts';
import { Watchman } from './watchman.ts';
import { PARTNER, type World } from './world.ts';

/** The desk's processes on one world. The API lives as long as the desk; the engine and the signer may die. */
export interface Desk {
  readonly world: World;
  readonly watchman: Watchman;
  readonly demo: Demo;
  readonly apiUrl: string;
  readonly feed: Feed;
  /** The wires on which everybody talks to the world, and the engine to the signer. */
  readonly wire: Outbound;
  readonly signerWire: Outbound;
  /** What its processes complained about. */
  readonly complaints: string[];
  /** An engine behind these doors; undefined if it dies before it is up. */
  startEngine(doors: Mortal, plant?: Plant): Promise<Running | undefined>;
  /** Another API on the same database, at ports of its own, and with its own way out. */
  startApi(outbound?: Outbound): Promise<Running & { readonly url: string }>;
  /** Another process takes these seats, so that no engine here makes those rounds; closing it gives them back. */
  takeSeats(seats: readonly Seat[]): Promise<{ close(): Promise<void> }>;
  /** The signer is killed; the next one, and each that must follow it, meets this fate. Resolves when one serves. */
  restartSigner(fate?: Fate): Promise<void>;
  /** The operator has looked at what was lost: from now on it is counted anew. */
  forgetLosses(): Promise<void>;
  /** Its ports are free afterwards: another API may take its place. */
  stopApi(): Promise<void>;
  close(): Promise<void>;
}

/** A bug that is planted in an engine: it bends what the engine says to others, or what they say to it. */
export interface Plant extends Pick<Fate, 'database'> {
  readonly outbound?: (real: Outbound) => Outbound;
  readonly signerOutbound?: (real: Outbound) => Outbound;
}

export const PACE: Pace = {
  scan: 25,
  readings: 2_000,
  deposits: 2_000,
  treasury: 2_000,
  addresses: 2_000,
  fullPool: 5_000,
  outputs: 2_000,
  journal: 2_000,
  prices: 2_000,
  breakers: 2_000,
  solvency: 2_000,
  levels: 2_000,
  months: 60_000,
  work: 20,
};
/** Rounds that are not an order's: where another process makes them, the engines of a story need not. */
export const HOUSE_SEATS: readonly Seat[] = [
  'treasury',
  'readings',
  'deposits',
  'prices',
  'outputs',
  'breakers',
  'solvency',
  'levels',
  'months',
];
/** A ticket outlives whoever opened it: its time runs fast here, while processes start at their own pace. */
export const TICKETS_LIVE: Rules = { ...RULES, ticketLifeMs: 60 * 60 * 1000 };
/** A connection to a dead signer is given up after this long, so that the tests can end. */
const ANSWERS_WITHIN_MS = 5_000;
const COMPLAINTS_KEPT = 40;
const asIs = (real: Outbound): Outbound => real;

export async function openDesk(world: World): Promise<Desk> {
  const { config, clock } = world;
  const complaints: string[] = [];
  const log = logInto(complaints);
  const watchman = new Watchman(world);
  const wire = watchman.watched(httpOutbound);
  const signer = openSignerKeeper(world, { outbound: wire, clock, log });
  await signer.restart();

  const boot = async (doors: Mortal, plant: Plant = {}): Promise<Running | undefined> => {
    const starting = doors.run('start', () =>
      startEngine(config, {
        clock: doors.clock(clock),
        log,
        outbound: doors.outbound((plant.outbound ?? asIs)(wire)),
        signerOutbound: doors.outbound((plant.signerOutbound ?? asIs)(signer.ask)),
        worker: randomInt(1, 2 ** 31 - 1),
        onLost: () => doors.die(),
        pace: PACE,
        rules: TICKETS_LIVE,
        openDb: doors.openDb,
      }),
    );
    return Promise.race([starting, doors.death.then(() => undefined)]);
  };

  await buildPages();
  const first = await boot(new Mortal());
  const serve = (at: typeof config, outbound = httpOutbound) =>
    startApi(at, { clock, log, metrics: openMetrics('api'), outbound, signerOutbound: signer.ask });
  const api = await serve(config);
  const apiUrl = `http://127.0.0.1:${config.api.port}`;
  await untilReady(apiUrl);
  const operator = { url: `http://127.0.0.1:${config.operator.port}`, token: world.operatorToken };
  const demo = await demoIntegration(join(world.dir, 'demo.json'), operator, () => PARTNER);
  await first?.stop();
  const feed = await openFeed(world.db);
  let stopping: Promise<void> | undefined;
  const stopApi = () => {
    stopping ??= api.stop();
    return stopping;
  };
  return {
    ...{ world, watchman, demo, apiUrl, feed, wire, complaints },
    signerWire: signer.ask,
    startEngine: boot,
    async startApi(outbound) {
      const [port, itsOperator] = [await freePort(), await freePort()];
      const at = { ...config, api: { ...config.api, port }, operator: { ...config.operator, port: itsOperator } };
      const { stop } = await serve(at, outbound);
      return { url: `http://127.0.0.1:${port}`, stop };
    },
    async takeSeats(seats) {
      const other = await openLeadership(world.db, () => {});
      for (const seat of seats) await eventually(() => other.leads(seat));
      return other;
    },
    restartSigner: signer.restart,
    async forgetLosses() {
      const { status } = await fetch(`${operator.url}/operator/breakers/refunds-only`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${operator.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ open: false }),
      });
      assert.equal(status, 200);
    },
    stopApi,
    async close() {
      await Promise.all([stopApi(), feed.close()]);
      await signer.stop();
      await world.close();
    },
  };
}

export function logInto(lines: string[]): AppLog {
  const write = (line: string) => {
    const { msg, job, error } = JSON.parse(line) as { msg: string; job?: string; error?: { message?: string } };
    lines.push([msg, job, error?.message].filter(Boolean).join(': '));
    if (lines.length > COMPLAINTS_KEPT) lines.shift();
  };
  return pino({ level: 'warn', serializers: { error: pino.stdSerializers.err } }, { write });
}

/** Keeps a signer running, whatever happens to it. It is killed only once it is up, and asked only then. */
function openSignerKeeper(world: World, deps: SignerDeps) {
  const socket = unixOutbound(world.config.signer.socket);
  const patiently: Outbound = (call) => socket({ ...call, deadlineMs: ANSWERS_WITHIN_MS });
  let doors = new Mortal();
  let ready: Promise<void> = Promise.resolve();

  const serve = async (its: Mortal, fate: Fate): Promise<void> => {
    let isUp = false;
    const guarded = its.outbound(deps.outbound);
    const outbound: Outbound = (call) => (isUp ? guarded : deps.outbound)(call);
    const server = await startSigner(signerConfigOf(world.config), { ...deps, outbound });
    isUp = true;
    // Nobody else is taken in. Calls under way hang, and whoever made them hears that the connection is gone.
    its.onDeath(() => {
      void server.close();
      if (doors === its) next(fate);
    });
  };
  const next = (fate: Fate): void => {
    doors = new Mortal(fate);
    ready = serve(doors, fate);
  };
  /** Whoever was waited for may be gone by then, and his successor not there yet. */
  const whoIsUp = async (): Promise<Mortal> => {
    let its: Mortal;
    do {
      its = doors;
      await ready;
    } while (its !== doors);
    return its;
  };
  const ask: Outbound = async (call) => {
    const its = await whoIsUp();
    const gone = its.death.then(() => {
      throw new Fault('transient', 'signer', `${call.label}: ECONNRESET`);
    });
    return Promise.race([its.outbound(patiently)(call), gone]);
  };
  const stop = async (): Promise<void> => {
    const last = await whoIsUp();
    doors = new Mortal();
    last.die();
  };
  return {
    ask,
    stop,
    async restart(fate: Fate = {}): Promise<void> {
      await stop();
      next(fate);
      await ready;
    },
  };
}

/** Says what is missing where it does not become ready. */
export const untilReady = (apiUrl: string): Promise<void> =>
  eventually(
    orAway(async () => {
      const reply = await fetch(`${apiUrl}/readyz`);
      return reply.status === 200 || reply.text();
    }),
  );
