import { atoms, parseUnits } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import type { Clock, Instant } from '../../kernel/clock.ts';
import { type Address, type AssetId, assetId, type TokenId } from '../../kernel/ids.ts';
import type { Stands } from '../../life/quote/route.ts';
import type { PublicKeys } from '../../signer/request.ts';
import { type Asset, type Chain, type ChainRules, coinOf } from '../../world/chains/chain.ts';
import type { DepositBook } from '../../world/chains/family.ts';
import type { Outbound } from '../../world/outbound/http.ts';
import { VENUE } from '../../world/venues/index.ts';
import type { Venue } from '../../world/venues/venue.ts';
import type { Config } from '../config.ts';
import { assetsOf, keysOf, type OpenChain, rulesOf } from './chains.ts';
import { type ChainLater, openChainLater, openVenueLater, type VenueKnown, type VenueLater } from './open-later.ts';

/** What the venue is funded with, on its home chain. */
function homeAsset(config: Config): Asset {
  const { chainId, symbol } = VENUE.home;
  return present(
    assetsOf(config).find((asset) => asset.chainId === chainId && asset.symbol === symbol),
    `${symbol} on chain ${chainId}, with which the venue is funded,`,
  );
}

/** The chain's own coin of this symbol, if the desk has such a chain. */
const coinNamed = (config: Config, symbol: string): Asset | undefined =>
  rulesOf(config)
    .map(({ facts }) => coinOf(facts))
    .find((coin) => coin.symbol === symbol);

/** What the venue counts its own money in. */
export const venueCoin = VENUE.coin;

export const standsOf = (config: Config): Stands => ({
  base: present(coinNamed(config, VENUE.baseSymbol), `a chain of ${VENUE.baseSymbol}, which the venue trades,`).id,
  quote: homeAsset(config).id,
  wrapped: new Map(bridgedOf(config).map(({ wrapped, native }) => [wrapped, native.symbol])),
});

export const homeDecimals = (config: Config): number => homeAsset(config).decimals;
/** Whole coins of a setting as atoms of the home chain. */
export const homeAtoms = (config: Config, whole: string): bigint =>
  present(parseUnits(whole, homeDecimals(config)), whole);

/** Where the venue takes deposits on its home chain, and the least that it credits. */
export const bridgeOf = (config: Config) => ({
  asset: homeAsset(config).id,
  address: VENUE.home.bridge,
  minimum: VENUE.home.minimum,
});

/** A coin and its wrapped form on the venue. */
export interface Bridged {
  readonly name: string;
  readonly native: Asset;
  readonly wrapped: AssetId;
  readonly decimals: number;
  readonly token: TokenId;
}

/** Every coin that can be had in both forms: those whose own chain is here, too. */
export function bridgedOf(config: Config): readonly Bridged[] {
  return VENUE.wrapped(config.venue).flatMap(({ name, token, decimals }) => {
    const native = coinNamed(config, name.toUpperCase());
    return native ? [{ name, native, wrapped: assetId(VENUE.chainId, token), decimals, token }] : [];
  });
}

/** What may be sent on the venue, with its decimals: the signer believes the settings, not its callers. */
export const venueTokensOf = (config: Config): Readonly<Record<AssetId, number>> => ({
  [VENUE.coin]: VENUE.decimals,
  ...Object.fromEntries(bridgedOf(config).map(({ wrapped, decimals }) => [wrapped, decimals])),
});

const tokensOf = (config: Config): readonly TokenId[] => bridgedOf(config).map(({ token }) => token);

const around = (config: Config, keys: PublicKeys, outbound: Outbound, clock: Clock) => ({
  ...{ settings: config.venue, keys: keysOf(keys, VENUE.family), outbound, clock },
});

export const venueRulesOf = (config: Config): ChainRules => VENUE.rules(config.venue, tokensOf(config));

function fundingOf(config: Config) {
  const home = present(
    rulesOf(config).find(({ facts }) => facts.id === VENUE.home.chainId),
    `chain ${VENUE.home.chainId}`,
  );
  const address = present(home.parseAddress(VENUE.home.bridge), 'bridge address');
  return { asset: homeAsset(config).id, address };
}

export const openVenue = (config: Config, keys: PublicKeys, outbound: Outbound, clock: Clock): Promise<Venue> =>
  VENUE.open(around(config, keys, outbound, clock), tokensOf(config), fundingOf(config));

/** Finds the market and reads the venue's time, as of an account that need not exist. */
export async function lookAtVenue(
  config: Config,
  account: Address,
  outbound: Outbound,
  clock: Clock,
): Promise<Instant> {
  const venue = await openVenue(config, { [VENUE.family]: { hot: account } } as PublicKeys, outbound, clock);
  try {
    return (await venue.book()).at;
  } finally {
    await venue.close();
  }
}

/** The venue as one more chain. */
export const openVenueAsChain = (
  config: Config,
  keys: PublicKeys,
  deposits: (family: string) => DepositBook,
  outbound: Outbound,
  clock: Clock,
): Promise<Chain> => VENUE.openChain(around(config, keys, outbound, clock), tokensOf(config), deposits(VENUE.family));

/** The venue, open as soon as it answers. */
export function openVenueSoon(config: Config, keys: PublicKeys, outbound: Outbound, clock: Clock): VenueLater {
  const { chainId, home } = VENUE;
  const known: VenueKnown = {
    ...{ chainId, rules: venueRulesOf(config), account: keysOf(keys, VENUE.family).hot },
    funding: { chainId: home.chainId, minimum: atoms(home.minimum), ...fundingOf(config) },
  };
  return openVenueLater(known, () => openVenue(config, keys, outbound, clock));
}

/** The same as one more chain. */
export const openVenueChainSoon = (...around: Parameters<typeof openVenueAsChain>): OpenChain & ChainLater => {
  const [config, keys] = around;
  return {
    ...openChainLater(venueRulesOf(config), keysOf(keys, VENUE.family).hot, () => openVenueAsChain(...around)),
    ...{ scanFrom: undefined, outputPool: undefined },
  };
};
