import type { Amount } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import type { Address, AssetId } from '../../kernel/ids.ts';
import type { Ratio } from '../../kernel/ratio.ts';
import type { UsdMicros, UsdPrice } from '../../kernel/usd.ts';
import type { Asset } from '../../world/chains/chain.ts';
import type { Side } from '../../world/venues/venue.ts';

export type FeeType = 'network' | 'service' | 'integrator' | 'bridge' | 'activation';

/**
 * A term says what is taken and where; it is fixed when the order is created. A rate follows what really arrived; a
 * flat fee does not.
 */
export interface FeeTerm {
  readonly type: FeeType;
  /** Before which leg it is taken: 0 is out of the deposit, the number of legs is out of what the last one yielded. */
  readonly at: number;
  readonly asset: AssetId;
  readonly rate: Ratio | undefined;
  readonly flat: Amount | undefined;
  /** A rate that comes to less takes nothing: it would not cover its own transfer (5.4). */
  readonly least?: Amount;
}

/** Large orders are worked in chunks; one chunk is an order executed at once. */
export interface ChunkPlan {
  readonly count: number;
  /** Input of one chunk in the leg's `spend` asset; the last chunk takes what is left. */
  readonly each: Amount;
  /** All chunks together, as quoted; orders of one chunk, and those made before this was kept, have none. */
  readonly total?: Amount;
  readonly intervalMs: number;
  readonly chunkSizeUsd: number;
}

/** An asset on a chain, as far as sums in it need it. */
export interface LegAsset {
  readonly asset: AssetId;
  readonly decimals: number;
}

/** What goes in and comes out, on chains. */
interface Ends {
  readonly input: LegAsset;
  readonly output: LegAsset;
}

/** A trade on the venue's book against the treasury's balance there. */
export interface VenueLeg extends Ends {
  readonly leg: 'venue';
  readonly side: Side;
  /** What stands for the input on the venue, one to one, and what the trade yields there. */
  readonly spend: AssetId;
  readonly spendDecimals: number;
  readonly receive: AssetId;
  readonly receiveDecimals: number;
  /** Worst acceptable price, quote atoms per base atom: the private end-to-end bound. */
  readonly worstPrice: Ratio;
  readonly chunks: ChunkPlan;
}

/** A swap by whichever provider offers most when its turn comes, delivered to our own hot account. */
export interface ProviderLeg extends Ends {
  readonly leg: 'provider';
  /** Least acceptable output, in output atoms per input atom: the private end-to-end bound. */
  readonly worstRate: Ratio;
}

/** An exchange one to one for what the treasury holds of the same coin in another place. */
export interface BridgeLeg extends Ends {
  readonly leg: 'bridge';
}

export type Leg = VenueLeg | ProviderLeg | BridgeLeg;

/** Everything about the way an order is carried out that is fixed at creation. */
export interface Route {
  readonly legs: readonly Leg[];
  readonly fees: readonly FeeTerm[];
  /** Prices of that moment, for thresholds and display. */
  readonly fromPrice: UsdPrice;
  readonly toPrice: UsdPrice;
}

export interface IntegratorTerms {
  readonly integrationId: string;
  readonly percent: number;
  readonly payoutAddress: Address | undefined;
}

export interface QuoteRequest {
  readonly from: Asset;
  readonly to: Asset;
  readonly mode: 'exact_in' | 'exact_out';
  /** An amount of `from` when exact_in, of `to` when exact_out. */
  readonly amount: Amount;
  /** Who is paid, where that is known: the real payment is priced. */
  readonly payTo?: Address | undefined;
  readonly integrator: IntegratorTerms | undefined;
  readonly twap: TwapRequest | undefined;
}

/** What a client asks of chunked execution (section 2.8); its bounds are checked before. */
export interface TwapRequest {
  readonly disabled: boolean;
  readonly chunkSizeUsd: number | undefined;
  readonly intervalMs: number | undefined;
}

export interface QuotedFee {
  readonly type: FeeType;
  readonly amount: Amount;
  readonly symbol: string;
  readonly usd: UsdMicros;
}

export interface Quote {
  readonly from: Asset;
  readonly to: Asset;
  readonly mode: 'exact_in' | 'exact_out';
  readonly fromAmount: Amount;
  readonly fromUsd: UsdMicros;
  readonly toAmount: Amount;
  readonly toUsd: UsdMicros;
  /** Least output the slippage setting allows; shown by v1 only. */
  readonly minReceived: Amount;
  readonly fees: readonly QuotedFee[];
  readonly integratorFee: (QuotedFee & IntegratorTerms & { readonly payoutAddress: Address }) | undefined;
  readonly minFrom: Amount;
  readonly maxFrom: Amount;
  readonly minDepositUsd: number;
  readonly estimatedSeconds: number;
  readonly route: Route;
  readonly expiresAt: Instant;
}
