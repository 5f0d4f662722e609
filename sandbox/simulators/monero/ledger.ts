import { bytesToHex, hexToBytes, randomBytes } from '@noble/hashes/utils.js';
import { present } from '../../../src/kernel/assert.ts';
import { Fault } from '../../../src/kernel/fault.ts';
import { ascii, decodeAddress, keccak } from '../../../src/world/chains/monero/codec.ts';
import { commit } from '../../../src/world/chains/monero/output-codec.ts';
import { type MoneroTx, parseTransactionHex, transactionId } from '../../../src/world/chains/monero/tx-codec.ts';
import { type ChainChange, Changes, type Keeping } from '../../keeping.ts';
import { buildCoinbase, type Payee, provesSpend } from './transaction.ts';

export const COINBASE_LOCK = 60;
export const SPEND_LOCK = 10;
export const FEE_PER_BYTE = 20_000n;
export const FEE_QUANTUM = 10_000n;
const REWARD = 35_000_000_000_000n;

export interface LedgerTx {
  readonly hash: string;
  readonly hex: string;
  readonly tx: MoneroTx;
}

export interface Block {
  readonly height: number;
  readonly hash: string;
  readonly previous: string;
  readonly timestamp: number;
  readonly coinbase: LedgerTx;
  readonly payments: readonly LedgerTx[];
}

/** An output at its place in the order in which the chain made them. */
export interface LedgerOutput {
  readonly key: Uint8Array;
  readonly commitment: Uint8Array;
  readonly height: number;
  readonly unlockTime: bigint;
}

interface KeptBlock {
  readonly hash: string;
  readonly timestamp: number;
  readonly coinbase: string;
  readonly payments: readonly string[];
}

export interface LedgerState {
  readonly blocks: readonly KeptBlock[];
  readonly pool: readonly string[];
}

export type LedgerChange = ChainChange<KeptBlock>;

/** Why a transaction is not taken: the flags of the daemon's answer. */
export type Rejection = 'double_spend' | 'invalid_input' | 'fee_too_low' | 'too_few_outputs' | 'malformed';

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

const OPEN_COMMITMENTS = new Map<bigint, Uint8Array>();

/** To an amount that is told in clear; miners get the same again and again. */
function openCommitment(atoms: bigint): Uint8Array {
  const commitment = OPEN_COMMITMENTS.get(atoms) ?? commit(1n, atoms).toBytes();
  OPEN_COMMITMENTS.set(atoms, commitment);
  return commitment;
}

/** The one chain of a simulated network, with its pool. */
export class Ledger {
  readonly blocks: Block[] = [];
  readonly pool = new Map<string, LedgerTx>();
  readonly outputs: LedgerOutput[] = [];
  readonly #mined = new Map<string, Block>();
  readonly #spent = new Set<string>();
  /** Seconds. */
  readonly #received = new Map<string, number>();
  /** Key images that a refused transaction tried to spend as well: their spenders in the pool are contested. */
  readonly #contested = new Set<string>();

  readonly #changes: Changes<LedgerChange>;

  constructor(state?: LedgerState, { changes = [], write }: Keeping<LedgerChange> = {}) {
    for (const block of state?.blocks ?? []) this.#redo({ block });
    this.#redo({ pool: state?.pool ?? [] });
    for (const change of changes) this.#redo(change);
    this.#changes = new Changes(write);
    if (this.blocks.length === 0) this.mine([]);
  }

