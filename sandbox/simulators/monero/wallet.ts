import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { present } from '../../../src/kernel/assert.ts';
import type { Address } from '../../../src/kernel/ids.ts';
import { decodeAddress, scalar, subaddressOffset, type ViewKeys } from '../../../src/world/chains/monero/codec.ts';
import { commitmentMask } from '../../../src/world/chains/monero/output-codec.ts';
import { type Block, type Ledger, type LedgerTx, SPEND_LOCK } from './ledger.ts';
import { type Subaddresses, subaddressesOf } from './subaddresses.ts';
import { type Input, keyImageOf } from './transaction.ts';

/** Subaddresses that a wallet recognises beyond those it was asked to make. */
const LOOKAHEAD = 200;

export interface WalletKeys extends ViewKeys {
  readonly address: Address;
  readonly spendKey: string | undefined;
}

export interface Coin extends Input {
  readonly keyHex: string;
  readonly keyImage: string;
  readonly atoms: bigint;
  readonly minor: number;
  readonly height: number;
  readonly txHash: string;
  readonly unlockTime: bigint;
  readonly coinbase: boolean;
}

/** A payment to one of the wallet's addresses that waits in the pool. */
export interface Incoming {
  readonly tx: LedgerTx;
  readonly minor: number;
  readonly amounts: readonly bigint[];
}

export interface SentTx {
  readonly txKey: string;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly keyImages: readonly string[];
}

/** Amounts are text. */
type KeptTx = Omit<SentTx, 'amount' | 'fee'> & { readonly amount: string; readonly fee: string };

export interface WalletState {
  readonly name: string;
  readonly password: string;
  readonly keys: WalletKeys;
  readonly restoreHeight: number;
  readonly made: number;
  readonly frozen: readonly string[];
  readonly sent: readonly (readonly [string, KeptTx])[];
}

/** What a wallet is told after that. */
export type WalletChange =
  | { readonly made: number }
  | { readonly froze: string }
  | { readonly thawed: string }
  | { readonly sent: readonly [string, KeptTx] };

/** One wallet's own view of the chain: as old as its last refresh, and blind to addresses it does not know yet. */
export class Wallet {
  readonly keys: WalletKeys;
  readonly ledger: Ledger;
  readonly name: string;
  readonly password: string;
  readonly restoreHeight: number;
  readonly frozen: Set<string>;
  readonly sent: Map<string, SentTx>;
  readonly coins = new Map<string, Coin>();
  pool: readonly Incoming[] = [];
  /** Subaddresses of account 0 that were made, its own address included. */
  made = 0;
  readonly #subaddresses: Subaddresses;
  /** So many of them are recognised. */
  #recognised = 0;
  readonly #seen: string[] = [];
  readonly #spentAt = new Map<string, number>();

  readonly #onChange: (change: WalletChange) => void;

  constructor(ledger: Ledger, state: WalletState, onChange: (change: WalletChange) => void = () => undefined) {
    this.#onChange = onChange;
    this.ledger = ledger;
    this.name = state.name;
    this.password = state.password;
    this.keys = state.keys;
    this.#subaddresses = subaddressesOf(state.keys);
    this.restoreHeight = state.restoreHeight;
    this.frozen = new Set(state.frozen);
    this.sent = new Map();
    for (const sent of state.sent) this.redo({ sent });
    this.redo({ made: state.made });
  }

  redo(change: WalletChange): void {
    if ('made' in change) {
      this.made += change.made;
      this.#recognise(this.made + LOOKAHEAD);
    } else if ('froze' in change) this.frozen.add(change.froze);
    else if ('thawed' in change) this.frozen.delete(change.thawed);
    else {
      const [hash, { amount, fee, ...rest }] = change.sent;
      this.sent.set(hash, { ...rest, amount: BigInt(amount), fee: BigInt(fee) });
    }
  }

