import type { Atoms } from '../kernel/amount.ts';
import type { Address, AssetId, ChainId } from '../kernel/ids.ts';
import type { ChainSettings, FamilyKeys } from '../world/chains/family.ts';
import type { Outbound } from '../world/outbound/http.ts';
import type { KeyTree } from './keys.ts';
import type { TransferRail, VenueRail } from './rail.ts';
import type { TransferRequest } from './request.ts';
import type { Balance, SplitRequest } from './wire.ts';

/** What a rail may use while it opens. */
export interface RailSurroundings {
  readonly tree: KeyTree;
  /** Whether bytes that spend this were handed out. */
  isPromised(token: string): boolean;
  readonly outbound: Outbound;
}

/** What a wallet does beside paying, for callers who have no keys. */
export interface RailWallet {
  /** Deposit addresses first … first+count-1, where nobody can derive them or a wallet must know them first. */
  depositAddresses(first: number, count: number): Promise<readonly Address[]>;
  balance?(): Promise<Balance>;
  /** A split of our own outputs as the transfer to ourselves that it is. */
  asTransfer?(request: SplitRequest): TransferRequest;
}

/** The rail of the chains that share one set of deposit addresses. */
export interface OpenRail {
  /** As in the chains' facts. */
  readonly family: string;
  readonly rail: TransferRail;
  /** What the others may know. May wait for a wallet that tells its own address. */
  publicKeys(): Promise<FamilyKeys>;
  readonly wallet?: RailWallet;
  /** The signer is ready once this is there; the rail answers as soon as it can. */
  readonly opening?: Promise<unknown>;
}

/** PORT. The signer's half of a family of chains; the list in `rails/index.ts` is all that knows of it. */
export interface RailFamily {
  readonly name: string;
  /** Derives the keys and makes a rail for whatever the settings have of this family. */
  open(settings: ChainSettings, around: RailSurroundings): readonly OpenRail[];
}

/** What the settings say of the venue. */
export interface RailVenueSettings {
  readonly chainId: ChainId;
  /** The one market that may be traded, by the venue's own number. */
  readonly market: string;
  /** Where it is asked what we traded. */
  readonly url: string;
  /** Its own coin, in which the opening of accounts is paid. */
  readonly usdc: AssetId;
  /** Decimals of every token that may be sent: a caller's could turn few atoms into many coins. */
  readonly tokens: Readonly<Record<AssetId, number>>;
}

/** PORT. The signer's half of the venue: how it trades, and how it pays as one more chain. */
export interface RailVenue {
  /** Of every withdrawal, in the venue's own coin. */
  readonly withdrawalFee: Atoms;
  open(
    settings: RailVenueSettings,
    baseDecimals: number,
    around: Pick<RailSurroundings, 'tree' | 'outbound'>,
  ): { readonly venue: VenueRail; readonly transfers: OpenRail };
}
