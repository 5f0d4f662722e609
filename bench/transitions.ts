import { setTimeout as sleep } from 'node:timers/promises';
import { openSubmit } from '../src/engine/submit.ts';
import { type Handlers, startWorker } from '../src/engine/worker.ts';
import { instant } from '../src/kernel/clock.ts';
import type { OrderId } from '../src/kernel/ids.ts';
import { RULES } from '../src/life/order/rules.ts';
import { openCases } from '../src/store/cases.ts';
import { type Db, openDb, type Row, type Statement } from '../src/store/db.ts';
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
  collect_again: neverAsked,
  open_adopted: neverAsked,
  adopt_drift: neverAsked,
  count_cold: neverAsked,
};

const QUIET = { info: () => {}, warn: () => {}, error: () => {} };

export interface Transitions {
  /** The one statement that commits a passed deadline, about the sample order. */
  readonly commit: readonly Said[];
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
    work: openWork(url, 1),
  };
}

/** How often it is looked whether enough was done. */
const LOOK_MS = 100;

/** The same database, and how many steps were committed through it. */
function counting(db: Db): { readonly db: Db; taken(): number } {
  let count = 0;
  const query: Db['query'] = async <R extends Row>(statement: Statement, values?: readonly unknown[]) => {
    const rows = await db.query<R>(statement, values);
    if (statement.name === 'step_commit')
      count += ((rows[0]?.results ?? []) as readonly unknown[]).filter((result) => result === 'ok').length;
    return rows;
  };
  return { db: { ...db, query }, taken: () => count };
}

/** A real worker, with this number, on whatever is due: its own transitions. Its connections stay open from one span to the next. */
export function openWork(url: string, id: number): (span: Span) => Promise<Done> {
  const { db, taken } = counting(openDb(url));
  return async ({ ms, least }) => {
    const session = await db.session();
    const before = taken();
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
      id,
      caseAfterMs: RULES.caseAfterMs,
      stockPatienceMs: RULES.stockPatienceMs,
    });
    // On a busy machine a short round may see none at first, and a measure of nothing is none.
    do await sleep(Math.max(ms, LOOK_MS));
    while (taken() - before < Math.max(least, 1));
    await worker.stop();
    const seconds = (performance.now() - startedAt) / 1000;
    await session.close();
    return { count: taken() - before, seconds };
  };
}
