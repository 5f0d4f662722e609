import { type Amount, add, atLeast, isZero, scale, smaller, subtract, zero } from '../../../kernel/amount.ts';
import { assert } from '../../../kernel/assert.ts';
import { type Instant, later } from '../../../kernel/clock.ts';
import { type Ratio, ratio } from '../../../kernel/ratio.ts';
import { move } from '../../payment/posting.ts';
import { countChunks, nextChunk } from '../../quote/chunk-plan.ts';
import type { VenueLeg } from '../../quote/quote.ts';
import type { Of } from '../fact.ts';
import type { Order } from '../order.ts';
import type { Rules } from '../rules.ts';
import type { Execution, In } from '../state.ts';
import { accountOf, enter, type Outcome, type Step, stay, then, withPostings } from '../step.ts';
import { chunkSize, stockFor } from './exchange.ts';
import { budgetAt, feesAt } from './fees.ts';
import { giveBack, giveBackPart } from './give-back.ts';
import { bridged, exchangedForHot, legDone, legOf } from './leg.ts';
import { shortage } from './shortage.ts';

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
  const on = venueLegOf(order, leg);
  const before = state.run ?? firstChunk(on, leg, stockFor(on, budgetAt(order, leg, held)));
  const run = { ...before, reserved: add(before.reserved, stock) };
  const due = state.run ? later(fact.at, Math.ceil(on.chunks.intervalMs)) : fact.at;
  return withPostings(
    work(order, { phase: 'trading', leg, held, run }, run, due),
    move(
      accountOf(order),
      'treasury',
      subtract(exchangedFor(order, leg, held, run), exchangedFor(order, leg, held, before)),
    ),
    move('treasury', accountOf(order), stock),
  );
}

/** What of the leg's budget was given for what is reserved so far; all of it for all, whatever is rounded on the way. */
const exchangedFor = (order: Order, leg: number, held: Amount, { reserved, total }: Execution): Amount =>
  scale(budgetAt(order, leg, held), share(reserved, total), 'down');

/**
 * An order that is not begun may be taken back when it has waited too long. One that is under way ends there: what is traded
 * goes on, and the rest goes back.
 */
export function stockShort(order: Order, state: In<'stocking'>, fact: Of<'inventory_short'>, rules: Rules): Step {
  const { leg, held, run } = state;
  const short = shortage(state, fact, rules);
  if (short.isOverdue && run) return stop(order, { leg, held, run }, fact.at, UNSERVED);
  return stay({ ...order, state: { ...state, ...short } });
}

function firstChunk(leg: VenueLeg, index: number, stock: Amount): Execution {
  const nothing = zero(leg.receive);
  const each = chunkSize(leg, stock);
  const chunks = countChunks(stock, each);
  return {
    leg: index,
    total: stock,
    reserved: zero(leg.spend),
    spent: zero(leg.spend),
    got: nothing,
    chunk: 0,
    attempt: 0,
    chunks,
    chunkLeft: nextChunk(stock, each),
    idleSince: undefined,
  };
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
  if (at >= later(idleSince, rules.tradePatienceMs)) return stop(order, state, at, BAD_MARKET);
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
  const next: Execution = { ...run, chunk: run.chunk + 1, attempt: 0, chunkLeft };
  const stocking: In<'stocking'> = {
    phase: 'stocking',
    leg: state.leg,
    held: state.held,
    stock: chunkLeft,
    shortOf: undefined,
  };
  return enter(order, { ...stocking, run: next }, { effect: 'reserve_stock' });
}

function work(order: Order, state: In<'trading'>, run: Execution, due: Instant): Step {
  const { chunk, attempt } = run;
  return enter(order, { ...state, run }, { effect: 'work_ticket', chunk, attempt, due });
}

const BAD_MARKET = 'the market could not carry it out at an acceptable price';

const UNSERVED = 'the rest could not be served in time';

/** What was not traded is exchanged back and owed to its sender; what was traded, if anything, goes on and bears its fees. */
function stop(order: Order, { leg, held, run }: Omit<In<'trading'>, 'phase'>, at: Instant, reason: string): Step {
  const budget = budgetAt(order, leg, held);
  const left = subtract(run.total, run.spent);
  const unspent = scale(budget, share(left, run.total), 'down');
  // What was never exchanged is there already; rounding may leave an atom more of it than is due.
  const kept = subtract(budget, exchangedFor(order, leg, held, run));
  const exchanged = withPostings(
    stay({ ...order, traded: run }),
    move(accountOf(order), 'treasury', subtract(run.reserved, run.spent)),
    move('treasury', accountOf(order), subtract(unspent, smaller(unspent, kept))),
    move(accountOf(order), 'treasury', subtract(kept, smaller(unspent, kept))),
  );
  if (isZero(run.spent))
    return then(exchanged, (now) => giveBack(now, { amount: held, from: 'hot', reason, isOurs: true }));
  const worked = scale(held, share(run.spent, run.total), 'up');
  const rest = subtract(add(unspent, feesAt(order, leg, held)), feesAt(order, leg, worked));
  const parted = isZero(rest)
    ? exchanged
    : then(exchanged, (now) => giveBackPart(now, { amount: rest, from: 'hot', reason, isOurs: true }));
  return then(parted, (now) => legDone(now, { leg, held: worked }, run.got, at));
}
