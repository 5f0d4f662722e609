import { sameAccount } from '../kernel/account.ts';
import type { Atoms } from '../kernel/amount.ts';
import { isBoundFill } from '../kernel/binding.ts';
import type { Instant } from '../kernel/clock.ts';
import { assetId, type ChainId, tokenOf } from '../kernel/ids.ts';
import type { Delegated } from '../world/chains/chain.ts';
import { unapproved, unapprovedLife } from './approval.ts';
import {
  type Cap,
  coldMeter,
  costMeter,
  dearerBy,
  exceeds,
  FILL_METER,
  gasMeter,
  isExcluded,
  isOutflow,
  limitOf,
  metersFor,
  worth,
} from './limits.ts';
import { type HeldTransfer, nonceClaims, type Past } from './memory.ts';
import { bound, overEngine, overOrder } from './order-policy.ts';
import type { TransferRail } from './rail.ts';
import type { IntentKind, TransferRequest } from './request.ts';
import { type Ground, type Refusal, refuse, type Verdict } from './verdict.ts';

type Check = (request: TransferRequest, rail: TransferRail, ground: Ground) => Refusal | undefined;

/** The order in which a transfer is judged: is it well made, may money go there, is it the same as before, is it too much. */
export function judgeTransfer(request: TransferRequest, rail: TransferRail, ground: Ground): Verdict {
  for (const check of [wellMade, destination]) {
    const refusal = check(request, rail, ground);
    if (refusal) return refusal;
  }
  const held = ground.past.transfer(request.intent);
  if (held) return judgeAgain(request, held, rail, ground);
  // Somebody saw bytes that are not in this journal: it is not the one that knows what was paid.
  if (request.afterDead) return refuse('never_signed', `${request.intent} by ${request.afterDead}`);
  return nonceFree(request, ground) ?? tooMuch(request, ground) ?? 'sign';
}

const wellMade: Check = (request, rail) => {
  const { intent, owner, asset, chainId, to, nonce } = request;
  if (!intent.startsWith(`${owner}:`)) return refuse('bad_intent', `${intent} does not belong to ${owner}`);
  // Limits, bindings and meters go by the id as text, so there is one spelling of it alone.
  if (assetId(chainId, tokenOf(asset)) !== asset) return refuse('foreign_asset', `${asset} is not on chain ${chainId}`);
  if (rail.canonical(to) !== to) return refuse('bad_address', `chain ${chainId} cannot pay ${to}`);
  if ((nonce === undefined) === rail.hasNonces) return refuse('bad_nonce', `chain ${chainId}, nonce ${nonce}`);
  const isMisplaced = request.delegated && !(rail.delegates && request.kind === 'sweep');
  if (isMisplaced) return refuse('cannot_build', `a ${request.kind} on chain ${chainId} that another account sends`);
  const objection = rail.objection(request);
  return objection === undefined ? undefined : refuse('cannot_build', objection);
};

const DESTINATIONS: { readonly [K in IntentKind]: Check } = {
  payout: (request, _, ground) => fromHot(request) ?? bound(request, ground.house),
  refund: (request, rail, ground) => {
    // Money that was never collected goes back from where it lies, so that it mixes with nobody else's.
    if (!rail.addressOf(request.from)) return refuse('wrong_account', 'deposits have no account of their own here');
    return bound(request, ground.house);
  },
  fee: (request, _, ground) => fromHot(request) ?? bound(request, ground.house),
  fund: (request, _, ground) => fromHot(request) ?? bound(request, ground.house),
  gas: (request, rail, ground) => fromHot(request) ?? gas(request, rail, ground),
  sweep: (request, rail) => {
    if (request.from === 'hot') return refuse('wrong_account', 'a sweep empties a deposit account');
    if (!rail.addressOf(request.from)) return refuse('wrong_account', 'deposits have no account of their own here');
    return request.to === rail.addressOf('hot') ? undefined : refuse('not_our_account', `a sweep to ${request.to}`);
  },
  rebalance: (request, rail, ground) => fromHot(request) ?? rebalance(request, rail, ground),
  cold: (request, rail, ground) => fromHot(request) ?? cold(request, rail, ground),
  fill: (request, rail, ground) => fromHot(request) ?? fill(request, rail, ground),
  lend: (request, rail) => fromHot(request) ?? loan(request, rail) ?? overLoan(request, rail),
  reclaim: (request, rail) => fromHot(request) ?? loan(request, rail),
};

const destination: Check = (request, rail, ground) => {
  /** A transfer of nothing to ourselves is how a gap in the nonces is filled. */
  const fillsGap = request.kind === 'rebalance' && request.to === rail.addressOf('hot');
  if (request.atoms === 0n && !fillsGap) return refuse('nothing_to_pay', `${request.intent} pays nothing`);
  return DESTINATIONS[request.kind](request, rail, ground);
};

function fromHot(request: TransferRequest): Refusal | undefined {
  return request.from === 'hot' ? undefined : refuse('wrong_account', `a ${request.kind} is paid by the hot account`);
}

