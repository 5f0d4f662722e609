import { type AssetId, type ChainId, chainOf } from '../../kernel/ids.ts';
import { coinOf } from '../../world/chains/chain.ts';
import { VENUE } from '../../world/venues/index.ts';
import type { Config } from '../config.ts';
import { rulesOf } from './chains.ts';
import { bridgedOf } from './venue.ts';

/** An asset as people call it. */
export interface DeskAsset {
  readonly id: AssetId;
  readonly symbol: string;
  readonly decimals: number;
}

/** A chain of the desk, the venue among them, with everything that can be held on it; its own coin comes first. */
export interface DeskChain {
  readonly id: ChainId;
  readonly name: string;
  readonly coin: DeskAsset;
  readonly assets: readonly DeskAsset[];
  /** Deposits lie on accounts of their own until they are collected. */
  readonly collects: boolean;
}

export function deskChains(config: Config): readonly DeskChain[] {
  const chains = rulesOf(config).map(({ facts }) => {
    const coin = coinOf(facts);
    const assets = [coin, ...facts.assets.filter(({ id }) => id !== coin.id)];
    return { id: facts.id, name: facts.name, coin, assets, collects: facts.collectsTokens };
  });
  const coin = { id: VENUE.coin, symbol: VENUE.home.symbol, decimals: VENUE.decimals };
  // The venue calls a coin's wrapped form by its symbol and a one.
  const wrapped = bridgedOf(config).map(({ wrapped: id, native, decimals }) => ({
    ...{ id, symbol: `${native.symbol}1`, decimals },
  }));
  return [...chains, { id: VENUE.chainId, name: 'venue', coin, assets: [coin, ...wrapped], collects: true }];
}

/** What the book trades: base for quote. */
export const tradedOn = (config: Config): { readonly base: DeskAsset; readonly quote: DeskAsset } => {
  const venue = deskChains(config).at(-1);
  const base = venue?.assets.find(({ symbol }) => symbol === `${VENUE.baseSymbol}1`);
  if (!venue || !base)
    throw new Error(`configuration: there is no chain of ${VENUE.baseSymbol}, which the venue trades`);
  return { base, quote: venue.coin };
};

/** `XMR`, or `USDC@42161` and `USDC@Arbitrum` where several chains have one; undefined where there is no such asset. */
export function assetNamed(chains: readonly DeskChain[], name: string): DeskAsset | undefined {
  const [symbol = '', where] = name.split('@');
  const found = chains.flatMap((chain) =>
    where === undefined || isNamed(chain, where)
      ? chain.assets.filter((asset) => asset.symbol.toLowerCase() === symbol.toLowerCase())
      : [],
  );
  if (found.length <= 1) return found[0];
  const choices = found.map((asset) => `${asset.symbol}@${chainOf(asset.id)}`);
  throw new Error(`configuration: ${name} is on several chains: say ${choices.join(' or ')}`);
}

export const isNamed = ({ id, name }: Pick<DeskChain, 'id' | 'name'>, where: string): boolean =>
  String(id) === where || name.toLowerCase() === where.toLowerCase();
