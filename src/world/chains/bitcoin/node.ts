import { Fault } from '../../../kernel/fault.ts';
import { ratioFromDecimal, scaleInt } from '../../../kernel/ratio.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { Outbound } from '../../outbound/http.ts';
import { RpcError } from '../../outbound/json-rpc.ts';
import type { Reply } from '../../outbound/reading.ts';
import { RpcNode } from '../../outbound/rpc-node.ts';
import type { BlockRef } from '../chain.ts';
import type { BitcoinNetwork } from './networks.ts';
import {
  type BitcoinBlock,
  type BitcoinTx,
  type OutPoint,
  parseBlock,
  parseTransaction,
  type TxOutput,
} from './tx-codec.ts';

export interface NodeConfig {
  /** Of bitcoind with `-txindex`. */
  readonly rpcUrl: string;
  /** `user:password`, if it asks for them. */
  readonly rpcLogin?: Secret;
}

export interface FoundTx {
  readonly tx: BitcoinTx;
  /** Of the block that holds it, canonical or not; undefined while it is in the pool. */
  readonly blockHash: string | undefined;
}

export interface NodeHeader extends BlockRef {
  /** 1 for the tip; nothing for a block that is not of the canonical chain. */
  readonly confirmations: number;
}

export interface Unspent extends OutPoint {
  readonly script: string;
  readonly atoms: bigint;
  readonly height: number;
}

/** What the node says of a transaction that it does not know. */
const UNKNOWN_TX = -5;
/** It says so under the same code while its index of transactions is being built: it may have it all the same. */
const STILL_INDEXING = /being indexed/;
const COIN_ATOMS = 10n ** 8n;
/** Reading the whole set of unspent outputs takes minutes. */
const WHOLE_SET_MS = 15 * 60_000;
/** A node with this many more headers than blocks is still catching up. */
const MAX_LAG_BLOCKS = 6;

/**
 * A node's replies as checked values. Blocks and transactions are asked for in bytes: their amounts are whole, their hashes
 * are ours, and no block is too large for a reply. Every error of the node is a transient `Fault` unless a method says
 * otherwise.
 */
export class BitcoinNode extends RpcNode {
  readonly #network: BitcoinNetwork;

  constructor(network: BitcoinNetwork, { rpcUrl, rpcLogin }: NodeConfig, outbound: Outbound) {
    const login = rpcLogin && Buffer.from(rpcLogin.reveal()).toString('base64');
    const headers = login ? { authorization: `Basic ${login}` } : {};
    const patient: Outbound = (call) =>
      outbound(call.label === 'scantxoutset' ? { ...call, deadlineMs: WHOLE_SET_MS } : call);
    super({ at: `chain:${network.coin.asset.chainId}`, url: rpcUrl, headers }, patient);
    this.#network = network;
  }