/** The chain's own coin, for a deposit address that we have derived ourselves. */
function forOurDeposit({ chainId, asset, to, toDeposit }: TransferRequest, rail: TransferRail): Refusal | undefined {
  const ours = toDeposit === undefined ? undefined : rail.addressOf({ deposit: toDeposit });
  if (ours !== to) return refuse('not_our_deposit', `${to} is not deposit address ${toDeposit}`);
  return asset === rail.nativeAsset(chainId) ? undefined : refuse('gas_not_native', asset);
}

/** Nobody is paid and nothing is spent but bandwidth of whoever has staked: a thief can only keep energy from being used. */
const loan = (request: TransferRequest, rail: TransferRail): Refusal | undefined =>
  rail.lends ? forOurDeposit(request, rail) : refuse('wrong_kind', `nothing is lent on chain ${request.chainId}`);

function overLoan({ atoms }: TransferRequest, { lends }: TransferRail): Refusal | undefined {
  const most = lends?.most ?? 0n;
  return atoms > most ? refuse('loan_over_cap', `${atoms} of at most ${most}`) : undefined;
}

const gas: Check = (request, rail, { house }) => {
  const { chainId, atoms } = request;
  const refusal = forOurDeposit(request, rail);
  if (refusal) return refusal;
  const cap = house.limits.chains[chainId]?.gas;
  if (cap === undefined) return refuse('no_limit_set', `gas on chain ${chainId}`);
  return exceeds(atoms, cap) ? refuse('gas_over_cap', `${atoms} of at most ${cap}`) : undefined;
};

const rebalance: Check = ({ asset, atoms, to }, rail, { house }) => {
  const { bridge } = house;
  if (to === rail.addressOf('hot')) return undefined;
  if (asset !== bridge.asset || to !== bridge.address) return refuse('not_our_account', `a rebalance to ${to}`);
  return atoms < bridge.minimum ? refuse('below_bridge_minimum', `${atoms} of at least ${bridge.minimum}`) : undefined;
};

/** Nobody can name a cold store to the signer: its settings do, and a thief who asks for this only makes his work harder. */
const cold: Check = ({ owner, asset, to }, rail, { house }) => {
  if (owner !== 'treasury') return refuse('wrong_kind', 'what goes to a cold store is no order’s');
  const isCold = house.cold[asset]?.address === to && to !== rail.addressOf('hot');
  return isCold ? undefined : refuse('not_our_account', `${to} is no cold store of ${asset}`);
};

/** Whom the engine names is paid for stock, where the settings let it spend anything on that. */
const fill: Check = ({ owner, asset, to, binding = '' }, _, { house }) => {
  if (owner !== 'treasury' || house.fills === undefined) return refuse('wrong_kind', 'no stock is bought from here');
  if (isBoundFill(house.binders.engine, binding, asset, to)) return undefined;
  return refuse('unbound_destination', `${to} was not agreed on for stock`);
};

/** All of it rests on the word of the engine, and all fills of a day on one limit more. */
function overFills(request: TransferRequest, ground: Ground): Refusal | undefined {
  const { kind, asset, atoms } = request;
  const limit = limitOf(ground.house.limits, asset);
  if (kind !== 'fill' || !limit) return undefined;
  const usd = worth(limit, atoms);
  return overEngine(request, usd, ground) ?? overADay(FILL_METER, usd, ground.house.fills, ground);
}

/**
 * All artefacts of one intent pay the same thing to the same place from the same nonce, so that at most one takes effect.
 * A higher fee asks for a replacement, a proof of death for bytes of a later time; anything else for the bytes that exist.
 */
function judgeAgain(request: TransferRequest, held: HeldTransfer, rail: TransferRail, ground: Ground): Verdict {
  const { first, latest } = held;
  const same =
    request.kind === first.kind &&
    request.chainId === first.chainId &&
    request.asset === first.asset &&
    request.to === first.to &&
    isDelegatedAlike(request.delegated, first.delegated) &&
    sameAccount(request.from, first.from);
  if (!same)
    return refuse('intent_changed', `${request.intent} was signed as ${first.kind} of ${first.asset} to ${first.to}`);
  if (request.nonce !== first.nonce) return refuse('nonce_changed', `${request.intent} uses nonce ${first.nonce}`);
  if (request.atoms > latest.atoms) return refuse('amount_raised', `${request.intent} pays ${latest.atoms}`);
  if (request.afterDead && !rail.isOver)
    return refuse('never_expires', `what was signed for ${request.intent} on chain ${request.chainId}`);
  if (followsDead(request, held, rail, ground)) return mayNotFollow(request, held, ground) ?? 'sign';
  if (rail.outbids(request.fee, latest.fee)) return 'sign';
  return request.atoms === latest.atoms
    ? { repeat: held.place }
    : refuse('intent_changed', `${request.intent} pays ${latest.atoms}`);
}

/** Other bytes would use another account's nonce, or another nonce of the same: both could take effect. */
export const isDelegatedAlike = (a: Delegated | undefined, b: Delegated | undefined): boolean =>
  (a === undefined) === (b === undefined) && a?.authorize === b?.authorize;

