import type { Atoms } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { AssetId, ChainId } from '../../kernel/ids.ts';
import { ratio } from '../../kernel/ratio.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/refusal.ts';
import type { UsdPrice } from '../../kernel/usd.ts';
import type { Asset } from '../../world/chains/chain.ts';
import type { Side, Venue } from '../../world/venues/venue.ts';
import { answer } from './ask.ts';
import type { Catalog } from './catalog.ts';
import { type MarketView, openMarketSource } from './market-view.ts';
import type { Quote, QuoteRequest } from './quote.ts';
import { type Stands, tradeSide } from './route.ts';
import { type QuoteSettings, type Terms, termsOf } from './terms.ts';

export interface Quotes {
  quote(request: QuoteRequest): Promise<Quote | Refusal>;
  /** undefined where nobody names a price, or nobody can be asked at the moment. */
  price(asset: AssetId): Promise<UsdPrice | undefined>;
}

export interface QuotesDeps {
  readonly catalog: Catalog;
  readonly venue: Pick<Venue, 'book' | 'prices' | 'market'>;
  readonly stands: Stands;
  /** Cost of one payout, in the chain's own coin. */
  readonly networkCost: (chain: ChainId) => Promise<Atoms>;
  readonly settings: QuoteSettings;
  readonly clock: Clock;
}

/** Everything but the rates, which an operator sets. */
export const QUOTE_DEFAULTS: Omit<QuoteSettings, 'serviceFee' | 'endToEndSlippage'> = {
  validityMs: 60_000,
  priceAgeMs: 15_000,
  depthShare: ratio(4n, 5n),
  executionSeconds: 15,
};

/** More than any asset has atoms: nobody means such an amount. */
const ABSURD = 1n << 128n;

export function openQuotes({ catalog, venue, stands, networkCost, settings, clock }: QuotesDeps): Quotes {
  const source = openMarketSource(venue, networkCost, stands, settings.priceAgeMs, clock);
  const facts = (id: ChainId) => present(catalog.chain(id), `chain ${id}`).facts;
  // Terms last as long as the view they are made of; there are no more of them than routes.
  const known = new WeakMap<MarketView, Map<string, Terms | undefined>>();

  const termsFor = async (from: Asset, to: Asset, side: Side): Promise<Terms | undefined> => {
    const view = await source.look();
    const terms = known.get(view) ?? new Map<string, Terms | undefined>();
    known.set(view, terms);
    const key = `${from.id} ${to.id}`;
    if (!terms.has(key)) {
      const [fromCost, toCost] = await Promise.all([source.cost(from.chainId), source.cost(to.chainId)]);
      const pair = { side, from, to, fromChain: facts(from.chainId), toChain: facts(to.chainId) };
      terms.set(key, termsOf(pair, view, fromCost, toCost, settings));
    }
    return terms.get(key);
  };

  return {
    async quote(request) {
      const { from, to, amount } = request;
      if (amount.atoms === 0n || amount.atoms >= ABSURD)
        return refuse('invalid_amount', 'The amount must be a positive whole number of the smallest units.');
      const side = tradeSide(from.id, to.id, stands);
      if (!side) return refuse('unsupported_pair', `Swaps from ${from.symbol} to ${to.symbol} are not supported here.`);
      const terms = await orUnavailable(() => termsFor(from, to, side));
      if (!terms) return refuse('unavailable', 'There is no market for this pair at the moment.');
      return isRefusal(terms) ? terms : answer(terms, request, clock.now());
    },

    async price(id) {
      const view = await orUnavailable(() => source.look());
      return isRefusal(view) ? undefined : view.price(catalog.asset(id));
    },
  };
}

/** A counterparty that fails us is a reason to refuse for now; anything else is not expected here. */
async function orUnavailable<T>(work: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault)
      return refuse('unavailable', 'Prices cannot be had at the moment. Please try again shortly.');
    throw error;
  }
}
