import type { Instant } from '../kernel/clock.ts';
import {
  compare,
  lessThanOneBy,
  ONE,
  oneMoreThan,
  type Ratio,
  ratio,
  ratioFromDecimal,
  times,
} from '../kernel/ratio.ts';
import { BOUGHT_METER, exceeds, isPriceSane, notional, SOLD_METER } from './limits.ts';
import { nonceClaim } from './memory.ts';
import { claimFree, overADay, overCost } from './policy.ts';
import type { OwnTrade, VenueRail } from './rail.ts';
import type { MoveRequest, TradeRequest } from './request.ts';
import { type Ground, type Refusal, refuse, type Verdict } from './verdict.ts';
import { toWire } from './wire.ts';

/** A ticket is signed once: one client id, one nonce, one body. */
export function judgeTrade(request: TradeRequest, rail: VenueRail, ground: Ground): Verdict {
  const { clientId, nonce, size } = request.ticket;
  const objection = rail.tradeObjection(request);
  if (objection !== undefined) return refuse('cannot_build', objection);
  const held = ground.past.trade(clientId);
  if (held)
    return sameRequest(request, held.first)
      ? { repeat: held.place }
      : refuse('trade_changed', `${clientId} was signed otherwise`);
  if (size === 0n) return refuse('nothing_to_pay', `${clientId} trades nothing`);
  return (
    claimFree(nonceClaim(rail.chainId, 'hot', nonce), clientId, ground.past) ?? tradeLimits(request, ground) ?? 'sign'
  );
}

function tradeLimits({ ticket }: TradeRequest, ground: Ground): Refusal | undefined {
  const { trades } = ground.house.limits;
  if (exceeds(ticket.size, trades.size)) return refuse('size_over_cap', `${ticket.size} of at most ${trades.size}`);
  if (!isPriceSane(ticket, trades.price)) return refuse('price_out_of_bounds', `${ticket.side} at ${ticket.limit}`);
  const value = notional(ticket, trades);
  if (exceeds(value, trades.notional)) return refuse('notional_over_cap', `${value} of at most ${trades.notional}`);
  return ticket.side === 'sell'
    ? overADay(SOLD_METER, ticket.size, trades.sellPerDay, ground)
    : overADay(BOUGHT_METER, value, trades.notionalPerDay, ground);
}

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/**
 * Whoever trades with the desk on both sides of the book would begin far from the market. No price may lie further from any of
 * our own trades of a day than `perHour` for each hour that has begun since: not below them to sell, nor above them to buy.
 */
export function offOwnTrades(
  { ticket }: TradeRequest,
  trades: readonly OwnTrade[],
  perHour: Ratio,
  now: Instant,
): Refusal | undefined {
  const price = ratioFromDecimal(ticket.limit);
  const isOff = ({ price: ours, at }: OwnTrade): boolean => {
    const hours = Math.max(1, Math.ceil((now - at) / HOUR_MS));
    if (hours > DAY_HOURS) return false;
    const slack = times(perHour, ratio(BigInt(hours), 1n));
    if (ticket.side === 'buy') return compare(price, times(ours, oneMoreThan(slack))) > 0;
    return compare(slack, ONE) < 0 && compare(price, times(ours, lessThanOneBy(slack))) < 0;
  };
  return trades.some(isOff)
    ? refuse('price_out_of_bounds', `${ticket.side} at ${ticket.limit}, away from our own trades`)
    : undefined;
}

/** A move is signed once: one intent, one nonce, one body. */
export function judgeMove(request: MoveRequest, rail: VenueRail, ground: Ground): Verdict {
  const { intent, owner, move } = request;
  if (!intent.startsWith(`${owner}:`)) return refuse('bad_intent', `${intent} does not belong to ${owner}`);
  const objection = rail.moveObjection(request);
  if (objection !== undefined) return refuse('cannot_build', objection);
  const misdirected = moveDestination(request, rail);
  if (misdirected) return misdirected;
  const held = ground.past.move(intent);
  if (held)
    return sameRequest(request, held.first)
      ? { repeat: held.place }
      : refuse('intent_changed', `${intent} was signed otherwise`);
  if (move.atoms === 0n) return refuse('nothing_to_pay', `${intent} moves nothing`);
  const refusal =
    claimFree(nonceClaim(rail.chainId, 'hot', move.nonce), intent, ground.past) ??
    withdrawalLimits(request, rail, ground);
  return refusal ?? 'sign';
}

/** It comes to ourselves, but for what the venue takes of it. */
export function withdrawalLimits({ move }: MoveRequest, rail: VenueRail, ground: Ground): Refusal | undefined {
  if (move.move !== 'withdraw') return undefined;
  const { withdrawalFee: fee, leastWithdrawal: least } = rail;
  if (move.atoms < least) return refuse('below_bridge_minimum', `${move.atoms} of at least ${least}`);
  return overCost(rail.chainId, fee, fee, ground);
}

/** Orders are paid by transfers: a move stays between accounts of our own. */
function moveDestination(request: MoveRequest, rail: VenueRail): Refusal | undefined {
  const { move } = request;
  if (move.move === 'to_trading' || move.move === 'to_transit') return treasuryOnly(request);
  const { to } = move;
  if (rail.canonical(to) !== to) return refuse('bad_address', `the venue cannot pay ${to}`);
  const isOurs = to === rail.account;
  return treasuryOnly(request) ?? (isOurs ? undefined : refuse('not_our_account', `a ${move.move} to ${to}`));
}

function treasuryOnly({ kind, owner, move }: MoveRequest): Refusal | undefined {
  if (kind === 'rebalance' && owner === 'treasury') return undefined;
  return refuse('wrong_kind', `${move.move} is the treasury's, to rebalance`);
}

/** Requests come through one shape, so equal ones are spelt alike but for the order of wire names. */
function sameRequest<R extends TradeRequest | MoveRequest>(a: R, b: R): boolean {
  return canonicalText(a) === canonicalText(b);
}

function canonicalText(request: TradeRequest | MoveRequest): string {
  return toWire({ ...request, wire: Object.entries(request.wire).sort(([a], [b]) => (a < b ? -1 : 1)) });
}