/** The caller looked for these very bytes and no others, and by our own clock their time is over. */
function followsDead(request: TransferRequest, held: HeldTransfer, rail: TransferRail, { now }: Ground): boolean {
  return request.afterDead === held.txHash && isOver(held, rail, now);
}

/** Whether by our own clock the latest bytes can take effect no more. */
export const isOver = ({ latest, at }: HeldTransfer, rail: TransferRail | undefined, now: Instant): boolean =>
  rail?.isOver?.(latest.fee, at, now) === true;

/** Bytes die now and then; an intent whose bytes die again and again is one that somebody wants to be paid again and again. */
const MOST_BURIALS = 3;

function mayNotFollow(request: TransferRequest, held: HeldTransfer, ground: Ground): Refusal | undefined {
  const { burials, txHash } = held;
  const isTooOften = burials >= MOST_BURIALS;
  if (isTooOften && !ground.house.approval)
    return refuse('buried_too_often', `${request.intent} was signed ${burials + 1} times`);
  return tooMuch(request, ground) ?? (isTooOften ? unapprovedLife(request, txHash, ground) : undefined);
}

function nonceFree(request: TransferRequest, { past }: Ground): Refusal | undefined {
  for (const claim of nonceClaims(request)) {
    const refusal = claimFree(claim, request.intent, past);
    if (refusal) return refusal;
  }
  return undefined;
}

export function claimFree(claim: string, claimant: string, past: Past): Refusal | undefined {
  const holder = past.holder(claim);
  return holder === undefined || holder === claimant ? undefined : refuse('nonce_taken', `${claim} serves ${holder}`);
}

/**
 * A token that nobody listed has no limit, because nobody can say what it is worth. What came of it to a deposit account
 * never mixed with anybody else's, so it may go back to the address that its order was bound to, and nowhere else.
 */
function tooMuch(request: TransferRequest, ground: Ground): Refusal | undefined {
  const { kind, chainId, asset, atoms, from } = request;
  const { limits } = ground.house;
  if (kind === 'gas') return overADay(gasMeter(chainId), atoms, limits.chains[chainId]?.gasPerDay, ground);
  if (kind === 'cold') return overADay(coldMeter(asset), atoms, ground.house.cold[asset]?.perDay, ground);
  const isUnlisted = !limitOf(limits, asset) && kind === 'refund' && from !== 'hot';
  const refusal =
    overOrder(request, ground) ?? overFills(request, ground) ?? (isUnlisted ? undefined : outflow(request, ground));
  // Last, so that nobody is asked about what is refused anyhow.
  return refusal ?? unapproved(request, ground);
}

/** All limits of the asset, and the one over all assets, for money that leaves our control. */
function outflow(request: TransferRequest, ground: Ground): Refusal | undefined {
  const { kind, asset, atoms } = request;
  if (!isOutflow(kind)) return undefined;
  const { limits } = ground.house;
  const limit = limitOf(limits, asset);
  if (!limit) return refuse('no_limit_set', asset);
  if (exceeds(atoms, limit.perTransfer)) {
    return refuse('over_transfer_limit', `${atoms} of at most ${limit.perTransfer} ${asset}`);
  }
  const meters = metersFor(request);
  return (
    overADay(meters.asset, atoms, limit.perDay, ground) ??
    overADay(meters.usd, worth(limit, atoms), limits.usdPerDay, ground)
  );
}

/**
 * Once more, when the bytes are there and before they are handed out: other accounts may have used the same limits
 * meanwhile, and only now is it known what these cost.
 */
export function lastLook(request: TransferRequest, cost: Atoms, ground: Ground): Refusal | undefined {
  const isCounted = isExcluded(request, ground.past.transfer(request.intent));
  return (isCounted ? undefined : tooMuch(request, ground)) ?? tooDear(request, cost, ground);
}

function tooDear(request: TransferRequest, cost: Atoms, ground: Ground): Refusal | undefined {
  const { chainId, intent } = request;
  return overCost(chainId, cost, dearerBy(request, { cost }, ground.past.transfer(intent)), ground);
}

/** `more`: what it may cost beyond what is counted already. */
export function overCost(
  chainId: ChainId,
  cost: bigint,
  more: bigint,
  { house, past, now }: Ground,
): Refusal | undefined {
  const limit = house.limits.chains[chainId];
  if (!limit) return refuse('no_limit_set', `cost on chain ${chainId}`);
  if (exceeds(cost, limit.cost)) return refuse('cost_over_cap', `${cost} of at most ${limit.cost}`);
  const total = past.spent(costMeter(chainId), now) + more;
  return exceeds(total, limit.costPerDay)
    ? refuse('over_daily_cost', `${total} of at most ${limit.costPerDay} on chain ${chainId} in 24 hours`)
    : undefined;
}

export function overADay(
  meter: string,
  atoms: bigint,
  most: Cap | undefined,
  { past, now }: Ground,
): Refusal | undefined {
  if (most === undefined) return refuse('no_limit_set', meter);
  const total = past.spent(meter, now) + atoms;
  return exceeds(total, most)
    ? refuse('over_daily_limit', `${meter}: ${total} of at most ${most} in 24 hours`)
    : undefined;
}
