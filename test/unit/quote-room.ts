import { type Catalog, makeCatalog } from '../../src/catalog/catalog.ts';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Address, assetId, chainId, chainOf, type TokenId } from '../../src/kernel/ids.ts';
import { type Ratio, ratio, ratioFromDecimal } from '../../src/kernel/ratio.ts';
import type { Quote, QuoteRequest } from '../../src/life/quote/quote.ts';
import { openQuotes, QUOTE_DEFAULTS, type Quotes, type QuotesDeps } from '../../src/life/quote/quotes.ts';
import { routesOf } from '../../src/life/quote/route.ts';
import type { Asset, ChainFacts, ChainRules } from '../../src/world/chains/chain.ts';
import type { Provider } from '../../src/world/providers/provider.ts';
import type { Book, Level, Market } from '../../src/world/venues/venue.ts';

function asset(chain: number, token: string, symbol: string, decimals: number, native: boolean): Asset {
  const id = chainId(chain);
  return {
    id: assetId(id, token as TokenId),
    chainId: id,
    token: token as TokenId,
    symbol,
    name: symbol,
    decimals,
    native,
  };
}

export const XMR = asset(0, 'XMR', 'XMR', 12, true);
export const USDC = asset(42161, '0xusdc', 'USDC', 6, false);
export const ETH = asset(42161, '0x0', 'ETH', 18, true);
export const XMR1 = asset(1337, '0xb', 'XMR1', 8, false);
export const VENUE_USDC = asset(1337, '0xq', 'USDC', 8, true);
export const BTC = asset(2, 'BTC', 'BTC', 8, true);
export const SOL = asset(3, 'SOL', 'SOL', 9, true);
export const SOL_USDT = asset(3, 'usdt', 'USDT', 6, false);
export const STANDS = { base: XMR.id, quote: USDC.id, wrapped: new Map() };

function rules(assets: readonly [Asset, ...Asset[]], name: string, rest: Partial<ChainFacts>): ChainRules {
  const facts: ChainFacts = {
    id: assets[0].chainId,
    name,
    family: 'evm',
    nativeSymbol: assets[0].symbol,
    assets,
    minSwapUsd: 20,
    addressExample: 'a',
    deposits: 'top_up',
    collectsTokens: false,
    feePayer: 'sender',
    feeField: 'feeAddress',
    requiredConfirmations: 1,
    largeConfirmations: 20,
    depositSeconds: 100,
    payoutSeconds: 10,
    stuck: { afterMs: 60_000, remedy: 'outbid' },
    ...rest,
  };
  return {
    facts,
    parseAddress: (text) => (/^[a-z]{1,9}$/.test(text) ? (text as Address) : undefined),
    parseToken: (text) => assets.find((known) => known.token === text)?.token,
    refusesDestination: (address) => (address === ('zero' as Address) ? 'nobody holds it' : undefined),
    depositUri: (address) => address,
  };
}

const ARBITRUM = rules([ETH, USDC], 'Arbitrum', { collectsTokens: true });
const MONERO = rules([XMR], 'Monero', { family: 'monero', deposits: 'as_it_comes', minSwapUsd: 25 });
const BITCOIN = rules([BTC], 'Bitcoin', { family: 'bitcoin', minSwapUsd: 40 });
const SOLANA = rules([SOL, SOL_USDT], 'Solana', { family: 'solana', collectsTokens: true, feePayer: 'hot' });
const VENUE = rules([XMR1, VENUE_USDC], 'Hyperliquid', { family: 'venue' });

export function catalogOf(
  isOurs: (address: Address) => boolean = () => false,
  providers: readonly Provider[] = [],
): Catalog {
  const isRouted = routesOf(STANDS, providers);
  return makeCatalog([ARBITRUM, MONERO, BITCOIN, SOLANA], VENUE, { isOurs, isRouted });
}

export const MARKET: Market = {
  name: 'XMR1/USDC',
  base: XMR1.id,
  baseDecimals: 8,
  quote: VENUE_USDC.id,
  quoteDecimals: 8,
  lot: atoms(1_000_000n),
  minNotional: atoms(10n * 10n ** 8n),
  takerFee: ratio(7n, 10_000n),
  wire: {},
};

/** `[price, size]` in dollars and whole coins. */
export const level = ([price, size]: readonly [string, bigint]): Level => ({
  price: ratioFromDecimal(price),
  size: atoms(size * 10n ** 8n),
});

