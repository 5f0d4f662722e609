import { type Amount, add, atLeast, isZero, scale, subtract, zero } from '../../../kernel/amount.ts';
import { assert } from '../../../kernel/assert.ts';
import { type Instant, later } from '../../../kernel/clock.ts';
import { type Ratio, ratio } from '../../../kernel/ratio.ts';
import { move } from '../../payment/posting.ts';
import { boundedChunk, countChunks, nextChunk } from '../../quote/chunk-plan.ts';
import type { VenueLeg } from '../../quote/quote.ts';
import type { Of } from '../fact.ts';
import type { Order } from '../order.ts';
import type { Rules } from '../rules.ts';
import type { Execution, In } from '../state.ts';
import { accountOf, enter, type Outcome, type Step, stay, then, withPostings } from '../step.ts';
import { giveBack, giveBackPart } from './deposit.ts';
import { budgetAt, feesAt } from './fees.ts';
import { bridged, exchangedForHot, legDone, legOf } from './leg.ts';

export function venueLegOf(order: Order, index: number): VenueLeg {
  const leg = legOf(order, index);
  assert(leg.leg === 'venue', `leg ${index} of ${order.id} is not the venue's`);
  return leg;
}

/** Exchanges what is to be traded for the treasury's balance on the venue. Fees stay behind until it has worked. */
export function stockReserved(order: Order, state: In<'stocking'>, fact: Of<'stock_reserved'>): Step {
  const { leg, held, stock } = state;
  const { leg: kind } = legOf(order, leg);
  if (kind === 'provider') return exchangedForHot(order, state, fact.at);
  if (kind === 'bridge') return bridged(order, state, fact.at);
  const run = firstChunk(venueLegOf(order, leg), leg, stock);
  const due = fact.at;
  return withPostings(
    enter(order, { phase: 'trading', leg, held, run }, { effect: 'work_ticket', chunk: 0, attempt: 0, due }),
    move(accountOf(order), 'treasury', budgetAt(order, leg, held)),
    move('treasury', accountOf(order), stock),
  );
}

function firstChunk(leg: VenueLeg, index: number, stock: Amount): Execution {
  const nothing = zero(leg.receive);
  const each = chunkSize(leg, stock);
  const chunks = countChunks(stock, each);
  return {
    leg: index,
    total: stock,
    spent: zero(leg.spend),
    got: nothing,
    chunk: 0,
    attempt: 0,
    chunks,
    chunkLeft: nextChunk(stock, each),
    idleSince: undefined,
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
  if (isZero(fact.spent)) return tryAgain(order, state, fact.at, rules);
  const finishes = fact.last || atLeast(fact.spent, run.chunkLeft);
  const spent = finishes ? run.chunkLeft : fact.spent;
  const got = finishes ? scale(fact.got, share(spent, fact.spent), 'down') : fact.got;
  const next: Execution = {
    ...run,
    spent: add(run.spent, spent),
    got: add(run.got, got),
    chunkLeft: subtract(run.chunkLeft, spent),
    idleSince: undefined,
  };
  return withPostings(
    goOn(order, state, next, fact.at),
    move(accountOf(order), 'treasury', spent),
    move('treasury', 'world', fact.spent),
    move('world', 'treasury', fact.got),
    move('treasury', accountOf(order), got),
  );
}

const share = (part: Amount, whole: Amount): Ratio => ratio(part.atoms, whole.atoms);

/** The book offered nothing acceptable: it is looked at again for a while, and then no more. */
function tryAgain(order: Order, state: In<'trading'>, at: Instant, rules: Rules): Step {
  const idleSince = state.run.idleSince ?? at;
  if (at >= later(idleSince, rules.tradePatienceMs)) return stop(order, state, at);
  const run = { ...state.run, attempt: state.run.attempt + 1, idleSince };
  return work(order, state, run, later(at, rules.retryTicketMs));
}

/** The same chunk again, the next one, or the end of the leg. */
function goOn(order: Order, state: In<'trading'>, run: Execution, at: Instant): Step {
  if (!isZero(run.chunkLeft)) return work(order, state, { ...run, attempt: run.attempt + 1 }, at);
  const left = subtract(run.total, run.spent);
  if (isZero(left)) return legDone({ ...order, traded: run }, state, run.got, at);
  const leg = venueLegOf(order, state.leg);
  const chunkLeft = nextChunk(left, chunkSize(leg, run.total));
  return work(
    order,
    state,
    { ...run, chunk: run.chunk + 1, attempt: 0, chunkLeft },
    later(at, Math.ceil(leg.chunks.intervalMs)),
  );
}

function work(order: Order, state: In<'trading'>, run: Execution, due: Instant): Step {
  const { chunk, attempt } = run;
  return enter(order, { ...state, run }, { effect: 'work_ticket', chunk, attempt, due });
}

const BAD_MARKET = 'the market could not carry it out at an acceptable price';

/** What was not traded is exchanged back and owed to its sender; what was traded, if anything, goes on and bears its fees. */
function stop(order: Order, { leg, held, run }: In<'trading'>, at: Instant): Step {
  const left = subtract(run.total, run.spent);
  const unspent = scale(budgetAt(order, leg, held), share(left, run.total), 'down');
  const exchanged = withPostings(
    stay({ ...order, traded: run }),
    move(accountOf(order), 'treasury', left),
    move('treasury', accountOf(order), unspent),
  );
  if (isZero(run.spent))
    return then(exchanged, (now) => giveBack(now, { amount: held, from: 'hot', reason: BAD_MARKET, isOurs: true }));
  const worked = scale(held, share(run.spent, run.total), 'up');
  const rest = subtract(add(unspent, feesAt(order, leg, held)), feesAt(order, leg, worked));
  const parted = isZero(rest)
    ? exchanged
    : then(exchanged, (now) => giveBackPart(now, { amount: rest, from: 'hot', reason: BAD_MARKET, isOurs: true }));
  return then(parted, (now) => legDone(now, { leg, held: worked }, run.got, at));
}
