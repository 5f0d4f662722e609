import { bytesToHex } from '@ethereumjs/util';
import { type Methods, RpcFailure } from '../rpc-server.ts';
import type { Block } from './block.ts';
import { type Call, type CallPlace, callAt, estimate } from './calls.ts';
import { type EvmChain, GAS_LIMIT } from './chain.ts';
import type { Log } from './machine.ts';
import { asIf, type Overrides } from './overrides.ts';
import { addressOf, blockFor, findBlock, heightOf, outOfRange, type Tag } from './place.ts';
import { hex, logsIn, printBlock, printMined, printPool, printReceipt, printTx } from './print.ts';
import { readAccount, wordKey } from './state.ts';
import { paidPerGas, type SentTx } from './transaction.ts';

export type Params = readonly unknown[];

/** What anybody may ask a public node. */
export function readMethods(chain: EvmChain): Methods<Params> {
  const accountAt = (account: unknown, tag: unknown) =>
    readAccount(chain.history.at(blockFor(chain, tag as Tag).height)(addressOf(account)));
  const placeOf = (tag: unknown, overrides: unknown): CallPlace => {
    const at = blockFor(chain, tag as Tag);
    return { at, read: asIf(chain, at, overrides as Overrides | undefined) };
  };
  const receiptsOf = (block: Block) => block.txs.map((_, index) => printReceipt(chain, { block, index }));
  return {
    web3_clientVersion: () => 'wherry-evm-simulator/1',
    net_version: () => `${chain.chainId}`,
    net_listening: () => true,
    eth_chainId: () => hex(chain.chainId),
    eth_syncing: () => false,
    eth_coinbase: () => chain.coinbase,
    eth_blockNumber: () => hex(chain.tip.height),
    eth_getBlockByNumber: ([tag, isFull]) =>
      printed(findBlock(chain, tag as Tag), (block) => printBlock(chain, block, isFull === true)),
    eth_getBlockByHash: ([hash, isFull]) =>
      printed(chain.byHash(String(hash)), (block) => printBlock(chain, block, isFull === true)),
    eth_getBlockReceipts: ([tag]) => printed(findBlock(chain, tag as Tag), receiptsOf),
    eth_getTransactionByHash: ([hash]) =>
      printed(chain.mined(String(hash)), (mined) => printMined(chain, mined)) ??
      printed(chain.pool.get(String(hash)), (sent) => printTx(chain, sent)),
    eth_getTransactionReceipt: ([hash]) => printed(chain.mined(String(hash)), (mined) => printReceipt(chain, mined)),
    eth_getRawTransactionByHash: ([hash]) => sentOf(chain, String(hash))?.raw ?? null,
    eth_getBalance: ([account, tag]) => hex(accountAt(account, tag).balance),
    eth_getTransactionCount: ([account, tag]) =>
      hex(tag === 'pending' ? chain.pendingNonceOf(addressOf(account)) : accountAt(account, tag).nonce),
    eth_getCode: ([account, tag]) => bytesToHex(chain.history.code(accountAt(account, tag).codeHash)),
    eth_getStorageAt([account, slot, tag]) {
      const key = wordKey(addressOf(account), BigInt(String(slot)).toString(16).padStart(64, '0'));
      return `0x${(chain.history.at(blockFor(chain, tag as Tag).height)(key) ?? '').padStart(64, '0')}`;
    },
    eth_call: ([call, tag, overrides]) => callAt(chain, call as Call, placeOf(tag, overrides)),
    eth_estimateGas: async ([call, tag, overrides]) =>
      hex(await estimate(chain, call as Call, placeOf(tag, overrides))),
    eth_getLogs: ([filter]) => logsBy(chain, filter as LogFilter),
    eth_gasPrice: () => hex(chain.baseFeeNext() + USUAL_TIP),
    eth_maxPriorityFeePerGas: () => hex(USUAL_TIP),
    eth_feeHistory: ([count, newest, percentiles]) =>
      feeHistory(chain, Number(count), blockFor(chain, newest as Tag), (percentiles ?? []) as number[]),
    txpool_content: () => printPool(chain),
    txpool_status() {
      const { pending, queued } = chain.pool.sorted(chain.nonceOf);
      return { pending: hex(pending.flat().length), queued: hex(queued.length) };
    },
  };
}

export const USUAL_TIP = 1_000_000_000n;

const printed = <T>(found: T | undefined, print: (one: T) => unknown): unknown =>
  found === undefined ? null : print(found);

function sentOf(chain: EvmChain, hash: string): SentTx | undefined {
  const mined = chain.mined(hash);
  return mined ? mined.block.txs[mined.index] : chain.pool.get(hash);
}

interface LogFilter {
  readonly blockHash?: string;
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | readonly string[] | null)[];
}

function logsBy(chain: EvmChain, { address, topics = [], ...where }: LogFilter): readonly object[] {
  const contracts = address === undefined ? undefined : new Set<string>([address].flat().map(addressOf));
  const wanted = topics.map((topic) =>
    topic === null ? undefined : new Set([topic].flat().map((one) => one.toLowerCase())),
  );
  const fits = (log: Log) =>
    (!contracts || contracts.has(log.address)) &&
    wanted.every((some, at) => !some || some.size === 0 || some.has(log.topics[at] ?? ''));
  return blocksIn(chain, where)
    .filter(({ receipts }) => receipts.some(({ logs }) => logs.length > 0))
    .flatMap((block) => logsIn(block).filter(fits));
}

function blocksIn(chain: EvmChain, { blockHash, fromBlock, toBlock }: LogFilter): readonly Block[] {
  if (blockHash !== undefined) {
    const block = chain.byHash(blockHash);
    if (!block) throw new RpcFailure(-32000, 'unknown block');
    return [block];
  }
  const heightAt = (tag: string | undefined) => findBlock(chain, tag)?.height ?? heightOf(`${tag}`);
  const first = heightAt(fromBlock);
  if (first > chain.tip.height) throw outOfRange(chain, first);
  return chain.blocks.slice(first, heightAt(toBlock) + 1);
}

function feeHistory(chain: EvmChain, count: number, newest: Block, percentiles: readonly number[]): object {
  const blocks = chain.blocks.slice(Math.max(0, newest.height + 1 - count), newest.height + 1);
  const after = chain.blocks[newest.height + 1]?.header.baseFeePerGas ?? chain.baseFeeNext();
  return {
    oldestBlock: hex(blocks[0]?.height ?? 0),
    baseFeePerGas: [...blocks.map(({ header }) => header.baseFeePerGas ?? 0n), after].map(hex),
    gasUsedRatio: blocks.map(({ header }) => Number(header.gasUsed) / Number(GAS_LIMIT)),
    ...(percentiles.length === 0
      ? {}
      : { reward: blocks.map((block) => percentiles.map((percentile) => hex(tipAt(chain, block, percentile)))) }),
  };
}

/** The tip under which so many of a hundred parts of a block's gas were bought. */
function tipAt(chain: EvmChain, { header, txs, receipts }: Block, percentile: number): bigint {
  const baseFee = header.baseFeePerGas ?? 0n;
  const bought = txs
    .map((sent, index) => ({
      tip: paidPerGas(sent.readAs(chain.common), baseFee) - baseFee,
      gas: receipts[index]?.gasUsed ?? 0n,
    }))
    .sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0));
  const threshold = (Number(header.gasUsed) * percentile) / 100;
  let sum = 0;
  for (const { tip, gas } of bought) {
    sum += Number(gas);
    if (sum >= threshold) return tip;
  }
  return 0n;
}
