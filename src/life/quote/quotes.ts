import type { Catalog } from '../../catalog/catalog.ts';
import { type Amount, type Atoms, atoms } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import { Fault } from '../../kernel/fault.ts';
import { type Address, type AssetId, type ChainId, chainOf } from '../../kernel/ids.ts';
import { ratio } from '../../kernel/ratio.ts';
import { isRefusal, type Refusal, refuse, unavailable } from '../../kernel/refusal.ts';
import { rememberEach } from '../../kernel/remember.ts';
import type { UsdPrice } from '../../kernel/usd.ts';
import type { Venue } from '../../world/venues/venue.ts';
import { answer } from './answer.ts';
import { ratesAt } from './fee-terms.ts';
import { type MarketView, openMarketSource } from './market-view.ts';
import type { PayoutPrice } from './payout-price.ts';
import type { Quote, QuoteRequest } from './quote.ts';
import { type Hop, planRoute, type Stands, swapIn, usesVenue } from './route.ts';
import { pointOf, type QuoteSettings, type RouteTerms, termsOf } from './route-terms.ts';
import { type ProviderDeps, solve, solveWithProviders } from './solve.ts';
import { bookJudge } from './sound-book.ts';

export interface Quotes {
  quote(request: QuoteRequest): Promise<Quote | Refusal>;
  /** undefined where nobody names a price, or nobody can be asked at the moment. */
  price(asset: AssetId): Promise<UsdPrice | undefined>;
  /** What opening an account for this payee costs, in the asset that is paid; undefined where nobody can say. */
  activation(asset: AssetId, to: Address): Promise<Amount | undefined>;
}

export interface QuotesDeps extends ProviderDeps {
  readonly catalog: Catalog;
  readonly venue: Pick<Venue, 'book' | 'prices' | 'market'>;
  readonly stands: Stands;
  /** Cost of a transfer between accounts of our own, in the chain's own coin. */
  readonly networkCost: (chain: ChainId) => Promise<Atoms>;
  /** Cost of a payment to this address, or of the dearer ordinary one where nobody is named. */
  readonly payoutPrice: (asset: AssetId, to: Address | undefined) => Promise<PayoutPrice>;
  readonly settings: QuoteSettings;
}

/** An operator sets the rest of the settings. */
export const QUOTE_DEFAULTS: Omit<
  QuoteSettings,
  'serviceFee' | 'endToEndSlippage' | 'perLegSlippage' | 'offeredBeyond' | 'largestOrderUsd'
> = {
  validityMs: 60_000,
  priceAgeMs: 15_000,
  depthShare: ratio(4n, 5n),
  widestSpread: ratio(5n, 100n),
  leastDepthUsd: 1_000,
  stillBookMs: 60_000,
  executionSeconds: 15,
};

/** No asset has so many: whoever asks for more hears what the maximum is, and nobody reckons with numbers of any length. */
const MOST_ATOMS = atoms(1n << 128n);

