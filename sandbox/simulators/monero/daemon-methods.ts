import { bytesToHex } from '@noble/hashes/utils.js';
import { keccak } from '../../../src/world/chains/monero/codec.ts';
import { RpcFailure } from '../rpc-server.ts';
import { type Block, FEE_PER_BYTE, FEE_QUANTUM, type Ledger } from './ledger.ts';
import type { Params, Protocol } from './server.ts';
import { feeRates, payeeOf } from './spend.ts';

const OK = { status: 'OK', untrusted: false };
const VERSION = 196_618;
const FLAGS = ['double_spend', 'fee_too_low', 'invalid_input', 'too_few_outputs'] as const;
const NOT_A_FLAG = ['invalid_output', 'low_mixin', 'overspend', 'sanity_check_failed', 'too_big'] as const;

const texts = (params: Params, field: string): string[] => {
  const value = params[field] ?? [];
  return Array.isArray(value) ? value.map(String) : [];
};

/** What the adapter and the sandbox ask of monerod. */
export function daemonMethods(ledger: Ledger): Protocol {
  const blockAt = (height: unknown): Block => {
    const block = ledger.blocks[Number(height)];
    if (block) return block;
    throw new RpcFailure(
      -2,
      `Requested block height: ${height} greater than current top block height: ${ledger.height - 1}`,
    );
  };
  return {
    methods: {
      get_version: () => ({ release: false, version: VERSION, ...OK }),
      get_info: () => ({
        height: ledger.height,
        top_block_hash: ledger.tip.hash,
        tx_pool_size: ledger.pool.size,
        synchronized: true,
        offline: true,
        nettype: 'fakechain',
        version: 'simulator',
        ...OK,
      }),
      get_last_block_header: () => ({ block_header: header(ledger, ledger.tip), ...OK }),
      get_block_header_by_height: ({ height }) => ({ block_header: header(ledger, blockAt(height)), ...OK }),
      get_block_headers_range({ start_height: start, end_height: end }) {
        if (Number(start) > Number(end) || Number(end) >= ledger.height)
          throw new RpcFailure(-2, 'Invalid start/end heights.');
        const blocks = ledger.blocks.slice(Number(start), Number(end) + 1);
        return { headers: blocks.map((block) => header(ledger, block)), ...OK };
      },
      get_block({ height }) {
        const block = blockAt(height);
        const tx_hashes = block.payments.map(({ hash }) => hash);
        return { block_header: header(ledger, block), ...(tx_hashes.length > 0 ? { tx_hashes } : {}), ...OK };
      },
      get_fee_estimate: () => ({
        fee: FEE_PER_BYTE,
        fees: feeRates(),
        quantization_mask: FEE_QUANTUM,
        ...OK,
      }),
      generateblocks({ amount_of_blocks: count, wallet_address: address }) {
        payeeOf(String(address));
        const blocks = ledger.mineTo(String(address), Number(count));
        return { blocks: blocks.map(({ hash }) => hash), height: ledger.height - 1, ...OK };
      },
      flush_txpool(params) {
        const hashes = texts(params, 'txids');
        ledger.flush(hashes.length > 0 ? hashes : [...ledger.pool.keys()]);
        return OK;
      },
    },
    paths: {
      get_height: () => ({ height: ledger.height, hash: ledger.tip.hash, ...OK }),
      get_transactions: (params) => transactions(ledger, texts(params, 'txs_hashes'), params.prune === true),
      is_key_image_spent: (params) => ({
        spent_status: texts(params, 'key_images').map((image) => SPENT_STATUS[ledger.spentIn(image) ?? 'no']),
        ...OK,
      }),
      send_raw_transaction: ({ tx_as_hex: hex }) => submitted(ledger, String(hex)),
      pop_blocks({ nblocks }) {
        ledger.pop(Number(nblocks));
        return { height: ledger.height, ...OK };
      },
    },
  };
}

const SPENT_STATUS = { no: 0, chain: 1, pool: 2 } as const;

function header(ledger: Ledger, { height, hash, previous, timestamp, coinbase, payments }: Block) {
  return {
    height,
    hash,
    prev_hash: previous,
    timestamp,
    depth: ledger.height - 1 - height,
    num_txes: payments.length,
    miner_tx_hash: coinbase.hash,
    reward: coinbase.tx.outputs.reduce((sum, { clearAtoms }) => sum + clearAtoms, 0n),
    orphan_status: false,
  };
}

function transactions(ledger: Ledger, hashes: readonly string[], prune: boolean) {
  const found = hashes.map((hash) => ({ hash, known: ledger.find(hash) }));
  const missed = found.filter(({ known }) => !known).map(({ hash }) => hash);
  const txs = found.flatMap(({ known }) => {
    if (!known) return [];
    const { tx, block } = known;
    const pruned = tx.hex.slice(0, tx.hex.length - 2 * tx.tx.proofs.length);
    return {
      tx_hash: tx.hash,
      as_hex: prune ? '' : tx.hex,
      pruned_as_hex: prune ? pruned : '',
      prunable_hash: tx.tx.coinbase ? '0'.repeat(64) : bytesToHex(keccak(tx.tx.proofs)),
      in_pool: block === undefined,
      double_spend_seen: block === undefined && ledger.isContested(tx),
      ...(block ? { block_height: block.height, confirmations: ledger.height - block.height } : { relayed: true }),
    };
  });
  return { ...(txs.length > 0 ? { txs } : {}), ...(missed.length > 0 ? { missed_tx: missed } : {}), ...OK };
}

function submitted(ledger: Ledger, hex: string) {
  const wasKnown = ledger.pool.size;
  const rejection = ledger.submit(hex);
  const isNews = ledger.pool.size > wasKnown;
  const flags = Object.fromEntries([
    ...NOT_A_FLAG.map((flag) => [flag, false] as const),
    ...FLAGS.map((flag) => [flag, rejection === flag] as const),
  ]);
  const relay = { not_relayed: !rejection && !isNews, reason: !rejection && !isNews ? 'Not relayed' : '' };
  return { ...flags, ...relay, status: rejection ? 'Failed' : 'OK', untrusted: false };
}
