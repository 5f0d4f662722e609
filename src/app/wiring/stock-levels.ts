import { type Atoms, atoms, parseUnits } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import { type Address, type AssetId, type ChainId, chainOf } from '../../kernel/ids.ts';
import { percent } from '../../kernel/ratio.ts';
import type { StockFill, StockLevel } from '../../life/execution/stock-levels.ts';
import type { Chain } from '../../world/chains/chain.ts';
import type { Config } from '../config.ts';
import { assetNamed, type DeskAsset, deskChains, tradedOn } from './desk-assets.ts';

const USD_DECIMALS = 6;

/** By asset, the stores that the signer pays what is too much to. */
export type ColdStores = Readonly<Record<AssetId, { readonly address: string; readonly perDay: Atoms }>>;

export function coldStoresOf(config: Config): ColdStores {
  const stores = byAsset(config, '/signer/cold', config.signer.cold ?? {}, ({ address, perDay }, asset, path) => ({
    ...{ address, perDay: coins(`${path}/perDay`, perDay, asset) },
  }));
  return Object.fromEntries(stores);
}

/** Where the house keeps what its hot accounts need not hold. */
export const coldAddresses = (
  config: Config,
  chain: (id: ChainId) => Pick<Chain, 'parseAddress'>,
): ReadonlySet<Address> =>
  new Set(
    Object.entries(coldStoresOf(config)).map(([asset, { address }]) =>
      present(chain(chainOf(asset as AssetId)).parseAddress(address), `cold address of ${asset}`),
    ),
  );

export function stockLevelsOf(config: Config): readonly StockLevel[] {
  const levels = byAsset(config, '/treasury/stock', config.treasury.stock ?? {}, (level, asset, path) => {
    const [low, target] = [coins(`${path}/low`, level.low, asset), coins(`${path}/target`, level.target, asset)];
    const high = level.high === undefined ? undefined : coins(`${path}/high`, level.high, asset);
    if (low > target || (high !== undefined && target > high))
      throw new Error(`configuration: ${path}: low must not be above target, nor target above high`);
    const fill = level.fill && fillOf(config, `${path}/fill`, asset, level.fill);
    return { asset: asset.id, low, target, high, ...(fill ? { fill } : {}) };
  });
  for (const { fill } of levels.values())
    if (fill && !levels.has(fill.from))
      throw new Error(`configuration: /treasury/stock has no level of ${fill.from}, which pays for another`);
  return [...levels.values()];
}

type FillSettings = NonNullable<NonNullable<Config['treasury']['stock']>[string]['fill']>;

function fillOf(config: Config, path: string, asset: DeskAsset, settings: FillSettings): StockFill {
  const { from, mostCostPercent, usdPerDay, usdAtOnce = usdPerDay } = settings;
  const paid = assetNamed(deskChains(config), from);
  if (!paid || paid.id === asset.id) throw new Error(`configuration: ${path}/from names no other asset of this desk`);
  const { base, quote } = tradedOn(config);
  const isPair = ({ id }: DeskAsset, other: DeskAsset) => asset.id === id && paid.id === other.id;
  const isTrade = isPair(base, quote) || isPair(quote, base);
  if (!isTrade && config.signer.fillsUsdPerDay === undefined)
    throw new Error(`configuration: ${path} spends money, and /signer/fillsUsdPerDay does not say how much it may`);
  const [day, once] = [usd(`${path}/usdPerDay`, usdPerDay), usd(`${path}/usdAtOnce`, usdAtOnce)];
  return { isTrade, from: paid.id, mostCost: percent(mostCostPercent), usdPerDay: day, usdAtOnce: once };
}

function usd(path: string, text: string): bigint {
  const value = parseUnits(text, USD_DECIMALS);
  if (value === undefined) throw new Error(`configuration: ${path} has more than ${USD_DECIMALS} decimals`);
  return value;
}

/** Two names of one asset would leave open which of them counts. */
function byAsset<T, U>(
  config: Config,
  at: string,
  named: Readonly<Record<string, T>>,
  read: (value: T, asset: DeskAsset, path: string) => U,
): ReadonlyMap<AssetId, U> {
  const chains = deskChains(config);
  const all = new Map<AssetId, U>();
  for (const [name, value] of Object.entries(named)) {
    const path = `${at}/${name}`;
    const asset = assetNamed(chains, name);
    if (!asset) throw new Error(`configuration: ${path} is no asset of this desk`);
    if (all.has(asset.id)) throw new Error(`configuration: ${path} is named twice`);
    all.set(asset.id, read(value, asset, path));
  }
  return all;
}

function coins(path: string, text: string, { symbol, decimals }: DeskAsset): Atoms {
  const value = parseUnits(text, decimals);
  if (value === undefined)
    throw new Error(`configuration: ${path}: ${symbol} has ${decimals} decimals, and ${text} more`);
  return atoms(value);
}
