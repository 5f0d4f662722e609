import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { type Demo, demoIntegration } from '../../sandbox/demo.ts';
import { startApi } from '../../src/app/api.ts';
import { type Pace, startEngine } from '../../src/app/engine.ts';
import type { AppLog } from '../../src/app/log.ts';
import { openMetrics } from '../../src/app/metrics.ts';
import { signerConfigOf } from '../../src/app/wiring.ts';
import { type Feed, openFeed } from '../../src/engine/feed.ts';
import { openLeadership } from '../../src/engine/leader.ts';
import type { Running } from '../../src/engine/worker.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { unixOutbound } from '../../src/signer/client.ts';
import { type SignerDeps, startSigner } from '../../src/signer/start-signer.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { type Fate, Mortal } from './mortal.ts';
import { Watchman } from './watchman.ts';
import type { World } from './world.ts';

/** The desk's processes on one world. The API lives as long as the desk; the engine and the signer may die. */
export interface Desk {
  readonly world: World;
  readonly watchman: Watchman;
  readonly demo: Demo;
  readonly apiUrl: string;
  readonly feed: Feed;
  /** What its processes complained about. */
  readonly complaints: string[];
  /** An engine behind these doors; undefined if it dies before it is up. */
  startEngine(doors: Mortal, plant?: Plant): Promise<Running | undefined>;
  /** Another process takes these seats, so that no engine here makes those rounds; closing it gives them back. */
  takeSeats(seats: readonly number[]): Promise<{ close(): Promise<void> }>;
  /** The signer is killed; the next one, and each that must follow it, meets this fate. Resolves when one serves. */
  restartSigner(fate?: Fate): Promise<void>;
  close(): Promise<void>;
}

/** Wires that a planted bug bends. */
export interface Plant {
  readonly outbound?: (real: Outbound) => Outbound;
  readonly signerOutbound?: (real: Outbound) => Outbound;
}

const PACE: Pace = { scan: 40, readings: 2_000, treasury: 2_000, addresses: 2_000, outputs: 2_000, work: 10 };
const READY_WITHIN_MS = 30_000;
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
        clock,
        log,
        outbound: doors.outbound((plant.outbound ?? asIs)(wire)),
        signerOutbound: doors.outbound((plant.signerOutbound ?? asIs)(signer.ask)),
        worker: randomInt(1, 2 ** 31 - 1),
        onLost: () => doors.die(),
        pace: PACE,
        openDb: doors.openDb,
      }),
    );
    return Promise.race([starting, doors.death.then(() => undefined)]);
  };

  const first = await boot(new Mortal());
  const outbound = httpOutbound;
  const api = await startApi(config, { clock, log, metrics: openMetrics('api'), outbound, signerOutbound: signer.ask });
  const apiUrl = `http://127.0.0.1:${config.api.port}`;
  await eventually(async () => (await fetch(`${apiUrl}/readyz`)).status === 200);
  const operator = { url: `http://127.0.0.1:${config.operator.port}`, token: world.operatorToken };
  const demo = await demoIntegration(join(world.dir, 'demo.json'), operator, world.hot.evm);
  await first?.stop();
  const feed = await openFeed(world.db);
  return {
    ...{ world, watchman, demo, apiUrl, feed, complaints },
    startEngine: boot,
    async takeSeats(seats) {
      const other = await openLeadership(world.db, () => {});
      for (const seat of seats) await eventually(() => other.leads(seat));
      return other;
    },
    restartSigner: signer.restart,
    async close() {
      await Promise.all([api.stop(), feed.close()]);
      signer.stop();
      await world.close();
    },
  };
}

function logInto(lines: string[]): AppLog {
  const write = (line: string) => {
    lines.push(line.trim().slice(0, 1_000));
    if (lines.length > COMPLAINTS_KEPT) lines.shift();
  };
  return pino({ level: 'warn', serializers: { error: pino.stdSerializers.err } }, { write });
}

/** Keeps a signer running, whatever happens to it. */
function openSignerKeeper(world: World, deps: SignerDeps) {
  const socket = unixOutbound(world.config.signer.socket);
  let doors = new Mortal();
  let isOver = false;

  const serve = async (fate: Fate): Promise<void> => {
    const its = new Mortal(fate);
    doors = its;
    const outbound = its.outbound(deps.outbound);
    const starting = startSigner(signerConfigOf(world.config), { ...deps, outbound });
    const server = await Promise.race([starting, its.death]);
    const isNext = () => doors === its && !isOver;
    if (!server) return isNext() ? serve(fate) : undefined;
    // Nobody else is taken in. Calls under way hang, and whoever made them hears that the connection is gone.
    its.onDeath(() => void server.close());
    its.death.then(() => (isNext() ? serve(fate) : undefined));
  };
  const ask: Outbound = (call) => {
    const gone = doors.death.then(() => {
      throw new Fault('transient', 'signer', `${call.label}: ECONNRESET`);
    });
    return Promise.race([doors.outbound(socket)(call), gone]);
  };
  const stop = (): void => {
    isOver = true;
    doors.die();
  };
  return {
    ask,
    stop,
    async restart(fate: Fate = {}): Promise<void> {
      stop();
      isOver = false;
      await serve(fate);
    },
  };
}

export async function eventually(isTrue: () => Promise<boolean>, withinMs = READY_WITHIN_MS): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isTrue().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`not true within ${withinMs} ms: ${isTrue}`);
    await sleep(5);
  }
}
