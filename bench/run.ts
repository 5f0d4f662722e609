/**
 * npm run bench [-- --short] [--only transitions] [--fsync]
 * What the product does in a second, as parts of what the bare tools below it do in the same run. The short one says nothing
 * about speed; it shows that every measure can still be taken. `--only` takes the ratios that have one of these words, which
 * commas divide, in their names. `--fsync` is for the database: every commit is on the disk before it is answered.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { buildBench } from '../scripts/build.ts';
import type { Loop, Ready, Told } from './desk.ts';
import { type Done, load, requestBytes, type Span } from './load.ts';
import { broadcast, followed } from './sockets.ts';
import { CONNECTIONS, moneroAddresses, swapBodies } from './swap.ts';

const { values: flags } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    fsync: { type: 'boolean', default: false },
  },
});
const ROUNDS = flags.short ? 1 : 7;
const SLICE: Span = { ms: flags.short ? 100 : 700, least: 1 };
/** By count, since what a compiler has seen often enough is a matter of how often and not of how long. */
const WARM_UP: Span = { ms: 0, least: flags.short ? 20 : 5_000 };
/** Bodies of quotes and creations; they differ in their amounts. */
const BODIES = flags.short ? 256 : 16_384;
/** Sockets at once, and to one order where it has many; a key and an order may have no more. */
const SOCKETS = flags.short ? 40 : 1_000;
const SOCKETS_EACH = 20;
/** Addresses of customers who come again. */
const CUSTOMERS = 256;

const child = fork((await buildBench()).desk, process.argv.slice(2), { execArgv: [] });
child.once('exit', (code) => {
  if (code) process.exit(code);
});

const hear = async (): Promise<Told> => (await once(child, 'message'))[0] as Told;
const told = await hear();
if (!('ready' in told)) throw new Error('the desk did not say that it is ready');
const { ready } = told;

type Measure = (span: Span) => Promise<Done>;

const inChild =
  (loop: Loop): Measure =>
  async (span) => {
    child.send({ loop, span });
    const answer = await hear();
    if (!('done' in answer)) throw new Error('the desk speaks of something else');
    return answer.done;
  };

const over =
  (port: number, requests: readonly Buffer[]): Measure =>
  (span) =>
    load({ port, connections: CONNECTIONS, span, requests });

const MEASURES = measures(ready);
type Name = keyof ReturnType<typeof measures>;

function measures({ ports, databaseUrl, serverKey, limitedKeys, reportKeys, orders, followed: followable }: Ready) {
  const follow = (each: number, key: string, from: number) =>
    followed({ port: ports.api, databaseUrl, key, each, orders: followable.slice(from, from + SOCKETS / each) });
  const addresses = moneroAddresses(BODIES);
  const returning = swapBodies(BODIES, addresses.slice(0, CUSTOMERS));
  const strangers = swapBodies(BODIES, addresses);
  const posts = (path: string, bodies: readonly string[]) =>
    bodies.map((body) => requestBytes({ method: 'POST', path, headers: { 'x-integrator-key': serverKey }, body }));
  const reads = (keys: readonly string[]) =>
    orders.map(({ id, session }, n) => {
      const headers = { 'x-integrator-key': keys[n % keys.length] ?? '', 'x-session-id': session };
      return requestBytes({ method: 'GET', path: `/v2/swaps/${id}`, headers });
    });
  const report = (key: string) =>
    requestBytes({ method: 'GET', path: '/v2/integrator/me', headers: { 'x-integrator-key': key } });
  return {
    'POST /v2/swaps': over(ports.api, posts('/v2/swaps', strangers)),
    'bare pg: place_orders': inChild('pg create'),
    'GET /v2/swaps/:id': over(ports.api, reads([serverKey])),
    'GET /v2/swaps/:id, with limits': over(ports.api, reads(limitedKeys)),
    'GET /v2/swaps/:id, not in memory': over(ports.forgetful, reads([serverKey])),
    'bare Fastify GET': over(ports.fastify, [requestBytes({ method: 'GET', path: '/order' })]),
    'bare node:http GET': over(ports.node, [requestBytes({ method: 'GET', path: '/order' })]),
    'bare pg: the read': inChild('pg read'),
    'POST /v2/swaps/quote': over(ports.api, posts('/v2/swaps/quote', returning)),
    'POST /v2/swaps/quote, new addresses': over(ports.api, posts('/v2/swaps/quote', strangers)),
    'bare Fastify POST': over(ports.fastify, posts('/quote', returning)),
    'GET /v2/integrator/me, ten orders': over(ports.api, [report(reportKeys.few)]),
    'GET /v2/integrator/me, a million': over(ports.api, [report(reportKeys.many)]),
    'socket update, 20 to an order': follow(SOCKETS_EACH, serverKey, 0),
    'socket update, one to an order': follow(1, reportKeys.few, SOCKETS / SOCKETS_EACH),
    'bare ws': broadcast(ports.ws, SOCKETS),
    'bare pg: commit_step': inChild('pg commit'),
    'worker transitions': inChild('worker'),
  } satisfies Record<string, Measure>;
}

