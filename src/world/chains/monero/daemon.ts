import { hexToBytes } from '@noble/hashes/utils.js';
import { Fault } from '../../../kernel/fault.ts';
import type { Outbound } from '../../outbound/http.ts';
import { RpcNode } from '../../outbound/rpc-node.ts';
import type { BlockRef } from '../chain.ts';
import type { Blocks } from '../following.ts';
import { AT_MONERO, big, exactIntegers, list, type Reply, record, records, text, whole } from './reply.ts';
import { type MoneroTx, parseTransactionHex, transactionId } from './tx-codec.ts';

export interface FoundTx {
  readonly hash: string;
  readonly tx: MoneroTx;
  /** undefined while it is only in the pool. */
  readonly height: number | undefined;
  readonly doubleSpendSeen: boolean;
}

export interface Daemon extends Blocks {
  /** The newest block of a node of the main network that has caught up. */
  tip(): Promise<BlockRef>;
  blocks(first: number, last: number): Promise<readonly BlockRef[]>;
  /** Those that are in the pool or on the main chain. */
  transactions(hashes: readonly string[]): Promise<readonly FoundTx[]>;
  /** Hashes of the payments in a block; its coinbase spends nothing and is not among them. */
  paymentsIn(height: number): Promise<readonly string[]>;
  spentOnChain(keyImages: readonly string[]): Promise<readonly boolean[]>;
  /** Atoms for a byte of weight at this priority (1 is the lowest), and what fees are rounded up to. */
  feeRate(priority: number): Promise<{ readonly perByte: bigint; readonly quantum: bigint }>;
  send(hex: string): Promise<Reply>;
}

/** A restricted node answers for at most a hundred transactions a call. */
const TRANSACTIONS_PER_CALL = 100;
const SPENT_ON_CHAIN = 1;
/** A chain of one's own has the main network's addresses. */
const NETWORKS = new Set(['mainnet', 'fakechain']);

export function moneroDaemon(url: string, outbound: Outbound): Daemon {
  const exact = exactIntegers(outbound);
  const node = new RpcNode({ at: AT_MONERO, url: `${url}/json_rpc` }, exact);
  const ask = async (method: string, params = {}): Promise<Reply> => record(await node.read(method, params));
  const post = async (path: string, body: unknown): Promise<Reply> => {
    const reply = await exact({
      at: AT_MONERO,
      label: path,
      url: `${url}/${path}`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return parseAnswer(path, reply.status, reply.body);
  };
  const blocks = async (first: number, last: number): Promise<readonly BlockRef[]> => {
    if (last < first) return [];
    const range = await ask('get_block_headers_range', { start_height: first, end_height: last });
    return records(range, 'headers').map(blockRef);
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
    async paymentsIn(height) {
      const block = await ask('get_block', { height });
      const hashes = list(block, 'tx_hashes').map(String);
      // A list that was left out must not pass for an empty block: proofs are built on what is not in it.
      if (hashes.length !== whole(record(block.block_header), 'num_txes'))
        throw new Fault('transient', AT_MONERO, `the node does not list the payments of block ${height}`);
      return hashes;
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

/** The bytes must hash to the id under which they were handed out. */
function foundTx(entry: Reply): FoundTx {
  const hash = text(entry, 'tx_hash');
  const tx = parseTransactionHex(text(entry, 'pruned_as_hex') || text(entry, 'as_hex'));
  const id = transactionId(tx, hexToBytes(text(entry, 'prunable_hash')));
  if (id !== hash) throw new Fault('transient', AT_MONERO, `the node hands out ${id} for ${hash}`);
  return {
    hash,
    tx,
    height: entry.in_pool === true ? undefined : whole(entry, 'block_height'),
    doubleSpendSeen: entry.double_spend_seen === true,
  };
}
