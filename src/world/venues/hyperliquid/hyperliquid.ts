import { amount, atoms } from '../../../kernel/amount.ts';
import type { Clock, Instant } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Address, AssetId, ChainId } from '../../../kernel/ids.ts';
import { ratio } from '../../../kernel/ratio.ts';
import { remember } from '../../../kernel/remember.ts';
import type { Outbound } from '../../outbound/http.ts';
import type { LedgerPage, Market, Venue } from '../venue.ts';
import { asker, poster } from './ask.ts';
import { perpUsdc, spotHoldings } from './balances.ts';
import { WITHDRAWAL_FEE } from './codec.ts';
import { historyPageReader, type ReadHistoryPage, tokenList } from './history.ts';
import { ledgerRows } from './ledger.ts';
import { readBook, readFill, readMids, readTicket } from './market.ts';
import { CLOCK_MARGIN_MS, NONCE_LIFE_MS } from './nonce-life.ts';
import { readAll } from './paging.ts';
import { type PriceRules, priceText } from './price.ts';
import { list, VENUE } from './reply.ts';
import { venueRules } from './rules.ts';
import {
  assetOf,
  findPair,
  pickTokens,
  readSpotMeta,
  SPOT_ASSET_OFFSET,
  type SpotPair,
  type Token,
  tokenWire,
  VENUE_CHAIN,
} from './tokens.ts';

export interface HyperliquidConfig {
  /** Without a trailing slash: `https://api.hyperliquid.xyz`. */
  readonly url: string;
  readonly account: Address;
  readonly baseTokenId?: string;
  /** The number that this token's market must have; the signer trades in no other. */
  readonly market?: number;
  /** Ids of tokens that are not traded here but held and sent. */
  readonly otherTokenIds?: readonly string[];
  /** The bridge on the home chain; `minimum` in the home chain's USDC atoms. */
  readonly funding: {
    readonly chainId: ChainId;
    readonly asset: AssetId;
    readonly address: Address;
    readonly minimum?: bigint;
  };
  readonly bookCacheMs?: number;
}

const XMR1 = '0xbb2057659bd378d17e2e151bb04bdcaa';
/** Long enough to serve a burst of quotes with one question, short enough that none is priced on an old book. */
const BOOK_CACHE_MS = 500;
/** The bridge keeps anything smaller for itself. */
const BRIDGE_MINIMUM = 5_000_000n;
const FILLS_PER_PAGE = 2000;
/** Spot taker rate of an account without volume; a busier account pays less than we reckon. */
const TAKER_FEE = ratio(7n, 10_000n);

export async function openHyperliquid(config: HyperliquidConfig, outbound: Outbound, clock: Clock): Promise<Venue> {
  const ask = asker(config.url, outbound);
  const meta = await readSpotMeta(ask);
  const pair = findPair(meta, config.baseTokenId ?? XMR1);
  const index = pair.orderAsset - SPOT_ASSET_OFFSET;
  if (config.market !== undefined && config.market !== index)
    throw new Fault('permanent', VENUE, `${pair.base.id} is traded in market ${index}, not in ${config.market}`);
  const tokens = pickTokens(meta.tokens, [pair.base.id, ...(config.otherTokenIds ?? [])]);
  const { base, quote } = pair;
  const others = tokens.filter((token) => token !== base && token !== quote);
  const user = config.account.toLowerCase();
  const prices: PriceRules = {
    baseDecimals: base.decimals,
    quoteDecimals: quote.decimals,
    sizeDecimals: base.sizeDecimals,
  };
  const send = poster(config.url, outbound);
  const keepMs = config.bookCacheMs ?? BOOK_CACHE_MS;
  const ledger = ledgerReader(historyPageReader(ask), tokenList(ask, clock), tokens);
  return {
    chainId: VENUE_CHAIN,
    rules: venueRules(tokens.map(assetOf)),
    account: config.account,
    market: marketOf(pair),
    tokenWire: (asset) => tokenWire(tokens, asset),
    priceText: (price, side) => priceText(price, side, prices),
    book: remember(async () => readBook(await ask({ type: 'l2Book', coin: pair.coin }), prices), keepMs, clock),
    prices: remember(async () => readMids(await ask({ type: 'allMids' }), pair.coin), keepMs, clock),
    post: (signed) => send(signed.body),
    ticket: async (clientId) => readTicket(await ask({ type: 'orderStatus', user, oid: clientId }), base),
    fills: async (since) => {
      const page = async (from: number) =>
        list(await ask({ type: 'userFillsByTime', user, startTime: from, aggregateByTime: false }), 'fills').map(
          (fill) => readFill(fill, pair, prices),
        );
      const rows = await readAll('fills', since, FILLS_PER_PAGE, page);
      return rows.flatMap((row) => row.fill ?? []);
    },
    balances: async () => {
      const held = await spotHoldings(ask, config.account, [base, quote, ...others]);
      return held.map(({ asset, free }) => amount(asset, free));
    },
    ledger: (since, of = config.account) => ledger(since, of),
    unmovedDeposit: () => perpUsdc(ask, config.account),
    funding: { ...config.funding, minimum: atoms(config.funding.minimum ?? BRIDGE_MINIMUM) },
    withdrawalFee: WITHDRAWAL_FEE,
    nonceLifeMs: NONCE_LIFE_MS + CLOCK_MARGIN_MS,
    close: async () => {},
  };
}

function marketOf({ base, quote, orderAsset }: SpotPair): Market {
  return {
    name: `${base.name}/${quote.name}`,
    base: base.asset,
    baseDecimals: base.decimals,
    quote: quote.asset,
    quoteDecimals: quote.decimals,
    lot: atoms(10n ** BigInt(base.decimals - base.sizeDecimals)),
    minNotional: atoms(10n * 10n ** BigInt(quote.decimals)),
    takerFee: TAKER_FEE,
    wire: { asset: String(orderAsset), decimals: String(base.decimals) },
  };
}

function ledgerReader(
  history: ReadHistoryPage,
  tokensNewerThan: (at: Instant) => Promise<readonly Token[]>,
  ours: readonly Token[],
): (since: Instant, user: Address) => Promise<LedgerPage> {
  return async (since, owner) => {
    const { rows: updates, ...page } = await history(owner, since);
    const newest = updates.at(-1);
    if (!newest) return { ...page, rows: [] };
    const names = { all: await tokensNewerThan(newest.at), ours };
    return { ...page, rows: updates.flatMap((update) => ledgerRows(update, owner, names)) };
  };
}
