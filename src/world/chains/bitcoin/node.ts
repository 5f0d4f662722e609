import { Fault } from '../../../kernel/fault.ts';
import { ratioFromDecimal, scaleInt } from '../../../kernel/ratio.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { Outbound } from '../../outbound/http.ts';
import { jsonRpc, type Rpc, RpcError } from '../../outbound/json-rpc.ts';
import type { BlockRef } from '../chain.ts';
import type { BitcoinNetwork } from './networks.ts';
import { type BitcoinBlock, type BitcoinTx, type OutPoint, parseBlock, parseTransaction } from './tx-codec.ts';

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
const COIN_ATOMS = 10n ** 8n;
/** Reading the whole set of unspent outputs takes minutes. */
const WHOLE_SET_MS = 15 * 60_000;
/** A node with this many more headers than blocks is still catching up. */
const MAX_LAG_BLOCKS = 6;

type Json = Readonly<Record<string, unknown>>;

/**
 * A node's replies as checked values. Blocks and transactions are asked for in bytes: their amounts are whole, their hashes
 * are ours, and no block is too large for a reply. Every error of the node is a transient `Fault` unless a method says
 * otherwise.
 */
export class BitcoinNode {
  readonly at: string;
  readonly #network: BitcoinNetwork;
  readonly #rpc: Rpc;

  constructor(network: BitcoinNetwork, { rpcUrl, rpcLogin }: NodeConfig, outbound: Outbound) {
    this.at = `chain:${network.coin.asset.chainId}`;
    this.#network = network;
    const login = rpcLogin && Buffer.from(rpcLogin.reveal()).toString('base64');
    const headers = login ? { authorization: `Basic ${login}` } : {};
    const patient: Outbound = (call) =>
      outbound(call.label === 'scantxoutset' ? { ...call, deadlineMs: WHOLE_SET_MS } : call);
    this.#rpc = jsonRpc({ at: this.at, url: rpcUrl, headers }, patient);
  }

  /** Lets `RpcError`s through, for callers to whom the node's "no" means something. */
  ask(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.#rpc(method, params);
  }

  async read(method: string, params: readonly unknown[] = []): Promise<unknown> {
    try {
      return await this.#rpc(method, params);
    } catch (error) {
      if (error instanceof RpcError) throw this.fault(error.message, error);
      throw error;
    }
  }

  fault(message: string, cause?: unknown): Fault {
    return new Fault('transient', this.at, message, cause);
  }

  async expectNetwork(): Promise<void> {
    const told = await this.hashAt(0);
    if (told !== this.#network.genesis)
      throw new Fault('permanent', this.at, `the node serves another network: it begins with ${told}`);
    const { txindex } = this.#object(await this.read('getindexinfo'));
    if (!txindex)
      throw new Fault('permanent', this.at, 'the node keeps no index of transactions: start it with -txindex');
  }

  async tip(): Promise<BlockRef> {
    const info = this.#object(await this.read('getblockchaininfo'));
    const height = this.#whole(info.blocks);
    if (this.#whole(info.headers) > height + MAX_LAG_BLOCKS) throw this.fault(`the node is catching up, at ${height}`);
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
      height: this.#whole(header.height),
      confirmations: confirmations === -1 ? 0 : this.#whole(confirmations),
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
    const bytes = await this.read('getrawtransaction', [this.#list(tx)[0], false, hash]);
    return this.#parsed(parseTransaction, this.#hex(bytes));
  }

  /** In a block or in the pool. */
  async transaction(txid: string): Promise<FoundTx | undefined> {
    const found = await this.#rpc('getrawtransaction', [txid, true]).catch((error: unknown) => {
      if (!(error instanceof RpcError)) throw error;
      if (error.code === UNKNOWN_TX) return undefined;
      throw this.fault(error.message, error);
    });
    if (found === undefined) return undefined;
    const { hex, blockhash } = this.#object(found);
    const parsed = this.#parsed(parseTransaction, this.#hex(hex));
    // What moves money inside an extension block alone has no inputs here, and another hash than that of these bytes.
    const tx = parsed.inputs.length === 0 ? { ...parsed, txid } : parsed;
    if (tx.txid !== txid) throw this.fault(`asked for ${txid}, got ${tx.txid}`);
    return { tx, blockHash: blockhash === undefined ? undefined : this.#hash(blockhash) };
  }

  async poolSize(): Promise<number> {
    return this.#whole(this.#object(await this.read('getmempoolinfo')).size);
  }

  async pool(): Promise<readonly string[]> {
    return this.#list(await this.read('getrawmempool')).map((txid) => this.#hash(txid));
  }

  /** undefined if it is spent, in a block or (if they count) by the pool, or never was. */
  async unspent({ txid, vout }: OutPoint, poolCounts: boolean): Promise<{ readonly isCoinbase: boolean } | undefined> {
    const found = await this.read('gettxout', [txid, vout, poolCounts]);
    return found === null ? undefined : { isCoinbase: this.#object(found).coinbase === true };
  }

  /** Every unspent output under these descriptors, as of one block. */
  async unspentOf(descriptors: readonly unknown[]): Promise<{ readonly at: BlockRef; readonly unspents: Unspent[] }> {
    const found = this.#object(await this.read('scantxoutset', ['start', descriptors]));
    const unspents = this.#list(found.unspents).map((entry) => {
      const { txid, vout, scriptPubKey, amount, height } = this.#object(entry);
      const point = { txid: this.#hash(txid), vout: this.#whole(vout) };
      return { ...point, script: this.#hex(scriptPubKey), atoms: this.#atoms(amount), height: this.#whole(height) };
    });
    return { at: { height: this.#whole(found.height), hash: this.#hash(found.bestblock) }, unspents };
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
    throw this.fault(`expected coins, got ${JSON.stringify(value)?.slice(0, 40)}`);
  }

  #whole(value: unknown): number {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw this.fault(`expected a count, got ${JSON.stringify(value)?.slice(0, 40)}`);
  }

  #hash(value: unknown): string {
    if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return value;
    throw this.fault(`expected a hash, got ${JSON.stringify(value)?.slice(0, 40)}`);
  }

  #hex(value: unknown): string {
    if (typeof value === 'string' && value.length % 2 === 0) return value;
    throw this.fault(`expected bytes, got ${JSON.stringify(value)?.slice(0, 40)}`);
  }

  #object(value: unknown): Json {
    if (typeof value === 'object' && value !== null) return value as Json;
    throw this.fault(`expected an object, got ${typeof value}`);
  }

  #list(value: unknown): readonly unknown[] {
    if (Array.isArray(value)) return value;
    throw this.fault(`expected a list, got ${typeof value}`);
  }
}
