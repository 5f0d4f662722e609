import type { Amount } from '../kernel/amount.ts';
import { present } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import { type AssetId, type ChainId, chainOf } from '../kernel/ids.ts';
import { costIn } from '../life/quote/fee-terms.ts';
import { type MarketView, openMarketSource } from '../life/quote/market-view.ts';
import { QUOTE_DEFAULTS } from '../life/quote/quotes.ts';
import type { Stands } from '../life/quote/route.ts';
import type { TransferStage } from '../life/transfer/stage.ts';
import type { Asset, Chain } from '../world/chains/chain.ts';
import type { Venue } from '../world/venues/venue.ts';

export interface CostsDeps {
  readonly venue: Pick<Venue, 'book' | 'prices' | 'market'>;
  readonly stands: Stands;
  readonly chain: (id: ChainId) => Chain;
  readonly clock: Clock;
}

/** What costs are worth in the assets that they are taken from, by the same prices as quotes. */
export function costsInAssets({ venue, stands, chain, clock }: CostsDeps): TransferStage['inAsset'] {
  const source = openMarketSource(venue, stands, QUOTE_DEFAULTS.priceAgeMs, clock);
  const assetOf = (id: AssetId): Asset => {
    const listed = chain(chainOf(id)).facts.assets.find((asset) => asset.id === id);
    return present(listed, `asset ${id}`);
  };
  return async (cost: Amount, asset: AssetId) => {
    if (cost.atoms === 0n || cost.asset === asset) return { asset, atoms: cost.atoms };
    const view = await source.look();
    return costIn(asset, cost.atoms, priceIn(view, assetOf(cost.asset)), priceIn(view, assetOf(asset)));
  };
}

function priceIn(view: MarketView, asset: Asset) {
  const price = view.price(asset);
  if (!price) throw new Fault('transient', 'venue', `nobody names a price of ${asset.symbol}`);
  return price;
}
