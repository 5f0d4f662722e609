import { setTimeout as sleep } from 'node:timers/promises';
import { openSubmit } from '../src/engine/submit.ts';
import { type Handlers, startWorker } from '../src/engine/worker.ts';
import { instant } from '../src/kernel/clock.ts';
import type { OrderId } from '../src/kernel/ids.ts';
import { RULES } from '../src/life/order/rules.ts';
import { openCases } from '../src/store/cases.ts';
import { openDb } from '../src/store/db.ts';
import { openOrders } from '../src/store/orders.ts';
import { openOutbox } from '../src/store/outbox.ts';
import { openPayments } from '../src/store/payments.ts';
import type { overheard, Said } from './bare.ts';
import type { Done, Span } from './load.ts';

/** By this clock every order's time is up, so that each order of the bench is one instruction that is due. */
const clock = { now: () => instant(Date.now() + 2 * RULES.fundingWindowMs) };

const neverAsked = () => Promise.reject(new Error('this bench knows deadlines only'));
const handlers: Handlers = {
  judge_deadline: async () => ({ fact: { fact: 'deadline_passed', at: clock.now() } }),
  screen_deposit: neverAsked,
  reserve_stock: neverAsked,
  reserve_payout: neverAsked,
  work_ticket: neverAsked,
  place_leg: neverAsked,
  watch_leg: neverAsked,
  price_claim: neverAsked,
  pay_fee: neverAsked,
  price_payment: neverAsked,
  sign_transfer: neverAsked,
  send_transfer: neverAsked,
  watch_transfer: neverAsked,
  check_settlement: neverAsked,
  adopt_drift: neverAsked,
  count_cold: neverAsked,
};

const TAKEN = { name: 'bench_taken', text: 'SELECT count(*) AS n FROM history' };
const QUIET = { info: () => {}, warn: () => {}, error: () => {} };

export interface Transitions {
  /** The one statement that commits a passed deadline, about the sample order. */
  readonly commit: readonly Said[];
  /** A real worker on whatever is due: its transitions. */
  work(span: Span): Promise<Done>;
}

export async function openTransitions(
  url: string,
  { db, during }: ReturnType<typeof overheard>,
  sample: string,
): Promise<Transitions> {
  const key = `${sample}:0:0`;
  const fact = { fact: 'deadline_passed', at: clock.now() } as const;
  const said = await during(() =>
    openSubmit(openOrders(db), openPayments(db), RULES, clock).submit(sample as OrderId, key, fact, { completes: key }),
  );
  return {
    commit: said.filter(({ statement }) => statement.name === 'step_commit'),
    work: (span) => work(url, span),
  };
}

/** How often it is looked whether enough was done. */
const LOOK_MS = 100;

async function work(url: string, { ms, least }: Span): Promise<Done> {
  const db = openDb(url);
  const session = await db.session();
  const taken = async () => Number((await db.query(TAKEN))[0]?.n);
  const before = await taken();
  const startedAt = performance.now();
  const worker = await startWorker({
    outbox: openOutbox(db),
    cases: openCases(db, clock),
    submit: openSubmit(openOrders(db), openPayments(db), RULES, clock),
    handlers,
    clock,
    log: QUIET,
    session,
    onLost: () => {},
    id: 1,
    caseAfterMs: RULES.caseAfterMs,
    stockPatienceMs: RULES.stockPatienceMs,
  });
  // On a busy machine a short round may see none at first, and a measure of nothing is none.
  do await sleep(Math.max(ms, LOOK_MS));
  while ((await taken()) - before < Math.max(least, 1));
  await worker.stop();
  const seconds = (performance.now() - startedAt) / 1000;
  const count = (await taken()) - before;
  await session.close();
  await db.close();
  return { count, seconds };
}
