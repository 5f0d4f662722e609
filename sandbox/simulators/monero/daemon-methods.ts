import { bytesToHex } from '@noble/hashes/utils.js';
import { keccak } from '../../../src/world/chains/monero/codec.ts';
import { RpcFailure } from '../rpc-server.ts';
import { type Block, FEE_PER_BYTE, FEE_QUANTUM, type Ledger, type LedgerTx } from './ledger.ts';
import { poolMethods } from './pool-methods.ts';
import { blockAsJson, blockBytes, HARD_FORK, txAsJson } from './print.ts';
import type { Method, Params, Protocol } from './server.ts';
import { feeRates, payeeOf } from './spend.ts';

const OK = { status: 'OK', untrusted: false };
const VERSION = 196_618;
const FLAGS = ['double_spend', 'fee_too_low', 'invalid_input', 'too_few_outputs'] as const;
const NOT_A_FLAG = ['invalid_output', 'low_mixin', 'overspend', 'sanity_check_failed', 'too_big'] as const;

const texts = (params: Params, field: string): string[] => {
  const value = params[field] ?? [];
  return Array.isArray(value) ? value.map(String) : [];
};

/** What the adapter, the sandbox and whoever looks at its money ask of monerod: https://docs.getmonero.org/rpc-library/monerod-rpc/ */
export function daemonMethods(ledger: Ledger): Protocol {
  const info = () => ({
    ...{ height: ledger.height, height_without_bootstrap: ledger.height, target_height: 0, target: 120 },
    ...{ top_block_hash: ledger.tip.hash, tx_pool_size: ledger.pool.size, difficulty: 1, wide_difficulty: '0x1' },
    ...{ synchronized: true, busy_syncing: false, offline: true, nettype: 'fakechain', version: 'simulator' },
    ...{ mainnet: false, testnet: false, stagenet: false, ...OK },
  });
  return {
    methods: withOldNames({
      get_version: () => ({ release: false, version: VERSION, ...OK }),
      get_info: info,
      hard_fork_info: () => ({ earliest_height: 1, enabled: true, state: 2, version: HARD_FORK, voting: 0, ...OK }),
      get_fee_estimate: () => ({
        fee: FEE_PER_BYTE,
        fees: feeRates(),
        quantization_mask: FEE_QUANTUM,
        ...OK,
      }),
      ...blockMethods(ledger),
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
    }),
    paths: withOldNames({
      get_info: info,
      get_height: () => ({ height: ledger.height, hash: ledger.tip.hash, ...OK }),
      get_transactions: (params) => transactions(ledger, params),
      ...poolMethods(ledger),
      is_key_image_spent: (params) => ({
        spent_status: texts(params, 'key_images').map((image) => SPENT_STATUS[ledger.spentIn(image) ?? 'no']),
        ...OK,
      }),
      send_raw_transaction: ({ tx_as_hex: hex }) => submitted(ledger, String(hex)),
      pop_blocks({ nblocks }) {
        ledger.pop(Number(nblocks));
        return { height: ledger.height, ...OK };
      },
    }),
  };
}

