import { createHash } from 'node:crypto';
import { present } from '../../src/kernel/assert.ts';
import { type Address, type TxHash, txHash } from '../../src/kernel/ids.ts';
import { parseEvmAddress } from '../../src/world/chains/evm/codec.ts';
import type { EvmNetwork } from '../../src/world/chains/evm/networks.ts';
import type { Chance } from './random.ts';

/** A transaction as the chain carries it out: coins, or one token, from whoever signed it. */
export interface ChainTx {
  readonly hash: TxHash;
  readonly from: Address;
  /** Whom the transaction calls: the payee of coins, or the token. */
  readonly to: Address;
  readonly nonce: number;
  readonly token: Address | undefined;
  readonly payee: Address;
  readonly atoms: bigint;
  readonly input: string;
  readonly gas: bigint;
  readonly maxFee: bigint;
  readonly tip: bigint;
}

export interface MinedTx {
  readonly tx: ChainTx;
  readonly ok: boolean;
  readonly gasUsed: bigint;
  readonly price: bigint;
}

export interface ChainBlock {
  readonly height: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Seconds. */
  readonly time: number;
  readonly baseFee: bigint;
  readonly txs: readonly MinedTx[];
}

const GWEI = 10n ** 9n;
export const COIN_GAS = 21_000n;
export const TOKEN_GAS = 52_000n;
const GENESIS_FEE = GWEI / 10n;
const PLENTY = 10n ** 30n;

/** A token of a stranger, and what it says it keeps for whoever it was sent to in that very block. */
export interface Liar {
  readonly token: Address;
  readonly says: bigint;
}

/** What an EVM network does with coins and tokens, with every state that it ever had, and a hand on its blocks. */
export class EvmChain {
  readonly network: EvmNetwork;
  readonly blocks: ChainBlock[] = [];
  readonly pool = new Map<string, ChainTx>();
  readonly liars = new Map<string, Liar>();
  /** Accounts that send back what they are sent, while they are in here. */
  readonly refusing = new Set<string>();
  /** Accounts that send back what a transaction brings when it is first mined, and take it when it is mined anew. */
  readonly turning = new Set<string>();
  /** Transactions that come to nothing in their block. */
  readonly failing = new Set<string>();
  readonly #turned = new Set<string>();
  /** Every transaction that ever came, whatever became of it. */
  readonly seen = new Map<string, ChainTx>();
  baseFee = GENESIS_FEE;
  /** How deep what a reorganisation undid had been, and when that was. */
  readonly #undone = new Map<string, { readonly depth: number; readonly at: number }>();
  readonly #values = new Map<string, { readonly height: number; readonly value: bigint }[]>();
  /** Whatever is in a block, in the order of the chain. */
  readonly #mined = new Map<string, { readonly block: ChainBlock; readonly mined: MinedTx }>();
  readonly #chance: Chance;
  readonly #now: () => number;
  #made = 0;

  constructor(network: EvmNetwork, chance: Chance, now: () => number) {
    this.network = network;
    this.#chance = chance;
    this.#now = now;
    this.#append([]);
  }

  get tip(): ChainBlock {
    return present(this.blocks.at(-1), 'a chain has a first block');
  }

  get height(): number {
    return this.blocks.length - 1;
  }

  balance(account: string, token: string | undefined, height = this.height): bigint {
    const liar = token && this.liars.get(token.toLowerCase());
    if (liar) return this.#has(`lie ${token}:${account}`, height) === BigInt(height) ? liar.says : 0n;
    return this.#has(`${token ?? 'coin'}:${account}`.toLowerCase(), height);
  }

  nonce(account: string, height = this.height): number {
    return Number(this.#has(`nonce:${account}`.toLowerCase(), height));
  }

  #has(key: string, height: number): bigint {
    const history = this.#values.get(key.toLowerCase()) ?? [];
    for (let at = history.length - 1; at >= 0; at -= 1) {
      const one = history[at];
      if (one && one.height <= height) return one.value;
    }
    return 0n;
  }

