import { base32nopad } from '@scure/base';
import { atoms, scale } from '../kernel/amount.ts';
import { present } from '../kernel/assert.ts';
import { type BoundPurpose, bindDestination, type Place, writeCharter } from '../kernel/binding.ts';
import {
  type Address,
  type AssetId,
  type OrderId,
  parseOrderId,
  parseSessionId,
  type SessionId,
} from '../kernel/ids.ts';
import { percent } from '../kernel/ratio.ts';
import { isRefusal, type Refusal } from '../kernel/refusal.ts';
import { draftOrder } from '../life/order/create.ts';
import { feeAssetOf } from '../life/order/fee-destination.ts';
import type { Bridge, Destination, Generation, SkippedFee } from '../life/order/order.ts';
import type { Quote, QuoteRequest } from '../life/quote/quote.ts';
import type { Placed } from '../store/orders.ts';
import { type Caller, sessionHash } from './caller.ts';
import type { ApiDeps } from './deps.ts';
import { openingsOf } from './quota.ts';
import { outsideBoundsIn, quoteOf } from './swap-request.ts';

export interface Wanted {
  readonly generation: Generation;
  readonly request: QuoteRequest;
  readonly toAddress: Address;
  readonly refundAddress: Address | undefined;
  /** The order gets a new identity unless one is given. */
  readonly identity?: Identity | undefined;
  /** An order may join a session; it has its own otherwise. */
  readonly session: SessionId | undefined;
}

/** The kind tells swaps from bridges in either direction; an order's id begins with it (D3). */
export const ORDER_KINDS = ['sw', 'dep', 'wd'] as const;
export type OrderKind = (typeof ORDER_KINDS)[number];

/** What an order is called, and the credential of its owner. */
export interface Identity {
  readonly id: OrderId;
  readonly session: SessionId;
}

export interface PlacedWithSession extends Placed {
  /** The owner's credential; it is not kept. */
  readonly session: SessionId;
}

export async function createOrder(wanted: Wanted, caller: Caller, deps: ApiDeps): Promise<PlacedWithSession | Refusal> {
  const quote = await quoteOf({ ...wanted.request, payTo: wanted.toAddress }, deps);
  if (isRefusal(quote)) return quote;
  const feeSkipped = skippedFee(wanted.request, quote);
  const kept = { ...wanted, quote, bridge: undefined, feeSkipped };
  return outsideBoundsIn(wanted.request, quote) ?? keepOrder(kept, caller, deps);
}

/** A bridge takes whatever comes, so there is no amount to be judged. */
export async function createBridge(
  wanted: Omit<Quoted, 'bridge'> & { readonly bridge: Bridge },
  caller: Caller,
  deps: ApiDeps,
): Promise<PlacedWithSession | Refusal> {
  return keepOrder(wanted, caller, deps);
}

interface Quoted extends Omit<Wanted, 'request'> {
  readonly quote: Quote;
  readonly bridge: Bridge | undefined;
  readonly feeSkipped?: SkippedFee | undefined;
}

async function keepOrder(wanted: Quoted, caller: Caller, deps: ApiDeps): Promise<PlacedWithSession | Refusal> {
  const { quote, bridge, refundAddress } = wanted;
  const id = wanted.identity?.id ?? newOrderId(kindOf(bridge), deps.randomBytes);
  const session = wanted.session ?? wanted.identity?.session ?? newSession(deps.randomBytes);
  const payout = { asset: quote.to.id, address: wanted.toAddress };
  const refundTo = refundAddress && { asset: quote.from.id, address: refundAddress };
  const feeTo = quote.integratorFee && {
    asset: feeAssetOf(quote.route, quote.from.id),
    address: quote.integratorFee.payoutAddress,
  };
  const draft = draftOrder(
    {
      id,
      generation: wanted.generation,
      ...(bridge ? { bridge } : {}),
      quote,
      chain: present(deps.catalog.chain(quote.from.chainId), 'chain of a quoted asset').facts,
      destination: payout,
      charter: charter(id, quote, { payout, refund: refundTo, fee: feeTo }, deps),
      askedAs: wanted.session && wanted.identity && sessionHash(wanted.identity.session, deps),
      refundTo,
      feeSkipped: wanted.feeSkipped,
      feeTo,
      now: deps.clock.now(),
    },
    deps.rules,
  );
  const owner = {
    sessionHash: sessionHash(session, deps),
    integrationId: caller.partner?.integrationId,
    keyId: caller.partner?.keyId,
    clientHash: caller.clientHash,
    ...(caller.endUserHash ? { endUserHash: caller.endUserHash } : {}),
  };
  const placed = await deps.desk.create(draft, owner, openingsOf(caller, draft.createdAt));
  return isRefusal(placed) ? placed : { ...placed, session };
}

/** Asked for by the integration or the request, and yet not a part of the quote (5.4). */
function skippedFee({ integrator }: QuoteRequest, { integratorFee }: Quote): SkippedFee | undefined {
  if (!integrator || integratorFee) return undefined;
  return { percent: integrator.percent, reason: integrator.payoutAddress ? 'too_small' : 'no_address' };
}

/** The proof that this address was accepted for an order that was made before; the signer checks it before it pays. */
export function bound(
  id: OrderId,
  purpose: Exclude<BoundPurpose, 'fund'>,
  asset: AssetId,
  address: Address,
  { binder }: ApiDeps,
): Destination {
  return { asset, address, binding: bindDestination(binder, id, purpose, asset, address) };
}

/** Rates move between the quote and the trade; what rises further is paid on the engine's word. */
const RISE = percent('110');

interface Places {
  readonly payout: Destination;
  readonly refund: Destination | undefined;
  readonly fee: Destination | undefined;
}

/**
 * The most that goes back, the most that is paid, and the addresses that were given with it: one signature over all. A bridge is made for
 * its minimum: nobody says beforehand how much comes.
 */
function charter(
  id: OrderId,
  { fromAmount, toAmount }: Quote,
  { payout, refund, fee }: Places,
  { binder }: ApiDeps,
): string {
  const most = atoms(scale(toAmount, RISE, 'up').atoms || 1n);
  return writeCharter(binder, id, {
    gives: { asset: fromAmount.asset, most: fromAmount.atoms },
    gets: { asset: payout.asset, most, address: payout.address },
    places: [...placeOf('refund', refund), ...placeOf('fee', fee)],
  });
}

const placeOf = (purpose: Place['purpose'], to: Destination | undefined): readonly Place[] =>
  to ? [{ purpose, asset: to.asset, address: to.address }] : [];

const kindOf = (bridge: Bridge | undefined): OrderKind =>
  (({ none: 'sw', deposit: 'dep', withdraw: 'wd' }) as const)[bridge?.direction ?? 'none'];

type RandomBytes = ApiDeps['randomBytes'];

/** An id is its kind and 160 random bits in 32 letters (D3). */
export function newOrderId(kind: OrderKind, randomBytes: RandomBytes): OrderId {
  return present(parseOrderId(`${kind}_${base32nopad.encode(randomBytes(20)).toLowerCase()}`), 'new order id');
}

/** A session is a UUID v4 (RFC 9562): 122 random bits with version and variant set. */
export function newSession(randomBytes: RandomBytes): SessionId {
  const bytes = Buffer.from(randomBytes(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const text = bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return present(parseSessionId(text), 'new session id');
}
