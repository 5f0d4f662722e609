import { setTimeout as sleep } from 'node:timers/promises';
import type { Catalog } from '../catalog/catalog.ts';
import { present } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Address, ChainId } from '../kernel/ids.ts';
import { percent } from '../kernel/ratio.ts';
import { askedPrice, type PriceQuestions } from '../life/quote/asked-price.ts';
import { openMarketSource } from '../life/quote/market-view.ts';
import { throttled } from '../life/quote/provider-offers.ts';
import { openQuotes, QUOTE_DEFAULTS, type Quotes } from '../life/quote/quotes.ts';
import type { Stock } from '../life/quote/stock-bound.ts';
import type { ExposureBook } from '../store/exposure.ts';
import type { Breakers } from '../store/gates.ts';
import type { Ledger } from '../store/ledger.ts';
import { coinOf } from '../world/chains/chain.ts';
import type { Provider } from '../world/providers/provider.ts';
import type { Venue } from '../world/venues/venue.ts';
import { type Config, slippageOf, soundBookOf } from './config.ts';
import { openExposureBound, untradedMost } from './exposure.ts';
import { boundExposure, boundQuotes, guardProviders, guardQuotes } from './gates.ts';
import { orderRules } from './order-rules.ts';
import { lastKnown } from './trips.ts';
import { standsOf } from './wiring/venue.ts';

export interface QuotingDeps {
  readonly catalog: Catalog;
  readonly venue: Venue;
  readonly providers: readonly Provider[];
  readonly hot: ReadonlyMap<ChainId, Address>;
  readonly ledger: Pick<Ledger, 'payoutCost'>;
  readonly payoutPrices: PriceQuestions;
  readonly stock: Stock;
  readonly exposure: ExposureBook;
  readonly breakers: Breakers;
  readonly clock: Clock;
}

/** Quotes by the operator's fees and limits, while no breaker is open. */
export function openQuoting(config: Config, deps: QuotingDeps): Quotes {
  const { catalog, venue, providers, hot, ledger, payoutPrices, stock, exposure, breakers, clock } = deps;
  const stands = standsOf(config);
  const slippage = slippageOf(config);
  const quotes = openQuotes({
    catalog,
    venue,
    stands,
    providers: guardProviders(
      providers.map((provider) => throttled(provider, clock)),
      breakers,
    ),
    hot: (chain) => hot.get(chain),
    networkCost: async (id) => {
      const { facts } = present(catalog.chain(id), `chain ${id}`);
      const cost = await ledger.payoutCost(coinOf(facts).id);
      if (cost === undefined) throw new Fault('transient', `chain:${id}`, 'the cost of a payout is not known yet');
      return cost;
    },
    payoutPrice: askedPrice({ questions: payoutPrices, clock, pause: (ms) => sleep(ms) }),
    settings: {
      ...QUOTE_DEFAULTS,
      serviceFee: percent(config.fees.servicePercent),
      endToEndSlippage: slippage.full,
      perLegSlippage: slippage.perLeg,
      offeredBeyond: orderRules(config).offeredBeyond,
      largestOrderUsd: config.largestOrderUsd,
      ...soundBookOf(config),
    },
    clock,
  });
  const bound = openExposureBound({
    ...{ most: untradedMost(config), book: exposure, stands, catalog, clock },
    market: lastKnown(openMarketSource(venue, stands, QUOTE_DEFAULTS.priceAgeMs, clock)),
  });
  return guardQuotes(boundExposure(boundQuotes(quotes, stock), bound), breakers, stands);
}
