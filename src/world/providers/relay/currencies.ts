import { type Amount, amount } from '../../../kernel/amount.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { AssetId, ChainId } from '../../../kernel/ids.ts';
import type { Asset } from '../../chains/chain.ts';
import { spellingOf } from '../codec.ts';
import { type Ask, RELAY, reading } from './ask.ts';

export interface Currency {
  readonly chainId: number;
  readonly address: string;
}

/** Our assets as Relay knows them, in both directions. */
export interface Currencies {
  theirs(asset: AssetId): Currency | undefined;
  ours(currency: Currency): AssetId | undefined;
}

interface ListedChain {
  readonly id: number;
  readonly name: string;
  readonly coinSymbol: string;
  readonly isDisabled: boolean;
  /** The chain's own coin, as a currency address. */
  readonly coin: string;
  /** What is taken at deposit addresses, with its decimals. */
  readonly accepted: ReadonlyMap<string, number>;
}

export async function readCurrencies(ask: Ask, assets: readonly Asset[]): Promise<Currencies> {
  const answer = await ask('chains', 'question', '/chains');
  if ('declined' in answer) throw new Fault('permanent', RELAY, answer.declined);
  const chains = reading.list(reading.record(answer.value, 'chains').chains, 'chains').map(readChain);
  const coins = assets.filter(({ native }) => native);
  const chainOf = (id: ChainId) => ourChain(id, coins, chains);
  const theirs = new Map(assets.flatMap((asset) => pairOf(asset, chainOf(asset.chainId))));
  const ours = new Map([...theirs].map(([asset, currency]) => [keyOf(currency), asset]));
  return { theirs: (asset) => theirs.get(asset), ours: (currency) => ours.get(keyOf(currency)) };
}

/**
 * Most chains have the number that everyone gives them. Where nobody does, Relay has one of its own, and its list tells it: that
 * of the chain which is called like the coin that it pays with.
 */
function ourChain(id: ChainId, coins: readonly Asset[], chains: readonly ListedChain[]): ListedChain | undefined {
  const numbered = chains.find((chain) => chain.id === id);
  const coin = coins.find(({ chainId }) => chainId === id);
  if (numbered || !coin) return numbered;
  const called = chains.filter(
    ({ name, coinSymbol }) => name === coin.name.toLowerCase() && coinSymbol === coin.symbol,
  );
  return called.length === 1 ? called[0] : undefined;
}

/** By chain and address, never by symbol, which anyone may choose. */
function pairOf(asset: Asset, chain: ListedChain | undefined): readonly (readonly [AssetId, Currency])[] {
  if (!chain || chain.isDisabled) return [];
  const address = asset.native ? chain.coin : asset.token;
  if (chain.accepted.get(spellingOf(address)) !== asset.decimals) return [];
  return [[asset.id, { chainId: chain.id, address }]];
}

const keyOf = ({ chainId, address }: Currency): string => `${chainId}:${spellingOf(address)}`;

function readChain(value: unknown): ListedChain {
  const chain = reading.record(value, 'chains');
  const coin = reading.record(chain.currency, 'chains.currency');
  const accepted = reading.list(chain.solverCurrencies ?? [], 'chains.solverCurrencies').map((one) => {
    const currency = reading.record(one, 'chains.solverCurrencies');
    const address = reading.text(currency.address, 'solverCurrencies.address');
    return [spellingOf(address), reading.whole(currency.decimals, 'solverCurrencies.decimals')] as const;
  });
  return {
    id: reading.whole(chain.id, 'chains.id'),
    name: reading.text(chain.name, 'chains.name').toLowerCase(),
    coinSymbol: reading.text(coin.symbol, 'chains.currency.symbol'),
    isDisabled: chain.disabled === true,
    coin: reading.text(coin.address, 'chains.currency.address'),
    accepted: new Map(accepted),
  };
}

/** What a reply says of a sum of money; `unlisted` for an asset that is none of ours. */
export interface Told {
  readonly asset: AssetId | undefined;
  readonly unlisted: string;
  readonly atoms: bigint;
  readonly minimum: unknown;
}

export function readTold(value: unknown, where: string, currencies: Currencies): Told {
  const told = reading.record(value, where);
  const currency = reading.record(told.currency, `${where}.currency`);
  const named = {
    chainId: reading.whole(currency.chainId, `${where}.currency.chainId`),
    address: reading.text(currency.address, `${where}.currency.address`),
  };
  return {
    asset: currencies.ours(named),
    unlisted: keyOf(named),
    atoms: reading.atoms(told.amount, `${where}.amount`),
    minimum: told.minimumAmount,
  };
}

/** The sum, if it is of this asset; anything else is not what was asked for. */
export function amountOf(told: Told, asset: AssetId, where: string): Amount {
  return told.asset === asset ? amount(asset, told.atoms) : reading.malformed(`${where}.currency`);
}
