import { hexToBytes } from '@noble/hashes/utils.js';
import { Fault } from '../../../kernel/fault.ts';
import type { Outbound } from '../../outbound/http.ts';
import { withRoom } from '../../outbound/large-reply.ts';
import { RpcNode } from '../../outbound/rpc-node.ts';
import type { BlockRef } from '../chain.ts';
import type { Blocks, ReadBlock } from '../following.ts';
import { AT_MONERO, big, exactIntegers, list, type Reply, record, records, text, whole } from './reply.ts';
import { type MoneroTx, parseTransactionHex, transactionId } from './tx-codec.ts';

export interface FoundTx {
  readonly hash: string;
  readonly tx: MoneroTx;
  /** undefined while it is only in the pool. */
  readonly height: number | undefined;
  readonly doubleSpendSeen: boolean;
}

export interface Header extends ReadBlock {
  readonly parentHash: string;
  /** The transaction that pays the miner. */
  readonly coinbase: string;
  /** How many payments the block has; its coinbase spends nothing and is not among them. */
  readonly payments: number;
}

export interface Daemon extends Blocks {
  /** The newest block of a node of the main network that has caught up. */
  tip(): Promise<BlockRef>;
  blocks(first: number, last: number): Promise<readonly Header[]>;
  /** Those that are in the pool or on the main chain. */
  transactions(hashes: readonly string[]): Promise<readonly FoundTx[]>;
  /** Hashes of the payments in this very block, wherever the chain has gone meanwhile. */
  paymentsIn(block: Header): Promise<readonly string[]>;
  /** Hashes of all that waits to be mined, as far as the node tells strangers of it. */
  pool(): Promise<readonly string[]>;
  spentOnChain(keyImages: readonly string[]): Promise<readonly boolean[]>;
  /** Atoms for a byte of weight at this priority (1 is the lowest), and what fees are rounded up to. */
  feeRate(priority: number): Promise<{ readonly perByte: bigint; readonly quantum: bigint }>;
  send(hex: string): Promise<Reply>;
}

/** A restricted node answers for at most a hundred transactions a call. */
export const TRANSACTIONS_PER_CALL = 100;
const SPENT_ON_CHAIN = 1;
/** A chain of one's own has the main network's addresses. */
const NETWORKS = new Set(['mainnet', 'fakechain']);

export function moneroDaemon(url: string, outbound: Outbound): Daemon {
  const exact = exactIntegers(outbound);
  const node = new RpcNode({ at: AT_MONERO, url: `${url}/json_rpc` }, exact);
  const ask = async (method: string, params = {}): Promise<Reply> => record(await node.read(method, params));
  const post = async (path: string, body: unknown): Promise<Reply> => {
    const call = { at: AT_MONERO, label: path, url: `${url}/${path}`, method: 'POST' } as const;
    const asked = { ...call, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const reply = await withRoom(path, (room) => exact({ ...asked, ...room }));
    return parseAnswer(path, reply.status, reply.body);
  };
  const blocks = async (first: number, last: number): Promise<readonly Header[]> => {
    if (last < first) return [];
    const range = await ask('get_block_headers_range', { start_height: first, end_height: last });
    const headers = records(range, 'headers').map(headerOf);
    if (headers.length === last - first + 1 && headers.every(({ height }, at) => height === first + at)) return headers;
    throw new Fault('transient', AT_MONERO, `the node does not tell all blocks from ${first} to ${last}`);
  };

  return {
    async tip() {
      const info = await ask('get_info');
      const network = text(info, 'nettype');
      if (!NETWORKS.has(network)) throw new Fault('permanent', AT_MONERO, `the node is one of ${network}`);
      if (info.synchronized !== true) throw new Fault('transient', AT_MONERO, 'the node has not caught up');
      return { height: whole(info, 'height') - 1, hash: text(info, 'top_block_hash') };
    },
    at: AT_MONERO,
    async hashAt(height) {
      const last = blockRef(record((await ask('get_last_block_header')).block_header));
      if (height >= last.height) return height === last.height ? last.hash : undefined;
      return (await blocks(height, height))[0]?.hash;
    },
    blocks,
    async transactions(hashes) {
      const found: FoundTx[] = [];
      for (let at = 0; at < hashes.length; at += TRANSACTIONS_PER_CALL) {
        const wanted = hashes.slice(at, at + TRANSACTIONS_PER_CALL);
        const answer = mustBeOk(await post('get_transactions', { txs_hashes: wanted, prune: true }));
        found.push(...records(answer, 'txs').map(foundTx));
      }
      return found;
    },
    async paymentsIn({ height, hash, payments }) {
      if (payments === 0) return [];
      const block = record(await node.readLarge(`block ${height}`, 'get_block', { hash }));
      const hashes = list(block, 'tx_hashes').map(String);
      // A list that was left out must not pass for an empty block: proofs are built on what is not in it.
      if (hashes.length === payments && text(record(block.block_header), 'hash') === hash) return hashes;
      throw new Fault('transient', AT_MONERO, `the node does not list the payments of block ${height}`);
    },
    async pool() {
      return list(mustBeOk(await post('get_transaction_pool_hashes', {})), 'tx_hashes').map(String);
    },
    async spentOnChain(keyImages) {
      const answer = mustBeOk(await post('is_key_image_spent', { key_images: keyImages }));
      return list(answer, 'spent_status').map((status) => status === SPENT_ON_CHAIN);
    },
    async feeRate(priority) {
      const estimate = await ask('get_fee_estimate');
      const rate = list(estimate, 'fees')[priority - 1];
      const perByte = rate === undefined ? big(estimate, 'fee') : big({ rate }, 'rate');
      return { perByte, quantum: big(estimate, 'quantization_mask') };
    },
    send: (hex) => post('send_raw_transaction', { tx_as_hex: hex, do_not_relay: false }),
  };
}

function parseAnswer(path: string, status: number, body: string): Reply {
  try {
    return record(JSON.parse(body));
  } catch (error) {
    throw new Fault('ambiguous', AT_MONERO, `${path}: HTTP ${status} without an answer`, error);
  }
}

function mustBeOk(answer: Reply): Reply {
  if (answer.status === 'OK') return answer;
  throw new Fault('transient', AT_MONERO, `the node answers ${JSON.stringify(answer.status)}`);
}

const blockRef = (header: Reply): BlockRef => ({ height: whole(header, 'height'), hash: text(header, 'hash') });

const headerOf = (header: Reply): Header => ({
  ...blockRef(header),
  parentHash: text(header, 'prev_hash'),
  coinbase: text(header, 'miner_tx_hash'),
  payments: whole(header, 'num_txes'),
});

/** The bytes must hash to the id under which they were handed out. */
function foundTx(entry: Reply): FoundTx {
  const hash = text(entry, 'tx_hash');
  const tx = parseTransactionHex(text(entry, 'pruned_as_hex') || text(entry, 'as_hex'));
  const id = tx.isOutdated ? hash : transactionId(tx, hexToBytes(text(entry, 'prunable_hash')));
  if (id !== hash) throw new Fault('transient', AT_MONERO, `the node hands out ${id} for ${hash}`);
  return {
    hash,
    tx,
    height: entry.in_pool === true ? undefined : whole(entry, 'block_height'),
    doubleSpendSeen: entry.double_spend_seen === true,
  };
}