export const BOOK: Book = {
  bids: (
    [
      ['300', 10n],
      ['299', 50n],
      ['295', 500n],
    ] as const
  ).map(level),
  asks: (
    [
      ['301', 10n],
      ['302', 50n],
      ['306', 500n],
    ] as const
  ).map(level),
  at: instant(0),
};

export const PRICES: [string, Ratio][] = [
  ['ETH', ratio(3_000n, 1n)],
  ['BTC', ratio(100_000n, 1n)],
  ['SOL', ratio(200n, 1n)],
];

export const SETTINGS = {
  ...QUOTE_DEFAULTS,
  serviceFee: ratio(3n, 1_000n),
  endToEndSlippage: ratio(3n, 100n),
  perLegSlippage: ratio(1n, 100n),
  offeredBeyond: ratio(10n, 100n),
  largestOrderUsd: 250_000,
};

export interface Room extends Quotes {
  /** How often the outside world was asked, by what was asked. */
  readonly asked: Record<string, number>;
  wait(ms: number): void;
}

const COSTS = new Map<number, bigint>([
  [XMR.chainId, 100_000_000n],
  [ETH.chainId, 10n ** 13n],
  [BTC.chainId, 1_000n],
  [SOL.chainId, 10_000n],
]);

/** Transfers cost $0.03 on Arbitrum (0.00001 ETH), 0.0001 XMR, 0.00001 BTC = $1, 0.00001 SOL = $0.002. */
export function room(
  change: Partial<QuotesDeps> & { readonly book?: Book; readonly prices?: [string, Ratio][] } = {},
): Room {
  const asked: Record<string, number> = { book: 0, prices: 0, cost: 0 };
  const count = (what: string) => {
    asked[what] = (asked[what] ?? 0) + 1;
  };
  let now = 1_000;
  const quotes = openQuotes({
    catalog: catalogOf(),
    venue: {
      market: MARKET,
      book: async () => {
        count('book');
        return change.book ?? BOOK;
      },
      prices: async () => {
        count('prices');
        return new Map(change.prices ?? PRICES);
      },
    },
    stands: STANDS,
    networkCost: async (chain) => {
      count('cost');
      return atoms(COSTS.get(chain) ?? 0n);
    },
    payoutPrice: async (asset) => {
      count('cost');
      return { usual: atoms(COSTS.get(chainOf(asset)) ?? 0n), opening: atoms(0n) };
    },
    settings: SETTINGS,
    providers: [],
    hot: (chain) => `hot${chain}` as Address,
    clock: { now: () => instant(now) },
    ...change,
  });
  return {
    ...quotes,
    asked,
    wait: (ms) => {
      now += ms;
    },
  };
}

export function buy(usdcAtoms: bigint, more: Partial<QuoteRequest> = {}): QuoteRequest {
  const exactOut = more.mode === 'exact_out';
  const asked = amount(exactOut ? XMR.id : USDC.id, usdcAtoms);
  return { from: USDC, to: XMR, mode: 'exact_in', amount: asked, integrator: undefined, twap: undefined, ...more };
}

export function sell(xmrAtoms: bigint, more: Partial<QuoteRequest> = {}): QuoteRequest {
  const exactOut = more.mode === 'exact_out';
  const asked = amount(exactOut ? USDC.id : XMR.id, xmrAtoms);
  return { from: XMR, to: USDC, mode: 'exact_in', amount: asked, integrator: undefined, twap: undefined, ...more };
}

/** Any amount of one asset for another; the amount is of `to` when exact_out. */
export function swap(from: Asset, to: Asset, atomsOf: bigint, more: Partial<QuoteRequest> = {}): QuoteRequest {
  const asked = amount(more.mode === 'exact_out' ? to.id : from.id, atomsOf);
  return { from, to, mode: 'exact_in', amount: asked, integrator: undefined, twap: undefined, ...more };
}

export const integrator = (percent: number, payoutAddress = 'partner') => ({
  integrationId: 'int_a',
  percent,
  payoutAddress: payoutAddress as Address,
});

export async function quoted(quotes: Quotes, request: QuoteRequest): Promise<Quote> {
  const answer = await quotes.quote(request);
  if ('refusal' in answer) throw new Error(`refused: ${answer.refusal}: ${answer.message}`);
  return answer;
}