/** The names that some had once, and to which they still answer. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  get_block_count: 'getblockcount',
  on_get_block_hash: 'on_getblockhash',
  get_last_block_header: 'getlastblockheader',
  get_block_header_by_hash: 'getblockheaderbyhash',
  get_block_header_by_height: 'getblockheaderbyheight',
  get_block_headers_range: 'getblockheadersrange',
  get_block: 'getblock',
  get_info: 'getinfo',
  get_height: 'getheight',
  get_transactions: 'gettransactions',
  send_raw_transaction: 'sendrawtransaction',
};

const withOldNames = (methods: Readonly<Record<string, Method>>): Readonly<Record<string, Method>> =>
  Object.fromEntries(
    Object.entries(methods).flatMap(([name, method]) => {
      const old = OLD_NAMES[name];
      return [[name, method] as const, ...(old ? [[old, method] as const] : [])];
    }),
  );

function blockMethods(ledger: Ledger): Readonly<Record<string, Method>> {
  const at = (height: unknown): Block => {
    const block = ledger.blocks[Number(height)];
    if (block) return block;
    const top = ledger.height - 1;
    throw new RpcFailure(-2, `Requested block height: ${height} greater than current top block height: ${top}`);
  };
  const by = (hash: unknown): Block => {
    const name = String(hash);
    if (!/^[0-9a-f]{64}$/i.test(name))
      throw new RpcFailure(-1, `Failed to parse hex representation of block hash. Hex = ${name}.`);
    const block = ledger.blocks.find((one) => one.hash === name.toLowerCase());
    if (!block) throw new RpcFailure(-5, `Internal error: can't get block by hash. Hash = ${name}.`);
    return block;
  };
  const print = (block: Block) => header(ledger, block);
  return {
    get_block_count: () => ({ count: ledger.height, ...OK }),
    on_get_block_hash(params) {
      const [height] = Array.isArray(params) ? (params as readonly unknown[]) : [];
      if (height === undefined) throw new RpcFailure(-1, 'Wrong parameters, expected height');
      return at(height).hash;
    },
    get_last_block_header: () => ({ block_header: print(ledger.tip), ...OK }),
    get_block_header_by_height: ({ height }) => ({ block_header: print(at(height)), ...OK }),
    get_block_header_by_hash(params) {
      const several = texts(params, 'hashes').map((hash) => print(by(hash)));
      const single = params.hash ? { block_header: print(by(params.hash)) } : {};
      return { ...single, ...(several.length > 0 ? { block_headers: several } : {}), ...OK };
    },
    get_block_headers_range({ start_height: start, end_height: end }) {
      if (Number(start) > Number(end) || Number(end) >= ledger.height)
        throw new RpcFailure(-2, 'Invalid start/end heights.');
      return { headers: ledger.blocks.slice(Number(start), Number(end) + 1).map(print), ...OK };
    },
    get_block({ height, hash }) {
      const block = hash ? by(hash) : at(height ?? 0);
      const tx_hashes = block.payments.map((tx) => tx.hash);
      return {
        ...{ blob: blockBytes(block), block_header: print(block), json: blockAsJson(block) },
        ...{ miner_tx_hash: block.coinbase.hash, ...(tx_hashes.length > 0 ? { tx_hashes } : {}), ...OK },
      };
    },
  };
}

const SPENT_STATUS = { no: 0, chain: 1, pool: 2 } as const;

function header(ledger: Ledger, block: Block) {
  const { height, hash, previous, timestamp, coinbase, payments } = block;
  const bytes = [coinbase, ...payments].reduce((sum, { hex }) => sum + hex.length / 2, 0);
  return {
    ...{ major_version: HARD_FORK, minor_version: HARD_FORK, nonce: 0, block_size: bytes, block_weight: bytes },
    ...{ difficulty: 1, wide_difficulty: '0x1', cumulative_difficulty: height + 1 },
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

function transactions(ledger: Ledger, params: Params) {
  const found = texts(params, 'txs_hashes').map((hash) => ({ hash, known: ledger.find(hash.toLowerCase()) }));
  const missed = found.filter(({ known }) => !known).map(({ hash }) => hash);
  const txs = found.flatMap(({ known }) => (known ? [transaction(ledger, known.tx, known.block, params)] : []));
  const apart = {
    txs_as_hex: txs.map(({ as_hex }) => as_hex),
    ...(params.decode_as_json ? { txs_as_json: txs.map(({ as_json }) => as_json) } : {}),
  };
  return {
    ...(txs.length > 0 ? { txs, ...apart } : {}),
    ...(missed.length > 0 ? { missed_tx: missed } : {}),
    ...OK,
  };
}

function transaction(ledger: Ledger, tx: LedgerTx, block: Block | undefined, params: Params) {
  const [prune, isSplit] = [params.prune === true, params.prune === true || params.split === true];
  const cut = tx.hex.length - 2 * tx.tx.proofs.length;
  const place = block
    ? {
        ...{ block_height: block.height, block_timestamp: block.timestamp },
        ...{ confirmations: ledger.height - block.height, output_indices: positions(ledger, tx) },
      }
    : { relayed: true, received_timestamp: ledger.receivedAt(tx.hash) };
  return {
    tx_hash: tx.hash,
    as_hex: isSplit ? '' : tx.hex,
    as_json: params.decode_as_json === true ? txAsJson(tx, block?.height) : '',
    pruned_as_hex: isSplit ? tx.hex.slice(0, cut) : '',
    prunable_as_hex: isSplit && !prune ? tx.hex.slice(cut) : '',
    prunable_hash: tx.tx.coinbase ? '0'.repeat(64) : bytesToHex(keccak(tx.tx.proofs)),
    in_pool: block === undefined,
    double_spend_seen: block === undefined && ledger.isContested(tx),
    ...place,
  };
}

function positions(ledger: Ledger, { hash, tx }: LedgerTx): readonly number[] {
  const first = ledger.firstPosition(hash);
  return tx.outputs.map((_, at) => first + at);
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
