import { type Instant, instant } from '../../../kernel/clock.ts';
import { ReplyTooLarge } from '../../../kernel/fault.ts';
import { type Address, type TxHash, txHash } from '../../../kernel/ids.ts';
import type { Outbound } from '../../outbound/http.ts';
import type { Reply } from '../../outbound/reading.ts';
import { RpcNode } from '../../outbound/rpc-node.ts';
import type { BlockRef } from '../chain.ts';
import { SOLANA_ID } from './codec.ts';

/** What one account held of a token before and after a transaction; an account that was not there held nothing. */
export interface TokenChange {
  readonly account: Address;
  readonly owner: Address;
  readonly mint: Address;
  readonly program: Address;
  readonly before: bigint;
  readonly after: bigint;
}

/** A transaction as what it did to balances. */
export interface NodeTx {
  readonly hash: TxHash;
  readonly ok: boolean;
  /** The payer of the fee is the first. */
  readonly coins: readonly { readonly account: Address; readonly before: bigint; readonly after: bigint }[];
  readonly tokens: readonly TokenChange[];
}

export interface NodeBlock extends BlockRef {
  readonly parentHeight: number;
  readonly transactions: readonly NodeTx[];
}

export interface NodeAccount {
  readonly lamports: bigint;
  readonly program: Address;
  readonly isProgram: boolean;
  readonly data: Uint8Array;
}

export interface SignatureStatus {
  readonly height: number;
  readonly isFinal: boolean;
}

const FINAL = { commitment: 'finalized' };
/** Transactions of one block that are asked for at once, where it is too large for one reply. */
const CALLS_AT_ONCE = 8;
/**
 * The highest there can be. A node tells nothing of a block that holds a transaction of a higher version than is asked for (-32015), and
 * version 1 is in use since 2026. How it is written is nothing to us: its accounts, and what became of their balances, are told alike.
 */
const READS_VERSION = { maxSupportedTransactionVersion: 255 };

/**
 * A node's replies as checked values. Heights are slots: some slots have no block. Every error of the node is a transient
 * `Fault` unless a method says otherwise.
 */
export class SolanaNode extends RpcNode {
  constructor(url: string, outbound: Outbound) {
    super({ at: `chain:${SOLANA_ID}`, url }, outbound);
  }

  async genesisHash(): Promise<string> {
    return this.#text(await this.read('getGenesisHash', []));
  }

  async finalSlot(): Promise<number> {
    return this.#whole(await this.read('getSlot', [FINAL]));
  }

