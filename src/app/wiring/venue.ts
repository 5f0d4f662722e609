import type { Clock } from '../../kernel/clock.ts';
import { type AssetId, assetId, type TokenId } from '../../kernel/ids.ts';
import type { PublicKeys } from '../../signer/request.ts';
import type { Asset, Chain } from '../../world/chains/chain.ts';
import { XMR_ASSET } from '../../world/chains/monero/rules.ts';
import { TRX_ASSET } from '../../world/chains/tron/rules.ts';
import { ZEC_ASSET } from '../../world/chains/zcash/rules.ts';
import type { Outbound } from '../../world/outbound/http.ts';
import { openVenueChain } from '../../world/venues/hyperliquid/chain.ts';
import { USDC_DECIMALS } from '../../world/venues/hyperliquid/codec.ts';
import { USDC_TOKEN, VENUE_CHAIN } from '../../world/venues/hyperliquid/tokens.ts';
import type { ListAccounts } from '../../world/venues/hyperliquid/watch.ts';
import type { Config } from '../config.ts';

/** Of XMR1, too. */
export const VENUE_DECIMALS = USDC_DECIMALS;
export const VENUE_USDC = assetId(VENUE_CHAIN, USDC_TOKEN);

/** A coin and its wrapped form on the venue. */
export interface Bridged {
  readonly name: 'xmr' | 'trx' | 'zec';
  readonly native: Asset;
  readonly wrapped: AssetId;
  readonly decimals: number;
  readonly tokenId: TokenId;
}

/** Every coin that can be had in both forms: those whose own chain is here, too. XMR always is. */
export function bridgedOf({ venue, chains }: Config): readonly Bridged[] {
  const { trx, zec } = venue.bridges ?? {};
  return [
    bridged('xmr', XMR_ASSET, { tokenId: venue.baseTokenId, decimals: VENUE_DECIMALS }),
    ...(trx && chains.tron ? [bridged('trx', TRX_ASSET, trx)] : []),
    ...(zec && chains.zcash ? [bridged('zec', ZEC_ASSET, zec)] : []),
  ];
}

function bridged(name: Bridged['name'], native: Asset, { tokenId, decimals }: WrappedSetting): Bridged {
  const id = tokenId as TokenId;
  return { name, native, wrapped: assetId(VENUE_CHAIN, id), decimals, tokenId: id };
}

interface WrappedSetting {
  readonly tokenId: string;
  readonly decimals: number;
}

export const bridgedTokenIds = (config: Config): readonly TokenId[] => bridgedOf(config).map(({ tokenId }) => tokenId);

/** What may be sent on the venue, with its decimals: the signer believes the settings, not its callers. */
export const venueTokensOf = (config: Config): Readonly<Record<AssetId, number>> => ({
  [VENUE_USDC]: USDC_DECIMALS,
  ...Object.fromEntries(bridgedOf(config).map(({ wrapped, decimals }) => [wrapped, decimals])),
});

/** The venue as a chain. Its assets are known once it is open. */
export function openVenueAsChain(
  config: Config,
  { venueAccount: account, venueXpub: xpub }: PublicKeys,
  accounts: ListAccounts,
  outbound: Outbound,
  clock: Clock,
): Promise<Chain> {
  const { url } = config.venue;
  return openVenueChain({ url, account, xpub, tokenIds: bridgedTokenIds(config), accounts }, outbound, clock);
}
