import { type Amount, add, amount, atLeast, isZero, rescale, scale, subtract, zero } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import { type Instant, later } from '../../../kernel/clock.ts';
import { type Ratio, ratio } from '../../../kernel/ratio.ts';
import { boundedChunk, countChunks, nextChunk } from '../../quote/chunks.ts';
import type { VenueLeg } from '../../quote/quote.ts';
import type { Fact } from '../event.ts';
import type { Order } from '../order.ts';
import type { Rules } from '../rules.ts';
import type { Execution, State } from '../state.ts';
import { accountOf, enter, move, type Outcome, type Step, stay, then, withPostings } from '../step.ts';
import { refundAll } from './deposit.ts';
import { inputFees } from './fees.ts';
import { startPayout } from './payout.ts';

type Of<K extends Fact['fact']> = Extract<Fact, { fact: K }>;
type In<P extends State['phase']> = Extract<State, { phase: P }>;

export function legOf(order: Order, leg: number): VenueLeg {
  return present(order.route.legs[leg], `leg ${leg} of ${order.id}`);
}

/** The same value on the venue: another number of decimals, rounded down. */
function onVenue(order: Order, leg: VenueLeg, value: Amount): Amount {
  return amount(leg.spend, rescale(value.atoms, order.from.decimals, leg.spendDecimals, 'down'));
}

/** Exchanges what is to be traded for the treasury's balance on the venue. Fees stay behind until it has worked. */
export function stockReserved(order: Order, fact: Of<'stock_reserved'>): Step {
  const leg = legOf(order, 0);
  const budget = subtract(order.used, inputFees(order));
  const stock = onVenue(order, leg, budget);
  const run = firstChunk(leg, stock, fact.at);
  const due = fact.at;
  return withPostings(
    enter(order, { phase: 'trading', run }, { effect: 'work_ticket', chunk: 0, attempt: 0, due }),
    move(accountOf(order), 'treasury', budget),
    move('treasury', accountOf(order), stock),
  );
}

function firstChunk(leg: VenueLeg, stock: Amount, at: Instant): Execution {
  const nothing = zero(leg.receive);
  const each = chunkSize(leg, stock);
  const chunks = countChunks(stock, each);
  return {
    startedAt: at,
    leg: 0,
    total: stock,
    spent: zero(leg.spend),
    got: nothing,
    chunk: 0,
    attempt: 0,
    chunks,
    chunkLeft: nextChunk(stock, each),
  };
}

/** What was to be worked at once is, however much arrived. */
function chunkSize(leg: VenueLeg, stock: Amount): Amount {
  return leg.chunks.count === 1 ? stock : boundedChunk(stock, leg.chunks.each);
}

/** One ticket can fill no further: the customer's share of it is theirs, the rest of the lot is the treasury's. */
export function ticketDone(order: Order, state: In<'trading'>, fact: Of<'ticket_done'>, rules: Rules): Outcome {
  const { run } = state;
  if (fact.chunk !== run.chunk || fact.attempt !== run.attempt) return 'ignore';
  const settled = settleTicket(order, run, fact);
  const left = settled.order.state.phase === 'trading' ? settled.order.state.run : run;
  return then(settled, (now) => continueTrading(now, left, fact, rules));
}

function settleTicket(order: Order, run: Execution, fact: Of<'ticket_done'>): Step {
  if (isZero(fact.spent)) return stay(order);
  const finishes = fact.last || atLeast(fact.spent, run.chunkLeft);
  const spent = finishes ? run.chunkLeft : fact.spent;
  const got = finishes ? scale(fact.got, share(spent, fact.spent), 'down') : fact.got;
  const next: Execution = {
    ...run,
    spent: add(run.spent, spent),
    got: add(run.got, got),
    chunkLeft: subtract(run.chunkLeft, spent),
  };
  return withPostings(
    stay({ ...order, state: { phase: 'trading', run: next } }),
    move(accountOf(order), 'treasury', spent),
    move('treasury', 'world', fact.spent),
    move('world', 'treasury', fact.got),
    move('treasury', accountOf(order), got),
  );
}

const share = (part: Amount, whole: Amount): Ratio => ratio(part.atoms, whole.atoms);

function continueTrading(order: Order, run: Execution, fact: Of<'ticket_done'>, rules: Rules): Step {
  if (!isZero(run.chunkLeft)) {
    const isHopeless = isZero(run.spent) && fact.at >= later(run.startedAt, rules.tradePatienceMs);
    if (isHopeless) return unwind(order, run);
    const attempt = run.attempt + 1;
    const due = isZero(fact.spent) ? later(fact.at, rules.retryTicketMs) : fact.at;
    return enter(
      order,
      { phase: 'trading', run: { ...run, attempt } },
      { effect: 'work_ticket', chunk: run.chunk, attempt, due },
    );
  }
  const left = subtract(run.total, run.spent);
  if (isZero(left)) return startPayout(order, run, fact.at);
  const leg = legOf(order, run.leg);
  const next: Execution = {
    ...run,
    chunk: run.chunk + 1,
    attempt: 0,
    chunkLeft: nextChunk(left, chunkSize(leg, run.total)),
  };
  const due = later(fact.at, leg.chunks.intervalMs);
  return enter(order, { phase: 'trading', run: next }, { effect: 'work_ticket', chunk: next.chunk, attempt: 0, due });
}

/** Nothing was traded: the stock goes back to the treasury, the deposit goes back to its sender. */
function unwind(order: Order, run: Execution): Step {
  const budget = subtract(order.used, inputFees(order));
  const back = withPostings(
    stay(order),
    move(accountOf(order), 'treasury', run.total),
    move('treasury', accountOf(order), budget),
  );
  return then(back, (now) => refundAll(now, 'the market could not carry it out at an acceptable price', 'hot'));
}