  async expectNetwork(): Promise<void> {
    const told = await this.hashAt(0);
    if (told !== this.#network.genesis)
      throw new Fault('permanent', this.at, `the node serves another network: it begins with ${told}`);
    const { txindex } = this.#object(await this.read('getindexinfo'));
    if (!txindex)
      throw new Fault('permanent', this.at, 'the node keeps no index of transactions: start it with -txindex');
    if (this.#object(txindex).synced !== true) throw this.fault('the node is still building its index of transactions');
  }

  async tip(): Promise<BlockRef> {
    const info = this.#object(await this.read('getblockchaininfo'));
    const height = this.reading.whole(info.blocks, 'blocks');
    if (this.reading.whole(info.headers, 'headers') > height + MAX_LAG_BLOCKS)
      throw this.fault(`the node is catching up, at ${height}`);
    return { height, hash: this.#hash(info.bestblockhash) };
  }

  /** Of the canonical chain. */
  async hashAt(height: number): Promise<string> {
    return this.#hash(await this.read('getblockhash', [height]));
  }

  async header(hash: string): Promise<NodeHeader> {
    const header = this.#object(await this.read('getblockheader', [hash]));
    const { confirmations } = header;
    return {
      hash,
      height: this.reading.whole(header.height, 'height'),
      confirmations: confirmations === -1 ? 0 : this.reading.whole(confirmations, 'confirmations'),
    };
  }

  async block(hash: string): Promise<BitcoinBlock> {
    return this.#parsed(parseBlock, await this.blockBytes(hash));
  }

  async blockBytes(hash: string): Promise<string> {
    return this.#hex(await this.read('getblock', [hash, 0]));
  }

  async coinbaseOf(hash: string): Promise<BitcoinTx> {
    const { tx } = this.#object(await this.read('getblock', [hash, 1]));
    const bytes = await this.read('getrawtransaction', [this.reading.list(tx, 'tx')[0], false, hash]);
    return this.#parsed(parseTransaction, this.#hex(bytes));
  }

  /** In a block or in the pool. A node whose index is not complete cannot say that it has none, and does not. */
  async transaction(txid: string): Promise<FoundTx | undefined> {
    const told = await this.#told(txid, true);
    return told === undefined ? undefined : this.#found(told, txid);
  }

  /** What it paid, by its bytes alone: all that a node says beside them grows with whatever somebody wrote into it, past what we read. */
  async outputsOf(txid: string): Promise<readonly TxOutput[] | undefined> {
    const told = await this.#told(txid, false);
    return told === undefined ? undefined : this.#named(this.#hex(told), txid).outputs;
  }

  async #told(txid: string, isExplained: boolean): Promise<unknown> {
    try {
      return await this.ask('getrawtransaction', [txid, isExplained]);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (error.code === UNKNOWN_TX && !STILL_INDEXING.test(error.message)) return undefined;
      throw this.fault(error.message, error);
    }
  }

  /** As that very block holds it, whatever the index has come to; a `Fault` where the node does not show it there. */
  async transactionIn(blockHash: string, txid: string): Promise<BitcoinTx> {
    return this.#found(await this.read('getrawtransaction', [txid, true, blockHash]), txid).tx;
  }

  #found(told: unknown, txid: string): FoundTx {
    const { hex, blockhash } = this.#object(told);
    const tx = this.#named(this.#hex(hex), txid);
    return { tx, blockHash: blockhash === undefined ? undefined : this.#hash(blockhash) };
  }

  #named(hex: string, txid: string): BitcoinTx {
    const parsed = this.#parsed(parseTransaction, hex);
    // What moves money inside an extension block alone has no inputs here, and another hash than that of these bytes.
    const tx = parsed.inputs.length === 0 ? { ...parsed, txid } : parsed;
    if (tx.txid !== txid) throw this.fault(`asked for ${txid}, got ${tx.txid}`);
    return tx;
  }

  async poolSize(): Promise<number> {
    return this.reading.whole(this.#object(await this.read('getmempoolinfo')).size, 'size');
  }

  async pool(): Promise<readonly string[]> {
    return this.reading.list(await this.read('getrawmempool'), 'the pool').map((txid) => this.#hash(txid));
  }

  /** What a transaction in the pool and all those that spend its outputs pay together; undefined where it is not there. */
  async paidWith(txid: string): Promise<bigint | undefined> {
    const entry = await this.read('getmempoolentry', [txid], UNKNOWN_TX);
    return entry === undefined ? undefined : this.#atoms(this.#object(this.#object(entry).fees).descendant);
  }

  /** undefined if it is spent, in a block or (if they count) by the pool, or never was. */
  async unspent({ txid, vout }: OutPoint, poolCounts: boolean): Promise<{ readonly isCoinbase: boolean } | undefined> {
    const found = await this.read('gettxout', [txid, vout, poolCounts]);
    return found === null ? undefined : { isCoinbase: this.#object(found).coinbase === true };
  }

  /** Every unspent output under these descriptors, as of one block. */
  async unspentOf(descriptors: readonly unknown[]): Promise<{ readonly at: BlockRef; readonly unspents: Unspent[] }> {
    const found = this.#object(await this.read('scantxoutset', ['start', descriptors]));
    const unspents = this.reading.list(found.unspents, 'unspents').map((entry) => {
      const { txid, vout, scriptPubKey, amount, height } = this.#object(entry);
      const point = { txid: this.#hash(txid), vout: this.reading.whole(vout, 'vout') };
      return {
        ...point,
        script: this.#hex(scriptPubKey),
        atoms: this.#atoms(amount),
        height: this.reading.whole(height, 'height'),
      };
    });
    return { at: { height: this.reading.whole(found.height, 'height'), hash: this.#hash(found.bestblock) }, unspents };
  }

  /** Atoms for 1,000 virtual bytes: what gets into one of the next blocks, if the node can tell, and what its pool asks. */
  async feeRates(blocks: number): Promise<{ readonly estimate: bigint | undefined; readonly least: bigint }> {
    const { feerate } = this.#object(await this.read('estimatesmartfee', [blocks]));
    const { mempoolminfee } = this.#object(await this.read('getmempoolinfo'));
    return { estimate: feerate === undefined ? undefined : this.#atoms(feerate), least: this.#atoms(mempoolminfee) };
  }

  #parsed<T>(parse: (hex: string) => T, hex: string): T {
    try {
      return parse(hex);
    } catch (error) {
      throw this.fault('the node sent bytes that cannot be read', error);
    }
  }

  /** Coins in a JSON number; its shortest decimal is the one that the node wrote. */
  #atoms(value: unknown): bigint {
    if (typeof value === 'number' && value >= 0 && Number.isFinite(value)) {
      return scaleInt(COIN_ATOMS, ratioFromDecimal(String(value)), 'up');
    }
    return this.reading.malformed('an amount', value ?? null);
  }

  #hash(value: unknown): string {
    const hash = this.reading.text(value, 'a hash');
    return /^[0-9a-f]{64}$/.test(hash) ? hash : this.reading.malformed('a hash', value);
  }

  #hex(value: unknown): string {
    const hex = this.reading.text(value, 'bytes');
    return hex.length % 2 === 0 ? hex : this.reading.malformed('bytes', value);
  }

  #object(value: unknown): Reply {
    return this.reading.record(value, 'an answer');
  }
}