export function openQuotes(deps: QuotesDeps): Quotes {
  const { catalog, venue, stands, networkCost, settings, clock, providers } = deps;
  const source = openMarketSource(venue, stands, settings.priceAgeMs, clock);
  const costs = rememberEach(networkCost, settings.priceAgeMs, clock);
  const isSound = bookJudge(settings, clock);
  // Terms last as long as the view they are made of; there are no more of them than routes.
  const known = new WeakMap<MarketView, Map<string, RouteTerms | undefined>>();

  const anybody = rememberEach((asset: AssetId) => deps.payoutPrice(asset, undefined), settings.priceAgeMs, clock);
  const payoutPrice = (asset: AssetId, to: Address | undefined): Promise<PayoutPrice> =>
    to === undefined ? anybody(asset) : deps.payoutPrice(asset, to);
  const factsOf = (id: AssetId) => present(catalog.chain(chainOf(id)), `chain of ${id}`).facts;

  const makeTerms = async (
    hops: readonly Hop[],
    to: AssetId,
    view: MarketView,
    payout: PayoutPrice,
  ): Promise<RouteTerms | undefined> => {
    const points = await Promise.all(
      hops.map(async ({ input: id }) => pointOf(catalog.asset(id), factsOf(id), await costs(chainOf(id)), view)),
    );
    const end = pointOf(catalog.asset(to), factsOf(to), payout.usual, view, payout.opening);
    const priced = [...points, end].filter((point) => point !== undefined);
    return priced.length === points.length + 1 ? termsOf(hops, priced, view, settings) : undefined;
  };

  const termsFor = async (hops: readonly Hop[], { from, to, payTo }: QuoteRequest): Promise<RouteTerms | undefined> => {
    // The book comes last: it is not to grow old while what the payout costs is waited for.
    const payout = await payoutPrice(to.id, payTo);
    const view = await source.look();
    if (usesVenue(hops) && !isSound(view.book, view.market)) return undefined;
    const terms = known.get(view) ?? new Map<string, RouteTerms | undefined>();
    known.set(view, terms);
    const key = `${from.id} ${to.id} ${payout.usual} ${payout.opening}`;
    if (!terms.has(key)) terms.set(key, await makeTerms(hops, to.id, view, payout));
    return terms.get(key);
  };

  /** What paying the integrator costs, an account that is opened for it included, in what the fee is taken in (5.4). */
  const feeCost = async ({ hops, points, view }: RouteTerms, { integrator }: QuoteRequest) => {
    if (!integrator?.payoutAddress || integrator.percent === 0) return undefined;
    const { asset } = present(points[ratesAt(hops)], 'a point at which rates are taken');
    const paidIn = ratesAt(hops) === 0 ? asset.id : venue.market.quote;
    const { usual, opening } = await payoutPrice(paidIn, integrator.payoutAddress);
    return pointOf(asset, factsOf(paidIn), atoms(usual + opening), view)?.cost(1);
  };

  /** Every quote asks this again, because what providers support may change. */
  const isSupported = (hops: readonly Hop[]): boolean => {
    const swap = swapIn(hops);
    return !swap || providers.some((provider) => provider.supports(swap.input, swap.output));
  };

  return {
    async quote(asked) {
      const { from, to, amount } = asked;
      const request = amount.atoms <= MOST_ATOMS ? asked : { ...asked, amount: { ...amount, atoms: MOST_ATOMS } };
      if (amount.atoms === 0n)
        return refuse('invalid_amount', 'The amount must be a positive whole number of the smallest units.');
      const hops = planRoute(from.id, to.id, stands);
      if (hops && !isSupported(hops) && providers.some((provider) => provider.isReady?.() === false))
        return unavailable('offers', 'Not every provider can be asked at the moment. Please try again shortly.');
      if (!hops || !isSupported(hops))
        return refuse('unsupported_pair', `Swaps from ${from.symbol} to ${to.symbol} are not supported here.`);
      const found = await orUnavailable(async () => {
        const terms = await termsFor(hops, request);
        return terms && { terms, cost: await feeCost(terms, request) };
      });
      if (!found) return unavailable('prices', 'There is no market for this pair at the moment.');
      if (isRefusal(found)) return found;
      const { terms, cost } = found;
      const priced = { mode: request.mode, amount: request.amount, integrator: request.integrator, feeCost: cost };
      const solved = swapIn(hops) ? await solveWithProviders(deps, terms, priced) : solve(terms, priced, terms.assumed);
      return isRefusal(solved) ? solved : answer(terms, request, solved, clock.now());
    },

    async price(id) {
      const view = await orUnavailable(() => source.look());
      return isRefusal(view) ? undefined : view.price(catalog.asset(id));
    },

    async activation(id, to) {
      const asked = await orUnavailable(async () => ({
        view: await source.look(),
        payout: await payoutPrice(id, to),
      }));
      if (isRefusal(asked)) return undefined;
      return pointOf(catalog.asset(id), factsOf(id), asked.payout.usual, asked.view, asked.payout.opening)?.opening;
    },
  };
}

/** A counterparty that fails us is a reason to refuse for now; anything else is not expected here. */
async function orUnavailable<T>(work: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault)
      return unavailable('prices', 'Prices cannot be had at the moment. Please try again shortly.');
    throw error;
  }
}
