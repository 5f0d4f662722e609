import { present } from '../../../src/kernel/assert.ts';
import { dustLimit } from '../../../src/world/chains/bitcoin/address-codec.ts';
import type { BitcoinNetwork } from '../../../src/world/chains/bitcoin/networks.ts';
import { COINBASE_DEPTH, isCoinbase, outPointText, type TxOutput } from '../../../src/world/chains/bitcoin/tx-codec.ts';
import { type ChainChange, Changes, type Keeping } from '../../keeping.ts';
import { RpcFailure } from '../rpc-server.ts';
import { coinbase, genesisBlock, type LedgerBlock, type LedgerTx, ledgerTx, makeBlock } from './block.ts';
import { sizesOf } from './print.ts';
import { unlocksAll } from './verify.ts';

export interface LedgerOutput extends TxOutput {
  readonly height: number;
  readonly isCoinbase: boolean;
}

export interface PoolTx extends LedgerTx {
  readonly fee: bigint;
}

interface KeptBlock {
  readonly time: number;
  readonly transactions: readonly string[];
}

/** Everything that a restart must not lose; plain JSON. */
export interface BitcoinSnapshot {
  readonly blocks: readonly KeptBlock[];
  readonly pool: readonly string[];
}

export type BitcoinChange = ChainChange<KeptBlock>;

/** The codes of bitcoind. */
const MALFORMED = -22;
const MISSING = -25;
const REJECTED = -26;
const MINED = -27;
const UNKNOWN = -5;

const HALVING_BLOCKS = 150;
const FIRST_PAY = 50n * 10n ** 8n;
const MAX_REPLACEABLE = 0xffff_fffd;
/** One atom for a virtual byte. */
const LEAST_RATE = 1n;

/** A chain, its unspent outputs and its pool, under the rules that a node enforces. */
export class BitcoinLedger {
  readonly #network: BitcoinNetwork;
  /** Canonical, by height. */
  readonly blocks: LedgerBlock[] = [genesisBlock()];
  readonly #every = new Map<string, LedgerBlock>();
  readonly #home = new Map<string, string>();
  readonly unspent = new Map<string, LedgerOutput>();
  readonly pool = new Map<string, PoolTx>();
  #salt = 0;
  #changes: Changes<BitcoinChange>;

  constructor(
    network: BitcoinNetwork,
    snapshot?: BitcoinSnapshot,
    { changes = [], write }: Keeping<BitcoinChange> = {},
  ) {
    this.#network = network;
    for (const block of this.blocks) this.#every.set(block.hash, block);
    let waiting = new Set(snapshot?.pool);
    for (const block of snapshot?.blocks ?? []) this.#redo({ block }, waiting);
    for (const change of changes) waiting = this.#redo(change, waiting);
    this.#changes = new Changes(undefined);
    for (const raw of waiting) this.submit(raw);
    this.#changes = new Changes(write);
  }