  #change(change: WalletChange): void {
    this.#onChange(change);
    this.redo(change);
  }

  state(): WalletState {
    const { name, password, keys, restoreHeight, made } = this;
    const sent = [...this.sent].map(keptTx);
    return { name, password, keys, restoreHeight, made, frozen: [...this.frozen], sent };
  }

  get height(): number {
    return Math.max(1, this.#seen.length);
  }

  get isViewOnly(): boolean {
    return this.keys.spendKey === undefined;
  }

  address(minor: number): Address {
    return this.#subaddresses.address(minor);
  }

  minorOf(address: string): number | undefined {
    const decoded = decodeAddress(address);
    const minor = decoded && this.#subaddresses.minorOf(bytesToHex(decoded.spend), this.#recognised);
    return minor !== undefined && this.address(minor) === address ? minor : undefined;
  }

  make(count: number): void {
    this.#change({ made: count });
  }

  freeze(keyImage: string): void {
    this.#change({ froze: keyImage });
  }

  thaw(keyImage: string): void {
    this.#change({ thawed: keyImage });
  }

  remember(hash: string, { txKey, amount, fee, keyImages }: SentTx): void {
    this.#change({ sent: keptTx([hash, { txKey, amount, fee, keyImages }]) });
  }

  #recognise(upTo: number): void {
    this.#recognised = Math.max(this.#recognised, upTo);
  }

  /** As the real one, it does not follow a chain that is shorter than what it has seen. */
  refresh(): number {
    const { ledger } = this;
    if (ledger.height >= this.#seen.length) {
      while (this.#seen.length > 0 && ledger.blocks[this.#seen.length - 1]?.hash !== this.#seen.at(-1)) this.#undo();
    }
    const from = this.#seen.length;
    for (const block of ledger.blocks.slice(from)) this.#see(block);
    this.pool = [...ledger.pool.values()].flatMap((tx) => this.#incoming(tx));
    return this.#seen.length - from;
  }

  #see(block: Block): void {
    this.#seen.push(block.hash);
    if (block.height < this.restoreHeight) return;
    for (const tx of [block.coinbase, ...block.payments]) this.#seeMined(tx, block);
  }

  #seeMined({ hash, tx }: LedgerTx, block: Block): void {
    for (const image of tx.keyImages) this.#spentAt.set(image, block.height);
    const found = this.#subaddresses.receivedIn(tx, this.#recognised);
    const first = found.length > 0 ? this.ledger.firstPosition(hash) : 0;
    for (const { index, key: keyHex, atoms, secret, owner: minor } of found) {
      this.#recognise(minor + 1 + LOOKAHEAD);
      const key = hexToBytes(keyHex);
      this.coins.set(keyHex, {
        keyHex,
        key,
        keyImage: this.isViewOnly ? '' : keyImageOf(key),
        atoms,
        minor,
        height: block.height,
        txHash: hash,
        position: first + index,
        mask: tx.coinbase ? 1n : commitmentMask(secret),
        secret: this.#spendSecret(secret, minor),
        unlockTime: tx.unlockTime,
        coinbase: tx.coinbase,
      });
    }
  }

  #spendSecret(secret: bigint, minor: number): bigint | undefined {
    const { spendKey, viewKey } = this.keys;
    return spendKey === undefined
      ? undefined
      : secret + scalar(hexToBytes(spendKey)) + subaddressOffset(viewKey, 0, minor);
  }

  #undo(): void {
    this.#seen.pop();
    const height = this.#seen.length;
    for (const [key, coin] of this.coins) if (coin.height >= height) this.coins.delete(key);
    for (const [image, at] of this.#spentAt) if (at >= height) this.#spentAt.delete(image);
  }

  #incoming(tx: LedgerTx): Incoming[] {
    const byMinor = new Map<number, bigint[]>();
    for (const { atoms, owner } of this.#subaddresses.receivedIn(tx.tx, this.#recognised)) {
      byMinor.set(owner, [...(byMinor.get(owner) ?? []), atoms]);
    }
    return [...byMinor].map(([minor, amounts]) => ({ tx, minor, amounts }));
  }

  isSpent({ keyImage }: Coin): boolean {
    if (this.#spentAt.has(keyImage)) return true;
    return [...this.sent.values()].some(({ keyImages }) => keyImages.includes(keyImage));
  }

  isUnlocked(coin: Coin): boolean {
    return this.height - coin.height >= SPEND_LOCK && BigInt(this.height) >= coin.unlockTime;
  }

  /** Neither spent, as far as this wallet knows, nor set aside. */
  unspent(): Coin[] {
    return [...this.coins.values()].filter((coin) => !this.isSpent(coin) && !this.frozen.has(coin.keyImage));
  }

  coinOf(keyImage: string): Coin | undefined {
    return [...this.coins.values()].find((coin) => coin.keyImage !== '' && coin.keyImage === keyImage);
  }

  minedAt(txHash: string): number | undefined {
    const block = this.ledger.find(txHash)?.block;
    return block && this.#seen[block.height] === block.hash ? block.height : undefined;
  }

  timestampAt(height: number): number {
    return present(this.ledger.blocks[height], `block ${height}`).timestamp;
  }
}

const keptTx = ([hash, tx]: readonly [string, SentTx]) =>
  [hash, { ...tx, amount: `${tx.amount}`, fee: `${tx.fee}` }] as const;
