/**
 * npm run bench [-- --short]
 * What the product does in a second, as parts of what the bare tools below it do in the same run. The short one says nothing
 * about speed; it shows that every measure can still be taken.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { Loop, Ready, Told } from './desk.ts';
import { load, requestBytes } from './load.ts';
import { CONNECTIONS, swapBodies } from './swap.ts';

const { values: flags } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
const ROUNDS = flags.short ? 1 : 5;
const SLICE_MS = flags.short ? 100 : 700;
const WARM_UP_MS = flags.short ? 50 : 300;

const child = fork(new URL('./desk.ts', import.meta.url), process.argv.slice(2), { execArgv: process.execArgv });
child.once('exit', (code) => {
  if (code) process.exit(code);
});

const hear = async (): Promise<Told> => (await once(child, 'message'))[0] as Told;
const told = await hear();
if (!('ready' in told)) throw new Error('the desk did not say that it is ready');
const { ready } = told;

type Measure = (ms: number) => Promise<number>;

const inChild =
  (loop: Loop): Measure =>
  async (ms) => {
    child.send({ loop, ms });
    const answer = await hear();
    return 'result' in answer ? answer.result : 0;
  };

const over =
  (port: number, requests: readonly Buffer[]): Measure =>
  (ms) =>
    load({ port, connections: CONNECTIONS, ms, requests });

const MEASURES = measures(ready);
type Name = keyof ReturnType<typeof measures>;

function measures({ ports, serverKey, reportKeys, orders }: Ready) {
  const headers = { 'x-integrator-key': serverKey };
  const bodies = swapBodies();
  const posts = (path: string) => bodies.map((body) => requestBytes({ method: 'POST', path, headers, body }));
  const reads = orders.map(({ id, session }) =>
    requestBytes({ method: 'GET', path: `/v2/swaps/${id}`, headers: { ...headers, 'x-session-id': session } }),
  );
  const report = (key: string) =>
    requestBytes({ method: 'GET', path: '/v2/integrator/me', headers: { 'x-integrator-key': key } });
  return {
    'POST /v2/swaps': over(ports.api, posts('/v2/swaps')),
    'bare pg: create_order': inChild('pg create'),
    'GET /v2/swaps/:id': over(ports.api, reads),
    'bare Fastify GET': over(ports.fastify, [requestBytes({ method: 'GET', path: '/order' })]),
    'bare node:http GET': over(ports.node, [requestBytes({ method: 'GET', path: '/order' })]),
    'bare pg: the read': inChild('pg read'),
    'POST /v2/swaps/quote': over(ports.api, posts('/v2/swaps/quote')),
    'bare Fastify POST': over(ports.fastify, posts('/quote')),
    'GET /v2/integrator/me, ten orders': over(ports.api, [report(reportKeys.few)]),
    'GET /v2/integrator/me, a million': over(ports.api, [report(reportKeys.many)]),
    'bare pg: commit_step': inChild('pg commit'),
    'worker transitions': inChild('worker'),
  } satisfies Record<string, Measure>;
}

interface Line {
  readonly what: Name;
  readonly by: Name;
  readonly floor?: number;
  readonly goal?: number;
}

/** Floors allow for noise; lines without one are there to see where the time goes. */
const LINES: readonly Line[] = [
  { what: 'POST /v2/swaps', by: 'bare pg: create_order', floor: 0.4, goal: 0.75 },
  { what: 'GET /v2/swaps/:id', by: 'bare Fastify GET', floor: 0.18, goal: 0.5 },
  { what: 'GET /v2/swaps/:id', by: 'bare pg: the read' },
  { what: 'POST /v2/swaps/quote', by: 'bare Fastify POST', floor: 0.75, goal: 0.95 },
  { what: 'worker transitions', by: 'bare pg: commit_step', floor: 1.4, goal: 1.9 },
  { what: 'GET /v2/integrator/me, a million', by: 'GET /v2/integrator/me, ten orders', floor: 0.67, goal: 0.9 },
  { what: 'bare Fastify GET', by: 'bare node:http GET' },
];

/** A rate, and what one unit of work cost the measured process in microseconds of processor: that noise does not touch. */
interface Measured {
  readonly rate: number;
  readonly cpu: number;
}

const rounds: Record<Name, Measured>[] = [];
await round(WARM_UP_MS, false);
for (let n = 0; n < ROUNDS; n += 1) rounds.push(await round(SLICE_MS, n % 2 === 1));
print();
child.disconnect();

/** Everything once; every other round the other way round, so that neither side of a ratio is always the second. */
async function round(ms: number, backwards: boolean): Promise<Record<Name, Measured>> {
  const names = Object.keys(MEASURES) as Name[];
  const measured: Partial<Record<Name, Measured>> = {};
  for (const name of backwards ? names.reverse() : names) measured[name] = await measure(MEASURES[name], ms);
  return measured as Record<Name, Measured>;
}

async function measure(run: Measure, ms: number): Promise<Measured> {
  const cpu = inChild('cpu');
  const before = await cpu(0);
  const rate = await run(ms);
  return { rate, cpu: (((await cpu(0)) - before) * 1_000_000) / (rate * ms) };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

function print(): void {
  const [cpu] = cpus();
  console.log(`Node ${process.version}, ${cpus().length} × ${cpu?.model.trim()}, ${CONNECTIONS} connections`);
  console.log(`median of ${ROUNDS} interleaved rounds of ${SLICE_MS} ms; read the ratios, not the rates\n`);
  console.log(row('', 'a second', 'CPU µs'));
  for (const name of Object.keys(MEASURES) as Name[]) {
    const all = rounds.map((measured) => measured[name]);
    console.log(
      row(name, ...[all.map(({ rate }) => rate), all.map(({ cpu }) => cpu)].map((of) => median(of).toFixed(0))),
    );
  }
  console.log(`\n${row('', 'ratio', 'least', 'most', 'floor', 'goal')}`);
  for (const { what, by, floor, goal } of LINES) {
    const ratios = rounds.map((measured) => measured[what].rate / measured[by].rate);
    const shown = [median(ratios), Math.min(...ratios), Math.max(...ratios), floor, goal];
    console.log(row(`${what} ÷ ${by}`, ...shown.map((value) => value?.toFixed(2) ?? '–')));
  }
}

function row(name: string, ...cells: readonly string[]): string {
  return name.padEnd(46) + cells.map((cell) => cell.padStart(9)).join('');
}
