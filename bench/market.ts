import { makeCatalog } from '../src/catalog/catalog.ts';
import { atoms } from '../src/kernel/amount.ts';
import { type Clock, instant } from '../src/kernel/clock.ts';
import { assetId, type ChainId, chainId, chainOf, type TokenId } from '../src/kernel/ids.ts';
import { percent, ratio, ratioFromDecimal } from '../src/kernel/ratio.ts';
import { openQuotes, QUOTE_DEFAULTS } from '../src/life/quote/quotes.ts';
import { routesOf } from '../src/life/quote/route.ts';
import type { Asset, ChainRules } from '../src/world/chains/chain.ts';
import { evmNetwork } from '../src/world/chains/evm/networks.ts';
import { evmRules } from '../src/world/chains/evm/rules.ts';
import { MONERO_DEFAULTS, MONERO_ID, moneroRules, XMR_ASSET } from '../src/world/chains/monero/rules.ts';
import type { Book, Level, Market } from '../src/world/venues/venue.ts';

const ARBITRUM = evmRules(evmNetwork(42161));
const MONERO = moneroRules(MONERO_DEFAULTS);
const VENUE = chainId(1337);
const DECIMALS = 8;

const venueAsset = (token: string, symbol: string): Asset => ({
  id: assetId(VENUE, token as TokenId),
  chainId: VENUE,
  token: token as TokenId,
  symbol,
  name: symbol,
  decimals: DECIMALS,
  native: false,
});
const XMR1 = venueAsset('0xbb2057659bd378d17e2e151bb04bdcaa', 'XMR1');
const VENUE_USDC = venueAsset('0x6d1e7cde53ba9467b783cb7c530ce054', 'USDC');
const VENUE_RULES: ChainRules = {
  ...ARBITRUM,
  facts: { ...ARBITRUM.facts, id: VENUE, name: 'Venue', family: 'venue', assets: [XMR1, VENUE_USDC] },
};

const usdcOf = ({ facts }: ChainRules): Asset => {
  const found = facts.assets.find(({ symbol }) => symbol === 'USDC');
  if (!found) throw new Error(`${facts.name} has no USDC`);
  return found;
};

export const USDC = usdcOf(ARBITRUM);
export const XMR = XMR_ASSET;
const STANDS = { base: XMR.id, quote: USDC.id, wrapped: new Map() };

export const catalog = makeCatalog([ARBITRUM, MONERO], VENUE_RULES, { isRouted: routesOf(STANDS, []) });

const MARKET: Market = {
  name: 'XMR1/USDC',
  base: XMR1.id,
  baseDecimals: DECIMALS,
  quote: VENUE_USDC.id,
  quoteDecimals: DECIMALS,
  lot: atoms(1_000_000n),
  minNotional: atoms(10n * 10n ** 8n),
  takerFee: ratio(7n, 10_000n),
  wire: {},
};

/** Twenty levels a side, as the venue shows them. */
const LEVELS = 20;
const level = (dollars: number): Level => ({ price: ratioFromDecimal(String(dollars)), size: atoms(50n * 10n ** 8n) });
const side = (from: number, step: number) => Array.from({ length: LEVELS }, (_, place) => level(from + place * step));

/** The venue's adapter answers a burst of quotes with one book; so does this. */
const BOOK_AGE_MS = 250;

const costOn = (chain: ChainId) => atoms(chain === MONERO_ID ? 44_000_000n : 10n ** 13n);

/** The real quotes over a book that is always the same and always new. */
export function benchQuotes(clock: Clock) {
  let kept: Book = { bids: [], asks: [], at: instant(0) };
  const book = (): Book => {
    if (clock.now() - kept.at >= BOOK_AGE_MS) kept = { bids: side(300, -1), asks: side(301, 1), at: clock.now() };
    return kept;
  };
  return openQuotes({
    catalog,
    venue: {
      market: MARKET,
      book: async () => book(),
      prices: async () => new Map([['ETH', ratio(3_000n, 1n)]]),
    },
    stands: STANDS,
    payoutPrice: async (asset) => ({ usual: costOn(chainOf(asset)), opening: atoms(0n) }),
    networkCost: async (chain) => costOn(chain),
    providers: [],
    hot: () => undefined,
    settings: {
      ...QUOTE_DEFAULTS,
      serviceFee: percent('0.3'),
      endToEndSlippage: percent('3'),
      perLegSlippage: percent('1'),
      offeredBeyond: percent('10'),
      largestOrderUsd: 250_000,
    },
    clock,
  });
}
