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
import { Mortal } from './mortal.ts';
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
  /** From now on the signer lives behind these doors; if it dies there, it is started again behind ordinary ones. */
  startSigner(doors: Mortal): Promise<void>;
  /** Resolves when the signer serves. */
  signerIsUp(): Promise<void>;
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
  await signer.start(new Mortal());

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
  const api = await startApi(config, { clock, log, metrics: openMetrics(), outbound, signerOutbound: signer.ask });
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
    startSigner: signer.start,
    signerIsUp: signer.isUp,
    async close() {
      await Promise.all([api.stop(), feed.close()]);
      signer.end();
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

function openSignerKeeper(world: World, deps: SignerDeps) {
  const socket = unixOutbound(world.config.signer.socket);
  let doors = new Mortal();
  let up: Promise<void> = Promise.resolve();
  let isOver = false;

  const start = async (next: Mortal): Promise<void> => {
    doors.die();
    doors = next;
    up = serve(next).catch((error) => {
      deps.log.error({ error: String(error) }, 'signer');
    });
    next.death.then(() => (doors === next && !isOver ? start(new Mortal()) : undefined));
    await Promise.race([up, next.death]);
  };
  const serve = async (its: Mortal): Promise<void> => {
    const server = await startSigner(signerConfigOf(world.config), { ...deps, outbound: its.outbound(deps.outbound) });
    // Nobody else is taken in; calls under way hang, and whoever made them hears that the connection is gone.
    its.death.then(() => server.close());
  };
  const ask: Outbound = (call) => {
    const reset = () => {
      throw new Fault('transient', 'signer', `${call.label}: ECONNRESET`);
    };
    return Promise.race([doors.outbound(socket)(call), doors.death.then(reset)]);
  };
  return {
    start,
    ask,
    isUp: () => up,
    end: () => {
      isOver = true;
      doors.die();
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
