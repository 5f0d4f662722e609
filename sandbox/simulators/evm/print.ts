import type { BlockHeader } from '@ethereumjs/block';
import { bytesToHex } from '@ethereumjs/util';
import type { Block, Mined, Receipt } from './block.ts';
import type { EvmChain } from './chain.ts';
import type { Log } from './machine.ts';
import { offerOf, paidPerGas, type SentTx } from './transaction.ts';

export const hex = (value: bigint | number): string => `0x${value.toString(16)}`;

export function printBlock(chain: EvmChain, block: Block, isFull: boolean): object {
  const { height, hash, header, txs } = block;
  const { stateRoot, transactionsTrie, receiptTrie, logsBloom, withdrawalsRoot, requestsHash } = header;
  return {
    ...{ hash, number: hex(height), parentHash: bytesToHex(header.parentHash), miner: header.coinbase.toString() },
    ...{ sha3Uncles: bytesToHex(header.uncleHash), stateRoot: bytesToHex(stateRoot), logsBloom: bytesToHex(logsBloom) },
    ...{ transactionsRoot: bytesToHex(transactionsTrie), receiptsRoot: bytesToHex(receiptTrie) },
    ...{
      difficulty: '0x0',
      gasLimit: hex(header.gasLimit),
      gasUsed: hex(header.gasUsed),
      size: hex(header.serialize().length),
    },
    ...{ timestamp: hex(header.timestamp), extraData: bytesToHex(header.extraData), nonce: bytesToHex(header.nonce) },
    ...{ mixHash: bytesToHex(header.mixHash), baseFeePerGas: hex(header.baseFeePerGas ?? 0n) },
    ...(withdrawalsRoot ? { withdrawalsRoot: bytesToHex(withdrawalsRoot), withdrawals: [] } : {}),
    ...(requestsHash ? { requestsHash: bytesToHex(requestsHash) } : {}),
    ...{ blobGasUsed: '0x0', excessBlobGas: '0x0', uncles: [] },
    transactions: isFull
      ? txs.map((sent, index) => printTx(chain, sent, { block, index, header }))
      : txs.map((sent) => sent.hash),
  };
}

type Place = Mined & { readonly header: BlockHeader };

export function printTx(chain: EvmChain, sent: SentTx, place?: Place): object {
  const { hash, from } = sent;
  const tx = sent.readAs(chain.common);
  const { v = '0x0', r = '0x0', s = '0x0', ...json } = tx.toJSON() as Readonly<Record<string, string>>;
  const { max, tip } = offerOf(tx);
  const isPriced = 'maxFeePerGas' in tx;
  return {
    ...{
      hash,
      from,
      type: hex(tx.type),
      chainId: hex(tx.common.chainId()),
      nonce: hex(tx.nonce),
      gas: hex(tx.gasLimit),
    },
    ...{ to: tx.to?.toString() ?? null, value: hex(tx.value), input: bytesToHex(tx.data), r, s, v },
    ...(tx.type === 0 ? {} : { yParity: v, accessList: json.accessList ?? [] }),
    ...(isPriced ? { maxFeePerGas: hex(max), maxPriorityFeePerGas: hex(tip) } : {}),
    ...(json.authorizationList ? { authorizationList: json.authorizationList } : {}),
    gasPrice: hex(place ? paidPerGas(tx, place.header.baseFeePerGas ?? 0n) : max),
    ...{ blockHash: place?.block.hash ?? null, blockNumber: place ? hex(place.block.height) : null },
    transactionIndex: place ? hex(place.index) : null,
    ...(place ? { blockTimestamp: hex(place.header.timestamp) } : {}),
  };
}

export const printMined = (chain: EvmChain, { block, index }: Mined): object =>
  printTx(chain, block.txs[index] as SentTx, { block, index, header: block.header });

export function printReceipt(chain: EvmChain, { block, index }: Mined): object {
  const [sent, receipt] = [block.txs[index] as SentTx, block.receipts[index] as Receipt];
  const { hash, from } = sent;
  const tx = sent.readAs(chain.common);
  const { ok, gasUsed, gasBefore, price, created, bloom } = receipt;
  return {
    ...{
      type: hex(tx.type),
      status: ok ? '0x1' : '0x0',
      cumulativeGasUsed: hex(gasBefore + gasUsed),
      logsBloom: bloom,
    },
    ...{ transactionHash: hash, transactionIndex: hex(index), blockHash: block.hash, blockNumber: hex(block.height) },
    ...{ gasUsed: hex(gasUsed), effectiveGasPrice: hex(price), from, to: tx.to?.toString() ?? null },
    contractAddress: created ?? null,
    logs: logsIn(block).filter((log) => log.transactionHash === hash),
  };
}

interface PrintedLog extends Log {
  readonly transactionHash: string;
}

/** All of a block, in the order of the chain. */
export function logsIn(block: Block): readonly PrintedLog[] {
  const place = { blockHash: block.hash, blockNumber: hex(block.height), blockTimestamp: hex(block.header.timestamp) };
  return block.receipts
    .flatMap(({ logs }, index) =>
      logs.map((log) => ({ ...log, transactionHash: (block.txs[index] as SentTx).hash, transactionIndex: hex(index) })),
    )
    .map((log, at) => ({ ...log, ...place, logIndex: hex(at), removed: false }));
}

/** By sender and nonce, as the pool is shown. */
export function printPool(chain: EvmChain): object {
  const { pending, queued } = chain.pool.sorted(chain.nonceOf);
  const bySender = (all: readonly SentTx[]) => {
    const shown: Record<string, Record<string, object>> = {};
    for (const sent of all) {
      const own = shown[sent.from] ?? {};
      own[`${sent.readAs(chain.common).nonce}`] = printTx(chain, sent);
      shown[sent.from] = own;
    }
    return shown;
  };
  return { pending: bySender(pending.flat()), queued: bySender(queued) };
}
