import { RpcFailure } from '../rpc-server.ts';
import type { Block } from './block.ts';
import type { EvmChain } from './chain.ts';

export type Tag = string | { readonly blockHash?: string; readonly blockNumber?: string } | undefined;

/** So far behind the tip stand the blocks that the network calls safe and final. */
const BEHIND: Readonly<Record<string, number>> = { latest: 0, pending: 0, safe: 1, finalized: 2 };

/** undefined where there is no such block. */
export function findBlock(chain: EvmChain, tag: Tag = 'latest'): Block | undefined {
  if (typeof tag === 'object') return tag.blockHash ? chain.byHash(tag.blockHash) : findBlock(chain, tag.blockNumber);
  const behind = BEHIND[tag];
  if (behind !== undefined) return chain.blocks[Math.max(0, chain.tip.height - behind)];
  return chain.blocks[tag === 'earliest' ? 0 : heightOf(tag)];
}

export function blockFor(chain: EvmChain, tag: Tag): Block {
  const block = findBlock(chain, tag);
  if (block) return block;
  if (typeof tag === 'object' && tag.blockHash) throw new RpcFailure(-32001, 'Resource not found');
  throw outOfRange(chain, heightOf(typeof tag === 'object' ? `${tag.blockNumber}` : `${tag}`));
}

export const outOfRange = (chain: EvmChain, height: number): RpcFailure =>
  new RpcFailure(-32602, `BlockOutOfRangeError: block height is ${chain.tip.height} but requested was ${height}`);

export function heightOf(tag: string): number {
  if (!/^0x[0-9a-f]+$/i.test(tag)) throw new RpcFailure(-32602, `invalid block number: ${tag}`);
  return Number(BigInt(tag));
}

/** As the node keeps it, whatever the case of its letters. */
export function addressOf(value: unknown): `0x${string}` {
  if (typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value)) return value.toLowerCase() as `0x${string}`;
  throw new RpcFailure(-32602, 'invalid string length');
}
