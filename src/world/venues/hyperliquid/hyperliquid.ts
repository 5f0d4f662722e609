import { amount, atoms } from '../../../kernel/amount.ts';
import type { Clock, Instant } from '../../../kernel/clock.ts';
import type { Address, AssetId, ChainId } from '../../../kernel/ids.ts';
import { ratio } from '../../../kernel/ratio.ts';
import type { Outbound } from '../../outbound/http.ts';
import type { LedgerRow, Market, Venue } from '../venue.ts';
import { type Ask, asker, coalesced, poster } from './ask.ts';
import { USDC_DECIMALS } from './codec.ts';
import { ledgerRows, type RawUpdate, readUpdate } from './ledger.ts';
import { readBook, readFill, readMids, readTicket } from './market.ts';
import { readAll } from './paging.ts';
import { type PriceRules, priceText } from './price.ts';
import { exactAtoms, fields, list, roundedAtoms } from './reply.ts';
import { venueRules } from './rules.ts';
import { findPair, readTokens, type SpotPair, type Token, tokenWire, VENUE_CHAIN } from './tokens.ts';

export interface HyperliquidConfig {
  /** Without a trailing slash: `https://api.hyperliquid.xyz`. */
  readonly url: string;
  readonly account: Address;
  readonly baseTokenId?: string;
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
const UPDATES_PER_PAGE = 500;
/** How far the venue's clock and ours may differ when we ask which of two readings is newer. */
const CLOCK_SKEW_MS = 60_000;
/** Spot taker rate of an account without volume; a busier account pays less than we reckon. */
const TAKER_FEE = ratio(7n, 10_000n);

export async function openHyperliquid(config: HyperliquidConfig, outbound: Outbound, clock: Clock): Promise<Venue> {
  const ask = asker(config.url, outbound);
  const pair = await findPair(ask, config.baseTokenId ?? XMR1);
  const { base, quote } = pair;
  const user = config.account.toLowerCase();
  const prices: PriceRules = {
    baseDecimals: base.decimals,
    quoteDecimals: quote.decimals,
    sizeDecimals: base.sizeDecimals,
  };
  const send = poster(config.url, outbound);
  const keepMs = config.bookCacheMs ?? BOOK_CACHE_MS;
  const ledger = ledgerReader(ask, [base, quote], clock);
  return {
    chainId: VENUE_CHAIN,
    rules: venueRules(pair),
    account: config.account,
    market: marketOf(pair),
    tokenWire: (asset) => tokenWire([base, quote], asset),
    priceText: (price, side) => priceText(price, side, prices),
    book: coalesced(async () => readBook(await ask({ type: 'l2Book', coin: pair.coin }), prices), keepMs, clock),
    prices: coalesced(async () => readMids(await ask({ type: 'allMids' }), pair.coin), keepMs, clock),
    post: (signed) => send(signed.body),
    ticket: async (cloid) => readTicket(await ask({ type: 'orderStatus', user, oid: cloid }), base),
    fills: async (since) => {
      const page = async (from: number) =>
        list(await ask({ type: 'userFillsByTime', user, startTime: from, aggregateByTime: false }), 'fills').map(
          (fill) => readFill(fill, pair, prices),
        );
      const rows = await readAll('fills', since, FILLS_PER_PAGE, page);
      return rows.flatMap((row) => row.fill ?? []);
    },
    balances: async () => spotBalances(await ask({ type: 'spotClearinghouseState', user }), [base, quote]),
    ledger: (since, of = config.account) => ledger(since, of),
    unmovedDeposit: async () => {
      const state = fields(await ask({ type: 'clearinghouseState', user }), 'clearinghouseState');
      const millionths = roundedAtoms(state.withdrawable, 6, 'down', 'clearinghouseState.withdrawable');
      return atoms(millionths * 10n ** BigInt(USDC_DECIMALS - 6));
    },
    funding: { ...config.funding, minimum: atoms(config.funding.minimum ?? BRIDGE_MINIMUM) },
    withdrawalFee: atoms(10n ** BigInt(quote.decimals)),
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

/** What is on hold for a resting order cannot be traded; a token that is not listed is not held. */
function spotBalances(reply: unknown, tokens: readonly Token[]) {
  const held = list(fields(reply, 'spotClearinghouseState').balances, 'balances').map((row) => fields(row, 'balances'));
  return tokens.map((token) => {
    const row = held.find((one) => one.token === token.index);
    if (!row) return amount(token.asset, 0n);
    const total = exactAtoms(row.total, token.decimals, 'balances.total');
    const hold = exactAtoms(row.hold, token.decimals, 'balances.hold');
    return amount(token.asset, total > hold ? total - hold : 0n);
  });
}

/** Names are understood by a list of tokens that is newer than the newest row, so that a later namesake is noticed. */
function ledgerReader(
  ask: Ask,
  ours: readonly Token[],
  clock: Clock,
): (since: Instant, user: Address) => Promise<readonly LedgerRow[]> {
  let known: { readonly tokens: readonly Token[]; readonly at: number } | undefined;
  const tokensNewerThan = async (at: number): Promise<readonly Token[]> => {
    if (known && known.at > at + CLOCK_SKEW_MS) return known.tokens;
    const asked = clock.now();
    known = { tokens: (await readTokens(ask)).tokens, at: asked };
    return known.tokens;
  };
  return async (since, owner) => {
    const page = async (from: number): Promise<readonly RawUpdate[]> =>
      list(
        await ask({ type: 'userNonFundingLedgerUpdates', user: owner.toLowerCase(), startTime: from }),
        'ledger',
      ).map(readUpdate);
    const updates = await readAll('ledger', since, UPDATES_PER_PAGE, page);
    const newest = updates.at(-1);
    if (!newest) return [];
    const names = { all: await tokensNewerThan(newest.at), ours };
    return updates.flatMap((update) => ledgerRows(update, owner, names));
  };
}
