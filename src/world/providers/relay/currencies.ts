import { type Amount, amount } from '../../../kernel/amount.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { AssetId } from '../../../kernel/ids.ts';
import type { Asset } from '../../chains/chain.ts';
import { spellingOf } from '../codec.ts';
import { type Ask, RELAY, reading } from './ask.ts';

/** Relay numbers some chains in its own way; EVM networks and Tron have the number that everyone gives them. */
const ITS_OWN_NUMBER: Readonly<Record<number, number>> = { 1151111081099710: 792703809, 20000000000001: 8253038 };

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
  const theirs = new Map(assets.flatMap((asset) => pairOf(asset, chains)));
  const ours = new Map([...theirs].map(([asset, currency]) => [keyOf(currency), asset]));
  return { theirs: (asset) => theirs.get(asset), ours: (currency) => ours.get(keyOf(currency)) };
}

/** By chain and address, never by symbol, which anyone may choose. */
function pairOf(asset: Asset, chains: readonly ListedChain[]): readonly (readonly [AssetId, Currency])[] {
  const chain = chains.find(({ id }) => id === (ITS_OWN_NUMBER[asset.chainId] ?? asset.chainId));
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