  /** Answers what waits after it: only what waits at the end is worth being judged. */
  #redo(change: BitcoinChange, waiting: Set<string>): Set<string> {
    if ('pool' in change) return new Set(change.pool);
    if ('waits' in change) return waiting.add(change.waits);
    if ('undone' in change) this.#disconnect(this.blocks.length - change.undone);
    else {
      const { time, transactions } = change.block;
      for (const raw of transactions) waiting.delete(raw);
      this.#connect(makeBlock(this.tip, time, transactions.map(ledgerTx)));
    }
    return waiting;
  }

  snapshot(): BitcoinSnapshot {
    return { blocks: this.blocks.slice(1).map(keptBlock), pool: this.#waiting() };
  }

  #waiting(): readonly string[] {
    return [...this.pool.values()].map(rawOf);
  }

  get tip(): LedgerBlock {
    return present(this.blocks.at(-1), 'a tip');
  }

  /** Canonical or not. */
  block(hash: unknown): LedgerBlock {
    const block = this.#every.get(String(hash));
    if (!block) throw new RpcFailure(UNKNOWN, 'Block not found');
    return block;
  }

  isCanonical({ hash, height }: LedgerBlock): boolean {
    return this.blocks[height]?.hash === hash;
  }

  /** In the block named, or wherever it is now. */
  find(txid: string, within = this.#home.get(txid)): (LedgerTx & { readonly block?: LedgerBlock }) | undefined {
    if (within === undefined) return this.pool.get(txid);
    const block = this.block(within);
    const found = block.transactions.find(({ tx }) => tx.txid === txid);
    return found && { ...found, block };
  }

  /** Of the chain, or of a payment that waits in the pool. */
  output(txid: string, vout: number): LedgerOutput | undefined {
    const pooled = this.pool.get(txid)?.tx.outputs[vout];
    return (
      this.unspent.get(`${txid}:${vout}`) ?? (pooled && { ...pooled, height: this.blocks.length, isCoinbase: false })
    );
  }

  spenderInPool(point: string): PoolTx | undefined {
    return [...this.pool.values()].find(({ tx }) => tx.inputs.some((input) => outPointText(input) === point));
  }

  /** With the payments named, or with all that wait. */
  mine(script: string, txids: readonly string[] = [...this.pool.keys()]): string {
    const chosen = txids.map((txid) => {
      const tx = this.pool.get(txid);
      if (!tx) throw new RpcFailure(UNKNOWN, `Transaction ${txid} not in mempool.`);
      return tx;
    });
    const height = this.blocks.length;
    const pay = FIRST_PAY >> BigInt(Math.floor(height / HALVING_BLOCKS));
    const fees = chosen.reduce((sum, { fee }) => sum + fee, 0n);
    this.#salt += 1;
    const first = coinbase(height, Date.now() + this.#salt, { atoms: pay + fees, script });
    const block = makeBlock(this.tip, Math.floor(Date.now() / 1_000), [first, ...chosen]);
    this.#changes.add({ block: keptBlock(block) });
    this.#connect(block);
    return block.hash;
  }

  /** This block and all above it are gone; what they held waits again, as far as it still can. */
  invalidate(hash: unknown): void {
    const { height } = this.block(hash);
    this.#changes.together(() => {
      this.#changes.add({ undone: this.blocks.length - height });
      const pooled = [...this.pool.values()];
      const undone = this.#disconnect(height).filter(({ tx }) => !isCoinbase(tx));
      this.emptyPool();
      for (const { raw } of [...undone, ...pooled]) {
        try {
          this.submit(raw);
        } catch (error) {
          if (!(error instanceof RpcFailure)) throw error;
        }
      }
    });
  }

  /** From this height on. Answers what was in them. */
  #disconnect(height: number): readonly LedgerTx[] {
    const undone = this.blocks.splice(height).flatMap(({ transactions }) => transactions);
    const kept = this.blocks.splice(1);
    this.unspent.clear();
    this.#home.clear();
    for (const block of kept) this.#connect(block);
    return undone;
  }

  emptyPool(): void {
    this.#changes.add({ pool: [] });
    this.pool.clear();
  }

  submit(raw: string): string {
    const entry = decoded(raw);
    const { tx } = entry;
    const outpoints = tx.outputs.map((_, vout) => outPointText({ txid: tx.txid, vout }));
    if (outpoints.some((point) => this.unspent.has(point))) {
      throw new RpcFailure(MINED, 'Transaction already in block chain');
    }
    if (this.pool.has(tx.txid)) return tx.txid;
    if (isCoinbase(tx)) throw new RpcFailure(REJECTED, 'coinbase');
    if (tx.outputs.some(({ atoms, script }) => atoms < dustLimit(this.#network, script))) {
      throw new RpcFailure(REJECTED, 'dust');
    }
    const fee = this.#feeOf(entry);
    const evicted = this.#outbid(entry, fee);
    for (const txid of evicted) this.pool.delete(txid);
    this.pool.set(tx.txid, { ...entry, fee });
    this.#changes.add(evicted.size > 0 ? { pool: this.#waiting() } : { waits: raw });
    return tx.txid;
  }

  #connect(block: LedgerBlock): void {
    const { hash, height, transactions } = block;
    this.blocks.push(block);
    this.#every.set(hash, block);
    for (const { tx } of transactions) {
      for (const input of tx.inputs) this.unspent.delete(outPointText(input));
      for (const [vout, output] of tx.outputs.entries()) {
        this.unspent.set(`${tx.txid}:${vout}`, { ...output, height, isCoinbase: isCoinbase(tx) });
      }
      this.#home.set(tx.txid, hash);
      this.pool.delete(tx.txid);
    }
  }

  /** Inputs exist, are ripe and unlocked, and more comes in than goes out. */
  #feeOf(entry: LedgerTx): bigint {
    const { raw, tx } = entry;
    const spent = tx.inputs.map(({ txid, vout }) => this.output(txid, vout));
    const prevouts = spent.filter((output) => output !== undefined);
    if (prevouts.length < spent.length) throw new RpcFailure(MISSING, 'bad-txns-inputs-missingorspent');
    const unripe = prevouts.some((one) => one.isCoinbase && this.blocks.length - one.height < COINBASE_DEPTH);
    if (unripe) throw new RpcFailure(REJECTED, 'bad-txns-premature-spend-of-coinbase');
    const total = (outputs: readonly TxOutput[]) => outputs.reduce((sum, { atoms }) => sum + atoms, 0n);
    const fee = total(prevouts) - total(tx.outputs);
    if (fee < 0n) throw new RpcFailure(REJECTED, 'bad-txns-in-belowout');
    if (fee < LEAST_RATE * sizeOf(entry)) throw new RpcFailure(REJECTED, 'min relay fee not met');
    if (!unlocksAll(raw, tx.txid, prevouts)) {
      throw new RpcFailure(REJECTED, 'mandatory-script-verify-flag-failed (Signature must be valid)');
    }
    return fee;
  }

  /** BIP-125: those that it takes the place of, with all that spend from them. */
  #outbid(entry: LedgerTx, fee: bigint): ReadonlySet<string> {
    const { tx } = entry;
    const rivals = tx.inputs.flatMap((input) => this.spenderInPool(outPointText(input)) ?? []);
    if (rivals.some((rival) => rival.tx.inputs.every(({ sequence }) => sequence > MAX_REPLACEABLE))) {
      throw new RpcFailure(REJECTED, 'txn-mempool-conflict');
    }
    const evicted = this.#withChildren(rivals.map((rival) => rival.tx.txid));
    const needed = evicted.size > 0 ? this.#feesOf(evicted) + LEAST_RATE * sizeOf(entry) : 0n;
    const isDearer = rivals.every((rival) => fee * sizeOf(rival) > rival.fee * sizeOf(entry));
    if (fee < needed || !isDearer) throw new RpcFailure(REJECTED, `insufficient fee, rejecting replacement ${tx.txid}`);
    return evicted;
  }

  /** What it and all that spend from it pay together; undefined where it does not wait. */
  paidWith(txid: string): bigint | undefined {
    return this.pool.has(txid) ? this.#feesOf(this.#withChildren([txid])) : undefined;
  }

  #feesOf(txids: ReadonlySet<string>): bigint {
    return [...txids].reduce((sum, txid) => sum + (this.pool.get(txid)?.fee ?? 0n), 0n);
  }

  /** Children come after their parents in the pool. */
  #withChildren(txids: readonly string[]): ReadonlySet<string> {
    const family = new Set(txids);
    for (const [txid, { tx }] of this.pool) {
      if (tx.inputs.some((input) => family.has(input.txid))) family.add(txid);
    }
    return family;
  }
}

const rawOf = ({ raw }: LedgerTx): string => raw;
const keptBlock = ({ time, transactions }: LedgerBlock): KeptBlock => ({ time, transactions: transactions.map(rawOf) });

/** Virtual bytes: those of witnesses count a quarter. */
const sizeOf = (tx: LedgerTx): bigint => BigInt(sizesOf(tx).vsize);

export function decoded(raw: string): LedgerTx {
  try {
    return ledgerTx(raw);
  } catch {
    throw new RpcFailure(MALFORMED, 'TX decode failed. Make sure the tx has at least one input.');
  }
}
