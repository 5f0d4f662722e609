import { randomBytes } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { present } from '../../../src/kernel/assert.ts';
import type { Address } from '../../../src/kernel/ids.ts';
import { readTokenAccount } from '../../../src/world/chains/solana/account-codec.ts';
import { TOKEN_PROGRAM } from '../../../src/world/chains/solana/address-codec.ts';
import { Changes, type Keeping } from '../../keeping.ts';
import { FINALITY_SLOTS } from '../../nodes/solana-world.ts';
import { type Accounts, EMPTY, type ExecutionError, execute, feeOf, type SimAccount } from './execute.ts';
import { readState, type SolanaChange, type SolanaState, writeState } from './state.ts';
import type { Balances, SimTx } from './transaction.ts';
import { messageOf, readWire, type WireTx } from './wire-message.ts';

export interface SimBlock {
  readonly slot: number;
  readonly height: number;
  readonly hash: string;
  /** Seconds. */
  readonly time: number;
  readonly parent: { readonly slot: number; readonly hash: string };
  readonly transactions: readonly SimTx[];
}

/** As the real runtime names it. */
export type Refusal = 'SignatureFailure' | 'AlreadyProcessed';

/** Blocks for which a blockhash is taken. */
const BLOCKHASH_LIFE = 150;
export const FIRST_SLOT = 1;
/** Blocks that are kept: more than an hour of the box, as real nodes keep some days. */
const HISTORY_BLOCKS = 50_000;

/** The one chain of a simulated network. Transactions are executed as they come; their slot closes when time moves on. */
export class Ledger {
  readonly genesisHash: string;
  readonly accounts: Accounts = new Map();
  /** Oldest first. */
  readonly blocks = new Map<number, SimBlock>();
  readonly transactions = new Map<string, SimTx>();
  slot = FIRST_SLOT;
  #tip: SimBlock;
  #recentHashes: string[];
  #open: SimTx[] = [];
  readonly #changes: Changes<SolanaChange>;

  /** `snapshot`: text from a ledger that this one goes on from. */
  constructor(snapshot?: string, { changes = [], write }: Keeping<SolanaChange> = {}) {
    const state = snapshot === undefined ? undefined : readState(snapshot);
    this.genesisHash = state?.genesisHash ?? freshHash();
    this.#tip = emptyBlock(0, 0, { slot: 0, hash: this.genesisHash });
    this.#recentHashes = [this.#tip.hash];
    if (state) this.#restore(state);
    for (const change of changes) this.#redo(change);
    this.#changes = new Changes(write);
  }

  get height(): number {
    return this.#tip.height;
  }

  get latest(): { readonly blockhash: string; readonly lastValidBlockHeight: number } {
    return { blockhash: this.#tip.hash, lastValidBlockHeight: this.height + BLOCKHASH_LIFE };
  }

  isRecent(blockhash: string): boolean {
    return this.#recentHashes.includes(blockhash);
  }

  get oldestSlot(): number {
    return this.blocks.keys().next().value ?? FIRST_SLOT;
  }

  slotAt(commitment: unknown): number {
    if (commitment === 'processed') return this.slot;
    if (commitment === 'confirmed') return this.#tip.slot;
    for (let slot = this.slot - FINALITY_SLOTS; slot >= this.oldestSlot; slot -= 1) {
      if (this.blocks.has(slot)) return slot;
    }
    return 0;
  }

  /** Slots that have a block, from one to another and no more than so many. */
  slotsBetween(first: number, last: number, most: number): readonly number[] {
    const slots: number[] = [];
    for (let slot = Math.max(first, this.oldestSlot); slot <= last && slots.length < most; slot += 1) {
      if (this.blocks.has(slot)) slots.push(slot);
    }
    return slots;
  }

  /** Closes this slot with a block; slots that are jumped over have none. */
  travelTo(slot: number): void {
    const [hash, time] = [freshHash(), nowSeconds()];
    this.#changes.add({ closed: [hash, time], slot });
    this.#travelTo(slot, hash, time);
  }

  #travelTo(slot: number, hash: string, time: number): void {
    this.#close(hash, this.#open, time);
    this.#open = [];
    this.slot = slot;
  }