  #redo(change: LedgerChange): void {
    if ('block' in change) {
      const { hash, timestamp, coinbase, payments } = change.block;
      this.#append(hash, timestamp, ledgerTx(coinbase), payments.map(ledgerTx));
    } else if ('undone' in change) {
      this.#undo(change.undone);
    } else if ('waits' in change) {
      this.#take(ledgerTx(change.waits));
    } else {
      this.#drop([...this.pool.keys()]);
      for (const hex of change.pool) this.#take(ledgerTx(hex));
    }
  }

  get height(): number {
    return this.blocks.length;
  }

  get tip(): Block {
    return present(this.blocks.at(-1), 'a chain has a first block');
  }

  find(hash: string): { tx: LedgerTx; block: Block | undefined } | undefined {
    const pooled = this.pool.get(hash);
    if (pooled) return { tx: pooled, block: undefined };
    const block = this.#mined.get(hash);
    const tx = block && [block.coinbase, ...block.payments].find((candidate) => candidate.hash === hash);
    return tx && { tx, block };
  }

  spentIn(keyImage: string): 'chain' | 'pool' | undefined {
    if (this.#spent.has(keyImage)) return 'chain';
    return [...this.pool.values()].some(({ tx }) => tx.keyImages.includes(keyImage)) ? 'pool' : undefined;
  }

  isContested({ tx }: LedgerTx): boolean {
    return tx.keyImages.some((image) => this.#contested.has(image));
  }

  /** Known bytes are taken again and again; anything that contradicts the chain or the pool is not. */
  submit(hex: string): Rejection | undefined {
    let candidate: LedgerTx;
    try {
      candidate = ledgerTx(hex);
    } catch (error) {
      if (error instanceof Fault) return 'malformed';
      throw error;
    }
    if (this.find(candidate.hash)) return undefined;
    if (candidate.tx.keyImages.some((image) => this.spentIn(image))) {
      for (const image of candidate.tx.keyImages) this.#contested.add(image);
      return 'double_spend';
    }
    const rejection = this.#judge(candidate);
    if (rejection) return rejection;
    this.#changes.add({ waits: hex });
    this.#take(candidate);
    return undefined;
  }

  #judge({ tx, hex }: LedgerTx): Rejection | undefined {
    if (tx.coinbase || new Set(tx.keyImages).size !== tx.keyImages.length) return 'invalid_input';
    if (tx.outputs.length < 2) return 'too_few_outputs';
    if (tx.fee < FEE_PER_BYTE * BigInt(hex.length / 2)) return 'fee_too_low';
    const spent = tx.rings.map((ring) => (ring.length === 1 ? this.outputs[Number(ring[0])] : undefined));
    const ready = spent.filter((output) => output !== undefined && this.isUnlocked(output));
    const outputs = ready.filter((output) => output !== undefined);
    return outputs.length === spent.length && provesSpend(tx, outputs) ? undefined : 'invalid_input';
  }

  isUnlocked({ height, unlockTime }: Pick<LedgerOutput, 'height' | 'unlockTime'>): boolean {
    return this.height - height >= SPEND_LOCK && BigInt(this.height) >= unlockTime;
  }

  #take(tx: LedgerTx): void {
    this.pool.set(tx.hash, tx);
    this.#received.set(tx.hash, nowSeconds());
  }

  /** When what waits in the pool came there. */
  receivedAt(hash: string): number {
    return this.#received.get(hash) ?? nowSeconds();
  }

  /** One block with all of the pool. */
  mine(payees: readonly Payee[]): Block {
    const coinbase = buildCoinbase(this.height, payees, COINBASE_LOCK);
    const payments = [...this.pool.values()].filter((payment) => !this.#judge(payment));
    const hash = bytesToHex(keccak(ascii(this.blocks.at(-1)?.hash ?? ''), hexToBytes(coinbase.hash), randomBytes(8)));
    const block = this.#append(hash, nowSeconds(), ledgerTx(coinbase.hex), payments);
    this.#changes.add({ block: keptBlock(block) });
    return block;
  }

  mineTo(address: string, count: number): Block[] {
    const decoded = present(decodeAddress(address), 'an address to mine to');
    return Array.from({ length: count }, () => this.mine([{ address: decoded, atoms: REWARD }]));
  }

  #append(hash: string, timestamp: number, coinbase: LedgerTx, payments: readonly LedgerTx[]): Block {
    const height = this.height;
    const block = { height, hash, previous: this.blocks.at(-1)?.hash ?? '0'.repeat(64), timestamp, coinbase, payments };
    this.blocks.push(block);
    for (const { hash: id, tx } of [coinbase, ...payments]) {
      this.#mined.set(id, block);
      this.#drop([id]);
      for (const image of tx.keyImages) this.#spent.add(image);
      for (const output of tx.outputs) {
        const commitment = tx.coinbase ? openCommitment(output.clearAtoms) : output.commitment;
        this.outputs.push({ key: output.key, commitment, height, unlockTime: tx.unlockTime });
      }
    }
    return block;
  }

  /** The newest blocks are undone; their payments wait in the pool again. */
  pop(count: number): void {
    this.#changes.add({ undone: count });
    this.#undo(count);
  }

  #undo(count: number): void {
    for (let left = Math.min(count, this.height - 1); left > 0; left -= 1) {
      const block = present(this.blocks.pop(), 'a block to undo');
      const all = [block.coinbase, ...block.payments];
      this.outputs.length -= all.reduce((sum, { tx }) => sum + tx.outputs.length, 0);
      for (const { hash, tx } of all) {
        this.#mined.delete(hash);
        for (const image of tx.keyImages) this.#spent.delete(image);
      }
      for (const payment of block.payments) this.#take(payment);
    }
  }

  flush(hashes: readonly string[]): void {
    this.#drop(hashes);
    this.#changes.add({ pool: this.#waiting() });
  }

  #drop(hashes: readonly string[]): void {
    for (const hash of hashes) {
      this.pool.delete(hash);
      this.#received.delete(hash);
    }
  }

  /** The position of a transaction's first output among all outputs. */
  firstPosition(hash: string): number {
    const block = present(this.#mined.get(hash), hash);
    let position = this.outputs.findIndex(({ height }) => height === block.height);
    for (const candidate of [block.coinbase, ...block.payments]) {
      if (candidate.hash === hash) return position;
      position += candidate.tx.outputs.length;
    }
    return position;
  }

  snapshot(): LedgerState {
    return { blocks: this.blocks.map(keptBlock), pool: this.#waiting() };
  }

  #waiting(): readonly string[] {
    return [...this.pool.values()].map(({ hex }) => hex);
  }
}

const keptBlock = ({ hash, timestamp, coinbase, payments }: Block): KeptBlock => ({
  ...{ hash, timestamp },
  coinbase: coinbase.hex,
  payments: payments.map(({ hex }) => hex),
});

/** The first blocks are the same in network after network, and opening what they pay takes long: who has read bytes has read them for all. */
const READ = new Map<string, LedgerTx>();
const MOST_READ = 2_000;

function ledgerTx(hex: string): LedgerTx {
  const known = READ.get(hex);
  if (known) return known;
  const tx = parseTransactionHex(hex);
  const read = { hash: transactionId(tx), hex, tx };
  if (READ.size >= MOST_READ) READ.clear();
  READ.set(hex, read);
  return read;
}
