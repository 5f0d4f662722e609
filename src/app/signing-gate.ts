import { Unasked } from '../kernel/fault.ts';
import { type ChainId, intentParts } from '../kernel/ids.ts';
import { paymentOf } from '../life/payment/payment.ts';
import type { Scope } from '../life/trip/trip.ts';
import { type SignerClient, SignerRefusal } from '../signer/client.ts';
import type { IntentKind, TransferRequest } from '../signer/request.ts';
import type { RefusalName } from '../signer/verdict.ts';
import type { Breakers } from '../store/gates.ts';
import type { VenueMove } from '../world/venues/venue.ts';

/** Everything that the signer can be asked to sign, by what it is for. */
export type SignatureKind = IntentKind | 'split' | 'trade' | `move:${VenueMove['move']}`;

/**
 * Complete by type: which breakers hold a signature, beside that of its chain. `payouts` holds all of them, also those that leave
 * nothing with anybody: who opens it does not know yet what is wrong. `refunds-only` holds all but refunds. What happens on the
 * venue's book or between its accounts is held by `venue` as well.
 */
export const HELD_BY: Readonly<Record<SignatureKind, readonly Scope[]>> = {
  payout: ['payouts', 'refunds-only'],
  refund: ['payouts'],
  fee: ['payouts', 'refunds-only'],
  fund: ['payouts', 'refunds-only'],
  gas: ['payouts', 'refunds-only'],
  sweep: ['payouts', 'refunds-only'],
  rebalance: ['payouts', 'refunds-only'],
  cold: ['payouts', 'refunds-only'],
  fill: ['payouts', 'refunds-only'],
  lend: ['payouts', 'refunds-only'],
  reclaim: ['payouts', 'refunds-only'],
  split: ['payouts', 'refunds-only'],
  trade: ['payouts', 'refunds-only', 'venue'],
  'move:send': ['payouts', 'refunds-only', 'venue'],
  'move:withdraw': ['payouts', 'refunds-only', 'venue'],
  'move:to_trading': ['payouts', 'refunds-only', 'venue'],
  'move:to_transit': ['payouts', 'refunds-only', 'venue'],
};

/** What a payment cannot leave without. */
const GOES_AHEAD: ReadonlySet<SignatureKind> = new Set<IntentKind>(['gas', 'lend']);

/**
 * Which breakers hold a transfer, for whoever is about to begin one and for the gate around the signer alike. A refund would wait for
 * ever if what must go ahead of it were not let pass with it.
 */
export function scopesOf({
  intent,
  kind,
  chainId,
}: Pick<TransferRequest, 'intent' | 'kind' | 'chainId'>): readonly Scope[] {
  const isForRefund = GOES_AHEAD.has(kind) && intentParts(paymentOf(intent)).kind === 'refund';
  return [...HELD_BY[isForRefund ? 'refund' : kind], `chain:${chainId}`];
}

/** Nothing is wrong with the world: an open breaker holds this signature, and asking again later is all there is to do. */
export class HeldByBreaker extends Unasked {
  readonly by: string;

  constructor(kind: SignatureKind, scope: Scope, reason: string) {
    super('transient', 'breaker', `${kind} is held by ${scope}: ${reason}`);
    this.by = `${scope}: ${reason}`;
  }
}

/**
 * The gate around the signer itself, so that no way to a signature passes beside it: first bytes, bytes after a proof of death,
 * a higher fee, moves on the venue, splits of our own outputs. What was signed before is followed to its end.
 */
export function guardSigner(
  signer: SignerClient,
  breakers: Breakers,
  /** The chains of a family that splits its outputs. */
  chainsOf: (family: string) => readonly ChainId[],
): SignerClient {
  const pass = async (kind: SignatureKind, scopes: readonly Scope[]): Promise<void> => {
    for (const scope of scopes) {
      const reason = await breakers.isOpen(scope);
      if (reason !== undefined) throw new HeldByBreaker(kind, scope, reason);
    }
  };
  return {
    ...signer,
    signTransfer: async (request) => {
      await pass(request.kind, scopesOf(request));
      return signer.signTransfer(request);
    },
    signTrade: async (request) => {
      await pass('trade', HELD_BY.trade);
      return signer.signTrade(request);
    },
    signMove: async (request) => {
      const kind = `move:${request.move.move}` as const;
      await pass(kind, HELD_BY[kind]);
      return signer.signMove(request);
    },
    split: async (request) => {
      await pass('split', [...HELD_BY.split, ...chainsOf(request.family).map((id) => `chain:${id}` as const)]);
      return signer.split(request);
    },
  };
}

/**
 * Complete by type: which refusals only a database explains that is not the one these requests were made from, or that somebody else
 * wrote to. Limits, settings and the outside world explain the others.
 */
const BLAMES_DATABASE: Readonly<Record<RefusalName, boolean>> = {
  unknown_chain: false,
  cannot_build: false,
  foreign_asset: false,
  bad_address: false,
  bad_intent: false,
  bad_nonce: false,
  wrong_account: false,
  wrong_kind: false,
  unknown_order: true,
  unbound_destination: true,
  over_order_amount: false,
  over_engine_limit: false,
  approval_awaited: false,
  not_our_deposit: true,
  gas_not_native: false,
  gas_over_cap: false,
  loan_over_cap: false,
  not_our_account: false,
  below_bridge_minimum: false,
  nothing_to_pay: false,
  intent_changed: true,
  amount_raised: true,
  nonce_changed: true,
  nonce_taken: true,
  never_expires: false,
  never_signed: true,
  buried_too_often: false,
  no_limit_set: false,
  over_transfer_limit: false,
  over_daily_limit: false,
  over_daily_cost: false,
  cost_over_cap: false,
  signed_otherwise: false,
  trade_changed: true,
  size_over_cap: false,
  notional_over_cap: false,
  price_out_of_bounds: false,
};

/** Tells of every request that contradicts what the signer knows, before whoever made it hears the refusal. */
export function tellRefusals(
  signer: SignerClient,
  tell: (intent: string, refused: string) => Promise<void>,
): SignerClient {
  const told = <I, O>(sign: (request: I) => Promise<O>, intentOf: (request: I) => string) => {
    return async (request: I): Promise<O> => {
      try {
        return await sign(request);
      } catch (error) {
        if (error instanceof SignerRefusal && BLAMES_DATABASE[error.refused as RefusalName])
          await tell(intentOf(request), error.refused);
        throw error;
      }
    };
  };
  return {
    ...signer,
    signTransfer: told(signer.signTransfer, ({ intent }) => intent),
    signTrade: told(signer.signTrade, ({ ticket }) => ticket.clientId),
    signMove: told(signer.signMove, ({ intent }) => intent),
  };
}

/** Work of a round that ends where a breaker holds it; the next round begins anew. */
export async function untilHeld(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof HeldByBreaker)) throw error;
  }
}
