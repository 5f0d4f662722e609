import { randomBytes } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { present } from '../../../src/kernel/assert.ts';
import type { Address } from '../../../src/kernel/ids.ts';
import { readTokenAccount } from '../../../src/world/chains/solana/account-codec.ts';
import { TOKEN_PROGRAM } from '../../../src/world/chains/solana/address-codec.ts';
import {
  decodeEnvelope,
  decodeMessage,
  type Message,
  signersOf,
} from '../../../src/world/chains/solana/message-codec.ts';
import { FINALITY_SLOTS } from '../../nodes/solana-world.ts';
import { type Accounts, EMPTY, execute, feeOf, type SimAccount } from './execute.ts';
import { readState, type SolanaState, writeState } from './state.ts';
import type { Balances, SimTx } from './transaction.ts';

export interface SimBlock {
  readonly slot: number;
  readonly height: number;
  readonly hash: string;
  readonly parent: { readonly slot: number; readonly hash: string };
  readonly transactions: readonly SimTx[];
}

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

  /** `snapshot`: text from a ledger that this one goes on from. */
  constructor(snapshot?: string) {
    const state = snapshot === undefined ? undefined : readState(snapshot);
    this.genesisHash = state?.genesisHash ?? freshHash();
    this.#tip = emptyBlock(0, 0, { slot: 0, hash: this.genesisHash });
    this.#recentHashes = [this.#tip.hash];
    if (state) this.#restore(state);
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
    this.#close(freshHash(), this.#open);
    this.#open = [];
    this.slot = slot;
  }

  #close(hash: string, transactions: readonly SimTx[]): void {
    const { slot: parent, hash: parentHash, height } = this.#tip;
    this.#tip = {
      ...{ slot: this.slot, height: height + 1, hash, transactions },
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
      blocks: [...this.blocks.values()].map(({ slot, hash }) => [slot, hash]),
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
    for (const [slot, hash] of blocks) {
      this.slot = slot;
      this.#close(hash, bySlot.get(slot) ?? []);
    }
    this.slot = now;
    this.#open = bySlot.get(now) ?? [];
  }

  setAccount(address: Address, account: SimAccount): void {
    this.accounts.set(address, account);
  }

  /** An outdated one, and one whose fee nobody can pay, is taken and dropped without a word, as on the real network, unless it is tried first. */
  submit(bytes: Uint8Array, isTriedFirst: boolean): { readonly signature: string } | { readonly refused: string } {
    const { signatures, message: signed } = decodeEnvelope(bytes);
    const message = decodeMessage(signed);
    const signers = signersOf(message);
    const isGood = signers.every((signer, at) =>
      ed25519.verify(present(signatures[at], signer), signed, base58.decode(signer)),
    );
    if (!isGood || signatures.length !== signers.length)
      return { refused: 'Transaction signature verification failure' };
    const signature = base58.encode(present(signatures[0], 'a signature'));
    if (this.transactions.has(signature)) return { refused: 'This transaction has already been processed' };
    const failure = isTriedFirst ? this.#failureOf(message, signers.length) : undefined;
    if (failure !== undefined) return { refused: failure };
    if (this.isRecent(message.blockhash)) this.#execute(signature, message, signers.length);
    return { signature };
  }

  #failureOf(message: Message, signers: number): string | undefined {
    if (!this.isRecent(message.blockhash)) return 'Blockhash not found';
    const fee = feeOf(message, signers);
    const payer = this.accounts.get(message.payer) ?? EMPTY;
    if (payer.lamports < fee) return 'Attempt to debit an account but found no record of a prior credit.';
    const draft: Accounts = new Map(this.accounts).set(message.payer, { ...payer, lamports: payer.lamports - fee });
    const err = execute(message, draft);
    return err === null ? undefined : JSON.stringify(err);
  }

  #execute(signature: string, message: Message, signers: number): void {
    const fee = feeOf(message, signers);
    const payer = this.accounts.get(message.payer) ?? EMPTY;
    if (payer.lamports < fee) return;
    const used = message.instructions.flatMap(({ program, accounts }) => [
      ...accounts.map(({ address }) => address),
      program,
    ]);
    const accounts = [...new Set([...signersOf(message), ...used])];
    const before = this.#balances(accounts);
    this.accounts.set(message.payer, { ...payer, lamports: payer.lamports - fee });
    const err = execute(message, this.accounts);
    const after = this.#balances(accounts);
    const tx: SimTx = { signature, slot: this.slot, accounts, signers, fee, err, before, after };
    this.transactions.set(signature, tx);
    this.#open.push(tx);
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

const freshHash = (): string => base58.encode(randomBytes(32));

const emptyBlock = (slot: number, height: number, parent: SimBlock['parent']): SimBlock => ({
  ...{ slot, height, parent },
  hash: freshHash(),
  transactions: [],
});