  #set(key: string, value: bigint, height: number): void {
    const name = key.toLowerCase();
    const history = this.#values.get(name) ?? [];
    this.#values.set(name, history);
    if (history.at(-1)?.height === height) history.pop();
    history.push({ height, value });
  }

  /** Money from nowhere, as of the newest block. */
  endow(account: string, token: string | undefined, atoms: bigint): void {
    this.#set(`${token ?? 'coin'}:${account}`, this.balance(account, token) + atoms, this.height);
  }

  /** What would happen to it in the next block; undefined where no block can take it. */
  judge(tx: ChainTx, height: number, price: bigint): { readonly ok: boolean; readonly gasUsed: bigint } | undefined {
    const gasUsed = tx.token ? TOKEN_GAS : COIN_GAS;
    const coins = this.balance(tx.from, undefined, height);
    if (tx.gas < gasUsed || coins < gasUsed * price + (tx.token ? 0n : tx.atoms)) return undefined;
    const isTurned = this.turning.has(tx.payee.toLowerCase()) && !this.#turned.has(tx.hash);
    return { ok: this.wouldMove(tx, height) && !isTurned && !this.failing.has(tx.hash), gasUsed };
  }

  wouldMove(
    { from, token, payee, atoms }: Pick<ChainTx, 'from' | 'token' | 'payee' | 'atoms'>,
    height = this.height,
  ): boolean {
    if (this.refusing.has(payee.toLowerCase())) return false;
    if (token && this.liars.has(token.toLowerCase())) return true;
    return this.balance(from, token, height) >= atoms;
  }

  /** A price in the pool is outbid by an eighth more; what is mined, or came before, is not taken again. */
  submit(tx: ChainTx): string | undefined {
    this.seen.set(tx.hash, tx);
    if (this.pool.has(tx.hash)) return 'already known';
    if (this.nonce(tx.from) > tx.nonce) return 'nonce too low';
    const held = [...this.pool.values()].find((one) => one.from === tx.from && one.nonce === tx.nonce);
    if (held && (tx.maxFee * 10n < held.maxFee * 11n || tx.tip * 10n < held.tip * 11n))
      return 'replacement transaction underpriced';
    if (held) this.pool.delete(held.hash);
    this.pool.set(tx.hash, tx);
    return undefined;
  }

  /** Somebody who is not the desk pays. */
  pay(from: Address, to: string, token: Address | undefined, atoms: bigint, more: Partial<ChainTx> = {}): ChainTx {
    this.#made += 1;
    const payee = present(parseEvmAddress(to), to);
    const pending = [...this.pool.values()].filter((tx) => tx.from === from).length;
    const nonce = this.nonce(from) + pending;
    const hash = txHash(`0x${sha(`${this.network.facts.id} tx ${from} ${nonce} ${this.#made}`)}`);
    const fees = { gas: 200_000n, maxFee: 10_000n * GWEI, tip: GWEI };
    const tx: ChainTx = { hash, from, to: token ?? payee, nonce, token, payee, atoms, input: '0x', ...fees, ...more };
    this.endow(from, undefined, PLENTY);
    this.seen.set(hash, tx);
    this.pool.set(hash, tx);
    return tx;
  }

  mine(isTaken: (tx: ChainTx) => boolean = () => true): ChainBlock {
    const height = this.height + 1;
    const taken: MinedTx[] = [];
    const waiting = [...this.pool.values()].filter(isTaken).sort((a, b) => a.nonce - b.nonce);
    for (const tx of waiting) {
      const price = smaller(tx.maxFee, this.baseFee + tx.tip);
      if (tx.maxFee < this.baseFee || this.nonce(tx.from, height) !== tx.nonce) continue;
      const judged = this.judge(tx, height, price);
      if (!judged) continue;
      this.#carryOut(tx, judged, price, height);
      taken.push({ tx, price, ...judged });
    }
    for (const { tx } of taken) {
      this.pool.delete(tx.hash);
      this.#turned.add(tx.hash);
    }
    for (const tx of [...this.pool.values()]) if (this.nonce(tx.from, height) > tx.nonce) this.pool.delete(tx.hash);
    return this.#append(taken);
  }

  #carryOut(tx: ChainTx, { ok, gasUsed }: { ok: boolean; gasUsed: bigint }, price: bigint, height: number): void {
    const move = (name: string, account: string, by: bigint) =>
      this.#set(`${name}:${account}`, this.#has(`${name}:${account}`, height) + by, height);
    this.#set(`nonce:${tx.from}`, BigInt(tx.nonce + 1), height);
    move('coin', tx.from, -gasUsed * price);
    if (!ok) return;
    if (tx.token && this.liars.has(tx.token.toLowerCase())) {
      this.#set(`lie ${tx.token}:${tx.payee}`, BigInt(height), height);
      return;
    }
    move(tx.token ?? 'coin', tx.from, -tx.atoms);
    move(tx.token ?? 'coin', tx.payee, tx.atoms);
  }

  #append(txs: readonly MinedTx[]): ChainBlock {
    this.#made += 1;
    const height = this.blocks.length;
    const parentHash = this.blocks.at(-1)?.hash ?? `0x${'0'.repeat(64)}`;
    const hash = `0x${sha(`${this.network.facts.id} ${parentHash} ${this.#made}`)}`;
    const block = { height, hash, parentHash, time: Math.floor(this.#now() / 1000), baseFee: this.baseFee, txs };
    this.blocks.push(block);
    for (const mined of txs) this.#mined.set(mined.tx.hash, { block, mined });
    return block;
  }

  /** The newest blocks are undone. What was in them waits again, but for what is lost; as many blocks and one come. */
  reorganise(depth: number, isLost: (tx: ChainTx) => boolean): void {
    const kept = Math.max(0, this.height - depth);
    const [tip, at] = [this.height, this.#now()];
    const gone = this.blocks.splice(kept + 1);
    for (const { height, txs } of gone)
      for (const { tx } of txs) {
        this.#undone.set(tx.hash, { depth: tip - height + 1, at });
        this.#mined.delete(tx.hash);
      }
    const undone = gone.flatMap(({ txs }) => txs.map(({ tx }) => tx));
    for (const history of this.#values.values()) while ((history.at(-1)?.height ?? -1) > kept) history.pop();
    for (const tx of undone) if (!isLost(tx)) this.pool.set(tx.hash, tx);
    for (const tx of [...this.pool.values()]) if (isLost(tx)) this.pool.delete(tx.hash);
    for (let left = depth + 1; left > 0; left -= 1) this.mine(() => left <= depth && !this.#chance.once(4));
  }

  /** How deep it is, counted from the newest block; nothing where it is in none. */
  depth(hash: string): number {
    const found = this.find(hash);
    return found ? this.height - found.block.height + 1 : 0;
  }

  /** How deep it was at some moment of the last few: whoever looked then has not written down yet what he saw. */
  depthLately(hash: string, withinMs: number): number {
    const undone = this.#undone.get(hash);
    const before = undone && this.#now() - undone.at <= withinMs ? undone.depth : 0;
    return Math.max(this.depth(hash), before);
  }

  find(hash: string): { readonly block: ChainBlock; readonly mined: MinedTx } | undefined {
    return this.#mined.get(hash);
  }

  /** Everything that moved on the chain as it stands. */
  movements(): readonly (MinedTx & { readonly height: number })[] {
    return [...this.#mined.values()].map(({ block, mined }) => ({ ...mined, height: block.height }));
  }
}

const smaller = (one: bigint, other: bigint): bigint => (other < one ? other : one);
const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