  /** Of the newest final block, whose time is the median of what its voters say. */
  async newestTime(): Promise<Instant> {
    const block = this.#object(await this.#getBlock(await this.finalSlot(), 'none'));
    return instant(this.#whole(block?.blockTime) * 1000);
  }

  /** Blocks, not slots: what the age of a blockhash is counted in. Of the block in a final slot. */
  async blockHeightAt(slot: number): Promise<bigint> {
    return this.#int(this.#object(await this.#getBlock(slot, 'none'))?.blockHeight);
  }

  /** The height, in blocks, of the oldest block that the node still keeps. */
  async oldestBlockHeight(): Promise<bigint> {
    const slot = this.#whole(await this.read('getFirstAvailableBlock', []));
    return this.blockHeightAt(slot);
  }

  async recentBlockhash(): Promise<{ readonly blockhash: string; readonly lastValidBlockHeight: bigint }> {
    const { blockhash, lastValidBlockHeight } = this.#value(await this.read('getLatestBlockhash', [FINAL]));
    return { blockhash: this.#text(blockhash), lastValidBlockHeight: this.#int(lastValidBlockHeight) };
  }

  /** The next slots that have a final block. */
  async blocksAfter(slot: number, most: number): Promise<readonly number[]> {
    return this.#list(await this.read('getBlocksWithLimit', [slot + 1, most, FINAL])).map((next) => this.#whole(next));
  }

  async hashAt(slot: number): Promise<string | undefined> {
    const block = this.#object(await this.#getBlock(slot, 'none'));
    return block && this.#text(block.blockhash);
  }

  /**
   * A final block with its transactions, without what they were told to do: balances tell what they did. For some dollars anybody can fill
   * one with more of them than a reply may hold; then each is asked for by itself.
   */
  async block(slot: number): Promise<NodeBlock> {
    const [block, transactions] = await this.#accountsIn(slot).catch((error) => {
      if (error instanceof ReplyTooLarge) return this.#oneByOne(slot);
      throw error;
    });
    return {
      height: slot,
      hash: this.#text(block.blockhash),
      parentHeight: this.#whole(block.parentSlot),
      transactions: transactions.map((tx) => this.#tx(tx)),
    };
  }

  async #accountsIn(slot: number): Promise<readonly [Reply, readonly unknown[]]> {
    const block = await this.#mustHave(slot, 'accounts');
    return [block, this.#list(block.transactions)];
  }

  async #oneByOne(slot: number): Promise<readonly [Reply, readonly unknown[]]> {
    const block = await this.#mustHave(slot, 'signatures');
    const signatures = this.#list(block.signatures).map((signature) => this.#text(signature));
    const transactions: unknown[] = [];
    for (let start = 0; start < signatures.length; start += CALLS_AT_ONCE) {
      const some = signatures.slice(start, start + CALLS_AT_ONCE);
      transactions.push(...(await Promise.all(some.map((signature) => this.#transactionIn(slot, signature)))));
    }
    return [block, transactions];
  }

  /** As blocks tell it: who took part, and what became of their balances. */
  async #transactionIn(slot: number, signature: string): Promise<unknown> {
    const how = { ...FINAL, ...READS_VERSION, encoding: 'jsonParsed' };
    const told = this.#object(await this.readLarge(`transaction ${signature}`, 'getTransaction', [signature, how]));
    if (!told || told.slot !== slot) throw this.fault(`the node does not tell of ${signature} in block ${slot}`);
    const { signatures, message } = this.#object(told.transaction) ?? {};
    return { meta: told.meta, transaction: { signatures, accountKeys: this.#object(message)?.accountKeys } };
  }

  async #mustHave(slot: number, details: 'accounts' | 'signatures'): Promise<Reply> {
    const block = this.#object(await this.#getBlock(slot, details));
    if (!block) throw this.fault(`the node has no block ${slot}`);
    return block;
  }

  #getBlock(slot: number, transactionDetails: 'accounts' | 'signatures' | 'none'): Promise<unknown> {
    const options = { ...FINAL, ...READS_VERSION, transactionDetails, rewards: false };
    return this.readLarge(`block ${slot}`, 'getBlock', [slot, options]);
  }

  /** Looks through all that the node keeps; `asOf` is the slot to which the server had come that answers. */
  async status(hash: TxHash): Promise<{ readonly status: SignatureStatus | undefined; readonly asOf: number }> {
    const reply = this.#object(await this.read('getSignatureStatuses', [[hash], { searchTransactionHistory: true }]));
    const asOf = this.#whole(this.#object(reply?.context)?.slot);
    const status = this.#object(this.#list(reply?.value)[0]);
    if (!status) return { status: undefined, asOf };
    return { status: { height: this.#whole(status.slot), isFinal: status.confirmationStatus === 'finalized' }, asOf };
  }

  async accounts(addresses: readonly Address[]): Promise<readonly (NodeAccount | undefined)[]> {
    const options = { commitment: 'confirmed', encoding: 'base64' };
    const reply = this.#object(await this.read('getMultipleAccounts', [addresses, options]));
    const found = this.#list(reply?.value).map((account) => this.#account(account));
    if (found.length !== addresses.length) throw this.fault(`${found.length} of ${addresses.length} accounts`);
    return found;
  }

  /** What an account of this size must hold for the chain to keep it. */
  async rentMinimum(bytes: number): Promise<bigint> {
    return this.#int(await this.read('getMinimumBalanceForRentExemption', [bytes]));
  }

  /** What others paid of late to write these accounts, in millionths of a lamport per compute unit. */
  async priorityFees(addresses: readonly Address[]): Promise<readonly bigint[]> {
    const fees = this.#list(await this.read('getRecentPrioritizationFees', [addresses]));
    return fees.map((fee) => this.#int(this.#object(fee)?.prioritizationFee));
  }

  #account(value: unknown): NodeAccount | undefined {
    const account = this.#object(value);
    if (!account) return undefined;
    return {
      lamports: this.#int(account.lamports),
      program: this.#text(account.owner) as Address,
      isProgram: account.executable === true,
      data: Uint8Array.from(Buffer.from(this.#text(this.#list(account.data)[0]), 'base64')),
    };
  }

  #tx(value: unknown): NodeTx {
    const { meta, transaction } = this.#object(value) ?? {};
    const told = this.#object(meta) ?? {};
    const { accountKeys, signatures } = this.#object(transaction) ?? {};
    const accounts = this.#list(accountKeys).map((key) => this.#text(this.#object(key)?.pubkey) as Address);
    const [before, after] = [this.#list(told.preBalances), this.#list(told.postBalances)];
    const coins = accounts.map((account, at) => ({
      account,
      before: this.#int(before[at]),
      after: this.#int(after[at]),
    }));
    return {
      hash: txHash(this.#text(this.#list(signatures)[0])),
      ok: told.err === null,
      coins,
      tokens: this.#tokens(accounts, told.preTokenBalances, told.postTokenBalances),
    };
  }

  #tokens(accounts: readonly Address[], pre: unknown, post: unknown): readonly TokenChange[] {
    const changes = new Map<string, TokenChange>();
    const note = (entry: unknown, when: 'before' | 'after'): void => {
      const { accountIndex, mint, owner, programId, uiTokenAmount } = this.#object(entry) ?? {};
      const account = accounts[this.#whole(accountIndex)];
      if (!account) throw this.fault('a token balance of no account');
      const parties = { owner: this.#text(owner) as Address, mint: this.#text(mint) as Address };
      const program = this.#text(programId) as Address;
      const key = [account, parties.owner, parties.mint].join();
      const known = changes.get(key) ?? { account, ...parties, program, before: 0n, after: 0n };
      changes.set(key, { ...known, [when]: this.#digits(this.#object(uiTokenAmount)?.amount) });
    };
    for (const entry of this.#list(pre ?? [])) note(entry, 'before');
    for (const entry of this.#list(post ?? [])) note(entry, 'after');
    return [...changes.values()];
  }

  #value(reply: unknown): Reply {
    const value = this.#object(this.#object(reply)?.value);
    if (!value) throw this.fault('a reply without a value');
    return value;
  }

  #object(value: unknown): Reply | undefined {
    return value === null || value === undefined ? undefined : this.reading.record(value, 'an answer');
  }

  #list(value: unknown): readonly unknown[] {
    return this.reading.list(value, 'a list');
  }

  #text(value: unknown): string {
    return this.reading.text(value, 'a text');
  }

  #digits(value: unknown): bigint {
    const text = this.#text(value);
    return /^\d{1,20}$/.test(text) ? BigInt(text) : this.reading.malformed('an amount', value);
  }

  #whole(value: unknown): number {
    return this.reading.whole(value, 'a number');
  }

  /** Lamports come as JSON numbers, exact up to nine million coins; no account of ours comes near that. */
  #int(value: unknown): bigint {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return BigInt(value);
    return this.reading.malformed('a number', value ?? null);
  }
}
