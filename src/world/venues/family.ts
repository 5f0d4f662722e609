import type { TSchema } from '@sinclair/typebox';
import type { Clock } from '../../kernel/clock.ts';
import type { Address, AssetId, ChainId, TokenId } from '../../kernel/ids.ts';
import type { Chain, ChainRules } from '../chains/chain.ts';
import type { DepositBook, FamilyKeys } from '../chains/family.ts';
import type { Outbound } from '../outbound/http.ts';
import type { Venue } from './venue.ts';

/** `venue` of the settings after it was checked; only the venue reads it. */
export type VenueSettings = Readonly<Record<string, unknown>>;

/** A coin's wrapped form on the venue, under the name that the bridge calls have for the coin. */
export interface Wrapped {
  readonly name: string;
  readonly token: TokenId;
  readonly decimals: number;
}

export interface VenueSurroundings {
  readonly settings: VenueSettings;
  readonly keys: FamilyKeys;
  readonly outbound: Outbound;
  readonly clock: Clock;
}

/** PORT. Everything that a venue is, in one value; `index.ts` is all that knows which one it is. */
export interface VenueFamily {
  /** Under this the signer tells its keys, and its deposit addresses are pooled. */
  readonly family: string;
  readonly chainId: ChainId;
  /** The shape of `venue` in the settings. */
  readonly settings: TSchema;
  /** The venue's own coin, in which it trades and the opening of accounts is paid. */
  readonly coin: AssetId;
  /** Decimals of the coin and of the token that is traded for it. */
  readonly decimals: number;
  /** What the market's base stands for on the chains: the chain's own coin of this symbol. */
  readonly baseSymbol: string;
  /** Where the venue's coin comes from: the asset of this symbol on its home chain, sent to its bridge. */
  readonly home: {
    readonly chainId: ChainId;
    readonly symbol: string;
    readonly bridge: string;
    /** In atoms of the home chain; the bridge keeps anything smaller for itself. */
    readonly minimum: bigint;
  };
  /** The one market that is traded, by the venue's own number for orders. Pure. */
  market(settings: VenueSettings): string;
  /** Where it is asked. Pure. */
  url(settings: VenueSettings): string;
  /** Every coin that is to be had here in wrapped form. Pure. */
  wrapped(settings: VenueSettings): readonly Wrapped[];
  /** The pure half of the venue as one more chain, by the settings alone; opening it fails for good where they are wrong. */
  rules(settings: VenueSettings, tokens: readonly TokenId[]): ChainRules;
  open(
    around: VenueSurroundings,
    tokens: readonly TokenId[],
    funding: { asset: AssetId; address: Address },
  ): Promise<Venue>;
  /** The venue as one more chain. */
  openChain(around: VenueSurroundings, tokens: readonly TokenId[], deposits: DepositBook): Promise<Chain>;
}
