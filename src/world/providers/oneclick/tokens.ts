import { Fault } from '../../../kernel/fault.ts';
import type { AssetId, ChainId } from '../../../kernel/ids.ts';
import type { Asset } from '../../chains/chain.ts';
import { spellingOf } from '../codec.ts';
import { type Ask, ONECLICK, reading } from './ask.ts';

interface Listed {
  readonly assetId: string;
  readonly blockchain: string;
  readonly symbol: string;
  /** None for a blockchain's own coin. */
  readonly contract: string | undefined;
  readonly decimals: number;
}

/** Our assets as 1Click knows them, in both directions. What it does not list, it does not trade. */
export interface Tokens {
  theirs(asset: AssetId): string | undefined;
  ours(assetId: string): AssetId | undefined;
}

export async function readTokens(ask: Ask, assets: readonly Asset[]): Promise<Tokens> {
  const answer = await ask('tokens', 'question', '/v0/tokens');
  if ('declined' in answer) throw new Fault('permanent', ONECLICK, answer.declined);
  const listed = reading.list(answer.value, 'tokens').map(readListed);
  const blockchains = new Map(
    [...new Set(assets.map(({ chainId }) => chainId))].map((chain) => [chain, blockchainOf(chain, assets, listed)]),
  );
  const pairs = assets.flatMap((asset) => {
    const blockchain = blockchains.get(asset.chainId);
    const rows = listed.filter((row) => row.blockchain === blockchain && isSame(row, asset));
    return rows.length === 1 && rows[0] ? [[asset.id, rows[0].assetId] as const] : [];
  });
  const theirs = new Map(pairs);
  const ours = new Map(pairs.map(([asset, id]) => [id, asset]));
  return { theirs: (asset) => theirs.get(asset), ours: (id) => ours.get(id) };
}

/**
 * Which of its blockchains is this chain of ours, by its own list: the one that lists more of our contracts than any other.
 * A chain that has nothing but a coin is the only one on which such a coin is listed. In doubt it is none.
 */
function blockchainOf(chain: ChainId, assets: readonly Asset[], listed: readonly Listed[]): string | undefined {
  const here = assets.filter(({ chainId }) => chainId === chain);
  const tokens = here.filter(({ native }) => !native);
  const known = tokens.length > 0 ? tokens : here;
  const counts = new Map<string, number>();
  for (const asset of known)
    for (const blockchain of new Set(listed.filter((row) => isSame(row, asset)).map((row) => row.blockchain)))
      counts.set(blockchain, (counts.get(blockchain) ?? 0) + 1);
  const [best, second] = [...counts].sort(([, a], [, b]) => b - a);
  return best && best[1] > (second?.[1] ?? 0) ? best[0] : undefined;
}

/** A token by its contract, never by its symbol, which anyone may choose. A coin has none: it is what else has no contract. */
function isSame(row: Listed, { token, symbol, decimals, native }: Asset): boolean {
  if (row.decimals !== decimals) return false;
  if (row.contract !== undefined) return row.contract === spellingOf(token);
  return native && row.symbol === symbol;
}

function readListed(value: unknown): Listed {
  const row = reading.record(value, 'tokens');
  return {
    assetId: reading.text(row.assetId, 'tokens.assetId'),
    blockchain: reading.text(row.blockchain, 'tokens.blockchain'),
    symbol: reading.text(row.symbol, 'tokens.symbol'),
    contract: row.contractAddress ? spellingOf(reading.text(row.contractAddress, 'tokens.contractAddress')) : undefined,
    decimals: reading.whole(row.decimals, 'tokens.decimals'),
  };
}