  #redo(change: SolanaChange): void {
    if ('closed' in change) this.#travelTo(change.slot, ...change.closed);
    else if ('put' in change) this.accounts.set(...change.put);
    else {
      for (const [address, account] of change.accounts) this.accounts.set(address, account);
      this.#take(change.tx);
    }
  }

  #take(tx: SimTx): void {
    this.transactions.set(tx.signature, tx);
    this.#open.push(tx);
  }

  #close(hash: string, transactions: readonly SimTx[], time: number): void {
    const { slot: parent, hash: parentHash, height } = this.#tip;
    this.#tip = {
      ...{ slot: this.slot, height: height + 1, hash, time, transactions },
      parent: { slot: parent, hash: parentHash },
    };
    this.blocks.set(this.slot, this.#tip);
    this.#recentHashes = [...this.#recentHashes.slice(1 - BLOCKHASH_LIFE), hash];
    if (this.blocks.size > HISTORY_BLOCKS) this.blocks.delete(this.oldestSlot);
  }

  /** Everything that a restart must not lose. */
  snapshot(): string {
    const first = this.blocks.get(this.oldestSlot);
    return writeState({
      genesisHash: this.genesisHash,
      slot: this.slot,
      parent: first ? { ...first.parent, height: first.height - 1 } : { ...this.#tip },
      blocks: [...this.blocks.values()].map(({ slot, hash, time }) => [slot, hash, time]),
      accounts: [...this.accounts],
      transactions: [...this.transactions.values()],
    });
  }

  #restore({ slot: now, parent, blocks, accounts, transactions }: SolanaState): void {
    const bySlot = new Map<number, SimTx[]>();
    for (const tx of transactions) {
      this.transactions.set(tx.signature, tx);
      bySlot.set(tx.slot, [...(bySlot.get(tx.slot) ?? []), tx]);
    }
    for (const [address, account] of accounts) this.accounts.set(address, account);
    this.#tip = { ...emptyBlock(parent.slot, parent.height, { slot: 0, hash: this.genesisHash }), hash: parent.hash };
    this.#recentHashes = [parent.hash];
    for (const [slot, hash, time] of blocks) {
      this.slot = slot;
      this.#close(hash, bySlot.get(slot) ?? [], time);
    }
    this.slot = now;
    this.#open = bySlot.get(now) ?? [];
  }

  setAccount(address: Address, account: SimAccount): void {
    this.#changes.add({ put: [address, account] });
    this.accounts.set(address, account);
  }

  /** Why no node takes it, whatever it is sent for. */
  refusal(wire: WireTx): Refusal | undefined {
    if (!isSigned(wire)) return 'SignatureFailure';
    return this.transactions.has(signatureOf(wire)) ? 'AlreadyProcessed' : undefined;
  }

  /** An outdated one, and one whose fee nobody can pay, is dropped without a word, as on the real network. Gives its signature. */
  submit(bytes: Uint8Array): string {
    const wire = readWire(bytes);
    const signature = signatureOf(wire);
    if (this.isRecent(wire.blockhash)) this.#execute(signature, bytes, wire);
    return signature;
  }

  /** What would become of it now; the accounts as they would be after it. */
  tryOut(wire: WireTx): { readonly err: ExecutionError | null; readonly accounts: Accounts } {
    const message = messageOf(wire);
    const accounts: Accounts = new Map(this.accounts);
    const payer = accounts.get(message.payer);
    if (!payer) return { err: 'AccountNotFound', accounts };
    const fee = feeOf(message, wire.signers);
    if (payer.lamports < fee) return { err: 'InsufficientFundsForFee', accounts };
    accounts.set(message.payer, { ...payer, lamports: payer.lamports - fee });
    return { err: execute(message, accounts), accounts };
  }

  #execute(signature: string, bytes: Uint8Array, wire: WireTx): void {
    const message = messageOf(wire);
    const fee = feeOf(message, wire.signers);
    const payer = this.accounts.get(message.payer) ?? EMPTY;
    if (payer.lamports < fee) return;
    const accounts = wire.keys;
    const before = this.#balances(accounts);
    this.accounts.set(message.payer, { ...payer, lamports: payer.lamports - fee });
    const err = execute(message, this.accounts);
    const after = this.#balances(accounts);
    const tx: SimTx = { signature, slot: this.slot, accounts, wire: bytes, fee, err, before, after };
    this.#take(tx);
    const named = accounts.flatMap((address) => {
      const account = this.accounts.get(address);
      return account ? [[address, account] as const] : [];
    });
    this.#changes.add({ tx, accounts: named });
  }

  #balances(accounts: readonly Address[]): Balances {
    const held = accounts.map((address) => this.accounts.get(address) ?? EMPTY);
    const tokens = held.flatMap(({ program, data }, at) => {
      const token = program === TOKEN_PROGRAM ? readTokenAccount(data) : undefined;
      return token ? [{ at, mint: token.mint, owner: token.owner, atoms: token.atoms }] : [];
    });
    return { lamports: held.map(({ lamports }) => lamports), tokens };
  }
}

/** Of each signer in the order of the keys. */
export const isSigned = ({ signatures, signed, signers, keys }: WireTx): boolean =>
  signatures.length === signers &&
  signatures.every((one, at) => ed25519.verify(one, signed, base58.decode(present(keys[at], 'a signer'))));

const signatureOf = ({ signatures }: WireTx): string => base58.encode(present(signatures[0], 'a signature'));
const nowSeconds = (): number => Math.floor(Date.now() / 1_000);
const freshHash = (): string => base58.encode(randomBytes(32));

const emptyBlock = (slot: number, height: number, parent: SimBlock['parent']): SimBlock => ({
  ...{ slot, height, parent },
  hash: freshHash(),
  time: nowSeconds(),
  transactions: [],
});
