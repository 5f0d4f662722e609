import { Fault } from '../../../kernel/fault.ts';
import type { AssetId } from '../../../kernel/ids.ts';
import type { Asset } from '../../chains/chain.ts';
import { spellingOf } from '../codec.ts';
import { type Ask, ONECLICK, reading } from './ask.ts';

/** How 1Click names a chain and, since coins have no contract to be known by, the chain's own coin. */
const CHAINS: Readonly<Record<number, { readonly blockchain: string; readonly coin: string }>> = {
  1: { blockchain: 'eth', coin: 'nep141:eth.omft.near' },
  10: { blockchain: 'op', coin: 'nep245:v2_1.omni.hot.tg:10_11111111111111111111' },
  56: { blockchain: 'bsc', coin: 'nep245:v2_1.omni.hot.tg:56_11111111111111111111' },
  137: { blockchain: 'pol', coin: 'nep245:v2_1.omni.hot.tg:137_11111111111111111111' },
  8453: { blockchain: 'base', coin: 'nep141:base.omft.near' },
  42161: { blockchain: 'arb', coin: 'nep141:arb.omft.near' },
  728126428: { blockchain: 'tron', coin: 'nep141:tron.omft.near' },
  1151111081099710: { blockchain: 'sol', coin: 'nep141:sol.omft.near' },
  20000000000001: { blockchain: 'btc', coin: 'nep141:btc.omft.near' },
  20000000000133: { blockchain: 'zec', coin: 'nep141:zec.omft.near' },
};

interface Listed {
  readonly assetId: string;
  readonly blockchain: string;
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
  const pairs = assets.flatMap((asset) => {
    const row = listed.find((one) => isSame(one, asset));
    return row ? [[asset.id, row.assetId] as const] : [];
  });
  const theirs = new Map(pairs);
  const ours = new Map(pairs.map(([asset, id]) => [id, asset]));
  return { theirs: (asset) => theirs.get(asset), ours: (id) => ours.get(id) };
}

/** By chain and contract, or the coin's own id; never by symbol, which anyone may choose. */
function isSame(row: Listed, asset: Asset): boolean {
  const chain = CHAINS[asset.chainId];
  if (row.blockchain !== chain?.blockchain || row.decimals !== asset.decimals) return false;
  return asset.native ? row.assetId === chain.coin : row.contract === spellingOf(asset.token);
}

function readListed(value: unknown): Listed {
  const row = reading.record(value, 'tokens');
  return {
    assetId: reading.text(row.assetId, 'tokens.assetId'),
    blockchain: reading.text(row.blockchain, 'tokens.blockchain'),
    contract: row.contractAddress ? spellingOf(reading.text(row.contractAddress, 'tokens.contractAddress')) : undefined,
    decimals: reading.whole(row.decimals, 'tokens.decimals'),
  };
}