/** Work that comes before a measure and is no part of it. */
const PREPARED: Partial<Record<Name, Measure>> = {
  'bare pg: commit_step': inChild('fresh orders'),
  'worker transitions': inChild('fresh orders'),
};

interface Line {
  readonly what: Name;
  readonly by: Name;
  /** Work a second, or where noise must not matter, how much less processor each unit took. */
  readonly in: keyof Measured;
  readonly floor?: number;
  readonly goal?: number;
}

/** Floors allow for noise; lines without one are there to see where the time goes. */
const LINES: readonly Line[] = [
  { what: 'POST /v2/swaps', by: 'bare pg: place_orders', in: 'rate', floor: 0.5, goal: 0.75 },
  { what: 'GET /v2/swaps/:id', by: 'bare Fastify GET', in: 'rate', floor: 0.45, goal: 0.6 },
  { what: 'GET /v2/swaps/:id, not in memory', by: 'bare pg: the read', in: 'rate', floor: 0.4, goal: 0.7 },
  { what: 'GET /v2/swaps/:id, with limits', by: 'GET /v2/swaps/:id', in: 'cpu', floor: 0.5, goal: 0.8 },
  { what: 'POST /v2/swaps/quote', by: 'bare Fastify POST', in: 'rate', floor: 0.3, goal: 0.45 },
  { what: 'POST /v2/swaps/quote, new addresses', by: 'bare Fastify POST', in: 'rate' },
  { what: 'socket update, 20 to an order', by: 'bare ws', in: 'cpu', floor: 0.25, goal: 0.67 },
  { what: 'socket update, one to an order', by: 'bare ws', in: 'cpu' },
  { what: 'worker transitions', by: 'bare pg: commit_step', in: 'rate', floor: 0.9, goal: 1.9 },
  {
    ...{ what: 'GET /v2/integrator/me, a million', by: 'GET /v2/integrator/me, ten orders', in: 'rate' },
    ...{ floor: 0.67, goal: 0.9 },
  },
  { what: 'bare Fastify GET', by: 'bare node:http GET', in: 'rate' },
];

/** A rate, and what one unit of work cost the measured process in microseconds of processor: that noise does not touch. */
interface Measured {
  readonly rate: number;
  readonly cpu: number;
}

const CHOSEN = LINES.filter(({ what, by }) => flags.only.split(',').some((word) => `${what} ÷ ${by}`.includes(word)));
const NAMES = (Object.keys(MEASURES) as Name[]).filter((name) =>
  CHOSEN.some(({ what, by }) => what === name || by === name),
);

const rounds: Record<Name, Measured>[] = [];
await round(WARM_UP, false);
for (let n = 0; n < ROUNDS; n += 1) rounds.push(await round(SLICE, n % 2 === 1));
print();
child.disconnect();

/** Everything chosen once; every other round the other way round, so that neither side of a ratio is always the second. */
async function round(span: Span, backwards: boolean): Promise<Record<Name, Measured>> {
  const measured: Partial<Record<Name, Measured>> = {};
  for (const name of backwards ? NAMES.toReversed() : NAMES) {
    await PREPARED[name]?.(span);
    measured[name] = await measure(MEASURES[name], span);
  }
  return measured as Record<Name, Measured>;
}

async function measure(run: Measure, span: Span): Promise<Measured> {
  const cpu = async () => (await inChild('cpu')({ ms: 0, least: 0 })).seconds;
  const before = await cpu();
  const { count, seconds } = await run(span);
  return { rate: count / seconds, cpu: (((await cpu()) - before) * 1_000_000) / count };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

function print(): void {
  const [cpu] = cpus();
  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpu?.model.trim()}, ${CONNECTIONS} connections, the build, ${flags.fsync ? 'with' : 'without'} fsync`,
  );
  console.log(`median of ${ROUNDS} interleaved rounds of ${SLICE.ms} ms, warm after ${WARM_UP.least} of each kind`);
  console.log('read the ratios, not the rates\n');
  console.log(row('', 'a second', 'CPU µs'));
  for (const name of NAMES) {
    console.log(row(name, ...[typical(name, 'rate'), typical(name, 'cpu')].map((value) => value.toFixed(0))));
  }
  console.log(`\n${row('', 'ratio', 'least', 'most', 'floor', 'goal', 'CPU µs', 'of')}`);
  for (const { what, by, in: unit, floor, goal } of CHOSEN) {
    const ratios = rounds.map(({ [what]: ours, [by]: bare }) =>
      unit === 'rate' ? ours.rate / bare.rate : bare.cpu / ours.cpu,
    );
    const shown = [median(ratios), Math.min(...ratios), Math.max(...ratios), floor, goal];
    const costs = [typical(what, 'cpu'), typical(by, 'cpu')].map((cost) => cost.toFixed(0));
    const name = `${what} ÷ ${by}${unit === 'cpu' ? ' (CPU)' : ''}`;
    console.log(row(name, ...shown.map((value) => value?.toFixed(2) ?? '–'), ...costs));
  }
}

function typical(name: Name, of: keyof Measured): number {
  return median(rounds.map((measured) => measured[name][of]));
}

function row(name: string, ...cells: readonly string[]): string {
  return name.padEnd(72) + cells.map((cell) => cell.padStart(9)).join('');
}
