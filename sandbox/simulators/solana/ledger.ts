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
import { type Accounts, EMPTY, type ExecutionError, execute, feeOf, type SimAccount } from './execute.ts';

export interface Balances {
  readonly lamports: readonly bigint[];
  readonly tokens: readonly {
    readonly at: number;
    readonly mint: Address;
    readonly owner: Address;
    readonly atoms: bigint;
  }[];
}

export interface SimTx {
  readonly signature: string;
  readonly slot: number;
  readonly accounts: readonly Address[];
  readonly signers: number;
  readonly fee: bigint;
  readonly err: ExecutionError | null;
  readonly before: Balances;
  readonly after: Balances;
}

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

/** The one chain of a simulated network. Transactions are executed as they come; their slot closes when time moves on. */
export class Ledger {
  readonly genesisHash = base58.encode(randomBytes(32));
  readonly accounts: Accounts = new Map();
  readonly blocks = new Map<number, SimBlock>();
  readonly transactions = new Map<string, SimTx>();
  slot = FIRST_SLOT;
  #tip: SimBlock = emptyBlock(0, 0, { slot: 0, hash: this.genesisHash });
  #open: SimTx[] = [];

  get height(): number {
    return this.#tip.height;
  }

  get latest(): { readonly blockhash: string; readonly lastValidBlockHeight: number } {
    return { blockhash: this.#tip.hash, lastValidBlockHeight: this.height + BLOCKHASH_LIFE };
  }

  slotAt(commitment: unknown): number {
    if (commitment === 'processed') return this.slot;
    if (commitment === 'confirmed') return this.#tip.slot;
    const final = [...this.blocks.keys()].filter((slot) => slot <= this.slot - FINALITY_SLOTS);
    return final.at(-1) ?? 0;
  }

  /** Closes this slot with a block; slots that are jumped over have none. */
  travelTo(slot: number): void {
    const { slot: parent, hash } = this.#tip;
    this.#tip = { ...emptyBlock(this.slot, this.height + 1, { slot: parent, hash }), transactions: this.#open };
    this.blocks.set(this.slot, this.#tip);
    this.#open = [];
    this.slot = slot;
  }

  setAccount(address: Address, account: SimAccount): void {
    this.accounts.set(address, account);
  }

  /** An outdated one is taken and dropped without a word, as on the real network. */
  submit(bytes: Uint8Array): { readonly signature: string } | { readonly refused: string } {
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
    if (this.#isRecent(message.blockhash)) this.#execute(signature, message, signers.length);
    return { signature };
  }

  #isRecent(blockhash: string): boolean {
    if (blockhash === this.#tip.hash) return true;
    const block = [...this.blocks.values()].find(({ hash }) => hash === blockhash);
    return block !== undefined && this.height - block.height < BLOCKHASH_LIFE;
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

const emptyBlock = (slot: number, height: number, parent: SimBlock['parent']): SimBlock => ({
  ...{ slot, height, parent },
  hash: base58.encode(randomBytes(32)),
  transactions: [],
});
