import { present } from '../kernel/assert.ts';
import {
  type BoundPurpose,
  type Charter,
  isBoundAmount,
  isBoundDestination,
  isBoundPurpose,
  namesPlace,
  readCharter,
} from '../kernel/binding.ts';
import { chainOf, type OrderId } from '../kernel/ids.ts';
import { exceeds, limitOf, metersFor, worth } from './limits.ts';
import type { TransferRequest } from './request.ts';
import { type Binders, type Ground, type House, type Refusal, refuse } from './verdict.ts';

/** Where money of an order goes, it goes by somebody's signature, and only some may give it. */
const MAY_BIND: Readonly<Record<BoundPurpose, readonly (keyof Binders)[]>> = {
  payout: ['api', 'engine'],
  refund: ['api', 'engine'],
  fee: ['api'],
  fund: ['engine'],
};

/** A payment of an order: that of a kind that is bound. */
interface OrderPayment extends TransferRequest {
  readonly kind: BoundPurpose;
  readonly owner: OrderId;
}

const isOfOrder = (request: TransferRequest): request is OrderPayment =>
  isBoundPurpose(request.kind) && request.owner !== 'treasury';

/** The order was made, and the address was accepted for it by somebody who may. */
export function bound(request: TransferRequest, house: House): Refusal | undefined {
  const { kind, owner, to } = request;
  if (!isOfOrder(request)) return refuse('wrong_kind', `a ${kind} belongs to an order`);
  const charter = charterOf(request, house);
  if (!charter) return refuse('unknown_order', `${owner} was not made by whoever takes orders`);
  if (boundBy(request, charter, house)) return undefined;
  return refuse('unbound_destination', `${to} was not accepted as the ${kind} address of ${owner}`);
}

const charterOf = ({ owner, charter = '' }: OrderPayment, { binders }: House): Charter | undefined =>
  readCharter(binders.api, owner, charter);

function boundBy(request: OrderPayment, charter: Charter, { binders }: House): keyof Binders | undefined {
  const { owner, kind, asset, to, binding = '' } = request;
  const may = MAY_BIND[kind];
  if (may.includes('api') && namesPlace(charter, { purpose: kind, asset, address: to })) return 'api';
  return may.find(
    (who) =>
      isBoundDestination(binders[who], binding, owner, kind, asset, to) &&
      (who === 'api' || kind !== 'payout' || isSamePlace(request, charter)),
  );
}

/** The engine binds a payout only as another asset to the address that the customer gave. */
const isSamePlace = ({ to, asset }: OrderPayment, { gets }: Charter): boolean =>
  to === gets.address && chainOf(asset) === chainOf(gets.asset);

/**
 * What an order was made for is paid once: as what was wanted, or back, or a part of each. Whatever goes beyond it must have
 * been bound again, in all that is paid for that purpose, by whoever carries orders out; and that has limits of its own.
 */
export function overOrder(request: TransferRequest, ground: Ground): Refusal | undefined {
  if (!isOfOrder(request)) return undefined;
  const { owner, kind, asset } = request;
  const { limits } = ground.house;
  const { total, beyond, engines } = standing(request, ground);
  if (beyond > 0n && !isRaised(request, total, ground.house))
    return refuse('over_order_amount', `${owner} would be paid ${total} of ${asset} as ${kind}, ${beyond} too much`);
  const limit = limitOf(limits, asset);
  // Nobody can say what such a token is worth; it leaves no account but the one that it came to.
  return engines === 0n || !limit ? undefined : overEngine(request, worth(limit, engines), ground);
}

/** What rests on the word of whoever carries orders out has limits of its own. */
export function overEngine(request: TransferRequest, usd: bigint, ground: Ground): Refusal | undefined {
  const { usdPerTransfer, usdPerDay } = ground.house.limits.engine;
  if (exceeds(usd, usdPerTransfer))
    return refuse('over_engine_limit', `${usd} of at most ${usdPerTransfer} millionths of a dollar in one transfer`);
  const day = ground.past.spent(metersFor(request).engine, ground.now) + usd;
  return exceeds(day, usdPerDay)
    ? refuse('over_engine_limit', `${day} of at most ${usdPerDay} millionths of a dollar in 24 hours`)
    : undefined;
}

/** Atoms that rest on the engine's word alone: what it sends to addresses that it bound, and what goes beyond the order. */
export const onEngine = (request: TransferRequest, ground: Ground): bigint =>
  isOfOrder(request) ? standing(request, ground).engines : request.kind === 'fill' ? request.atoms : 0n;

function standing(request: OrderPayment, { house, past }: Ground) {
  const { owner, kind, asset, atoms, intent } = request;
  const charter = present(charterOf(request, house), `charter of ${owner}`);
  const paid: Paid = (as, of) => past.paid(owner, as, of, intent);
  const beyond = beyondCharter(request, charter, paid);
  const isEngines = boundBy(request, charter, house) === 'engine';
  return { total: paid(kind, asset) + atoms, beyond, engines: isEngines ? atoms : beyond };
}

/** What the order was paid by its other intents. */
type Paid = (kind: BoundPurpose, asset: TransferRequest['asset']) => bigint;

/** Shares of two amounts are added as mine / most + theirs / most, and compared with one, without a division. */
function beyondCharter({ kind, asset, atoms }: OrderPayment, { gives, gets }: Charter, paid: Paid): bigint {
  const isBack = kind === 'refund' && asset === gives.asset;
  if (!isBack && !(kind === 'payout' && asset === gets.asset)) return atoms;
  const [mine, other] = isBack ? [gives, gets] : [gets, gives];
  const theirs = isBack ? paid('payout', gets.asset) : paid('refund', gives.asset);
  const over = (paid(kind, asset) + atoms) * other.most + theirs * mine.most - mine.most * other.most;
  if (over <= 0n) return 0n;
  const beyond = (over + other.most - 1n) / other.most;
  return beyond < atoms ? beyond : atoms;
}

function isRaised({ owner, kind, asset, raised }: OrderPayment, total: bigint, { binders }: House): boolean {
  if (!raised || total > raised.most) return false;
  return isBoundAmount(binders.engine, raised.binding, owner, kind, asset, raised.most);
}
