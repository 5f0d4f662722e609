import { Fault } from '../kernel/fault.ts';
import { type ChainId, chainOf } from '../kernel/ids.ts';
import { type UsdMicros, usdValue } from '../kernel/usd.ts';
import type { Scanning } from '../life/deposit/scanning.ts';
import type { MarketSource } from '../life/quote/market-view.ts';
import type { Ledger } from '../store/ledger.ts';
import { type Chain, coinOf } from '../world/chains/chain.ts';

export interface WorthDeps {
  readonly source: MarketSource;
  readonly chain: (id: ChainId) => Chain;
  readonly ledger: Pick<Ledger, 'payoutCost'>;
}

/** What strayed money is worth, by the same prices as quotes. Where nobody names one it is not taken for a speck. */
export function worthOf({ source, chain, ledger }: WorthDeps): Scanning['worth'] {
  return async (of) => {
    const { facts } = chain(chainOf(of.asset));
    const asset = facts.assets.find(({ id }) => id === of.asset);
    const coin = coinOf(facts);
    if (!asset) return undefined;
    try {
      const [view, cost] = await Promise.all([source.look(), ledger.payoutCost(coin.id)]);
      const [price, ofCoin] = [view.price(asset), view.price(coin)];
      if (!price) return undefined;
      const refund = cost === undefined || !ofCoin ? 0n : usdValue({ asset: coin.id, atoms: cost }, ofCoin);
      return { value: usdValue(of, price), refund: refund as UsdMicros };
    } catch (error) {
      if (error instanceof Fault) return undefined;
      throw error;
    }
  };
}
