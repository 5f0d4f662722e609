/**
 * npm run bench:second [-- --short]
 * What a second API and a second engine add on one database: twice the work of one, if they shared nothing. Each process has a quarter of a
 * core, so that two of them, the database and whoever asks fit on two cores: what is measured is whether they wait for each other, not the computer.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { testDatabase } from '../sandbox/nodes/postgres.ts';
import { buildBench } from '../scripts/build.ts';
import type { Address } from '../src/kernel/ids.ts';
import { Secret } from '../src/kernel/secret.ts';
import { openDb } from '../src/store/db.ts';
import { migrate } from '../src/store/migrate.ts';
import { clock, makeAddresses } from './api.ts';
import { type Done, load, requestBytes, type Span } from './load.ts';
import { catalog, USDC } from './market.ts';
import type { FromMember } from './member.ts';
import { newPartner } from './reports.ts';
import { CONNECTIONS, moneroAddresses, swapBodies } from './swap.ts';

const { values: flags } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
const ROUNDS = flags.short ? 1 : 7;
const SLICE: Span = { ms: flags.short ? 300 : 2_000, least: 1 };
const WARM_UP: Span = { ms: 0, least: flags.short ? 20 : 2_000 };
/** Orders that wait to be worked on; no worker with a quarter of a core does so many in a slice. */
const WAITING = flags.short ? 300 : 3_000;
const ADDRESSES = flags.short ? 5_000 : 200_000;
const BODIES = 4_096;
const FLOOR = 1.5;
const GOAL = 1.7;

const hashKey = randomBytes(32);
const database = await testDatabase(async (url) => void (await migrate(url)));
const db = openDb(database.url, 2);
await makeAddresses(db, ADDRESSES);
const feeAddress = catalog.chain(USDC.chainId)?.facts.addressExample as Address;
const key = await newPartner(db, { id: 'int_bench', feeAddress }, new Secret<Uint8Array>(hashKey), clock.now());
await db.close();

const built = await buildBench();
interface Member {
  readonly child: ChildProcess;
  readonly port: number;
}
const hear = async (child: ChildProcess): Promise<FromMember> => (await once(child, 'message'))[0] as FromMember;
const members = await Promise.all([1, 2].map(start));
async function start(number: number): Promise<Member> {
  const child = fork(built.member, [database.url, hashKey.toString('hex'), `${number}`], { execArgv: [] });
  const told = await hear(child);
  if (!('port' in told)) throw new Error('a member that does not say where it is');
  return { child, port: told.port };
}

const posts = swapBodies(BODIES, moneroAddresses(BODIES)).map((body) =>
  requestBytes({ method: 'POST', path: '/v2/swaps', headers: { 'x-integrator-key': key }, body }),
);
const quotes = swapBodies(BODIES, moneroAddresses(256)).map((body) =>
  requestBytes({ method: 'POST', path: '/v2/swaps/quote', headers: { 'x-integrator-key': key }, body }),
);
const ask = (requests: readonly Buffer[]) => (of: Member, span: Span) =>
  load({ port: of.port, connections: CONNECTIONS, span, requests });
const workOf = async ({ child }: Member, span: Span): Promise<Done> => {
  child.send(span);
  const told = await hear(child);
  if (!('done' in told)) throw new Error('a member that speaks of something else');
  return told.done;
};

interface Kind {
  readonly what: string;
  readonly run: (of: Member, span: Span) => Promise<Done>;
  /** Work that comes before each measure, with the whole computer. */
  readonly prepare?: () => Promise<unknown>;
}
const create = ask(posts);
const KINDS: readonly Kind[] = [
  { what: 'POST /v2/swaps/quote', run: ask(quotes) },
  { what: 'POST /v2/swaps', run: create },
  {
    what: 'worker transitions',
    run: workOf,
    prepare: () => Promise.all(members.map((one) => create(one, { ms: 0, least: WAITING / members.length }))),
  },
];

/** Units of work a second that these do together. */
async function together({ run, prepare }: Kind, of: readonly Member[], span: Span): Promise<number> {
  await prepare?.();
  const quarter = fork(
    join(import.meta.dirname, 'quarter.ts'),
    of.map(({ child }) => `${child.pid}`),
    {},
  );
  await once(quarter, 'message');
  const done = await Promise.all(of.map((one) => run(one, span)));
  quarter.disconnect();
  await once(quarter, 'exit');
  return done.reduce((sum, { count, seconds }) => sum + count / seconds, 0);
}

const median = (all: readonly number[]): number => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
console.log(`${'two together ÷ one alone'.padEnd(28)}   ratio   least    most   floor    goal`);
for (const kind of KINDS) {
  await together(kind, members, WARM_UP);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const alone = members.slice(round % 2, (round % 2) + 1);
    const one = round % 2 === 0 ? await together(kind, alone, SLICE) : 0;
    const two = await together(kind, members, SLICE);
    ratios.push(two / (one || (await together(kind, alone, SLICE))));
  }
  const shown = [median(ratios), Math.min(...ratios), Math.max(...ratios), FLOOR, GOAL].map((value) =>
    value.toFixed(2).padStart(8),
  );
  console.log(`${kind.what.padEnd(28)}${shown.join('')}`);
}
for (const { child } of members) child.disconnect();
await database.drop();
process.exit(0);
