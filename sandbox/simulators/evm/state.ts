import type { AccountFields, StateManagerInterface } from '@ethereumjs/common';
import { OriginalStorageCache } from '@ethereumjs/statemanager';
import { Account, type Address, bytesToHex, bytesToUnprefixedHex, hexToBytes, KECCAK256_NULL } from '@ethereumjs/util';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Cell, Changes, History, Read } from './history.ts';

/** An account's cell: its nonce, its coins and the hash of its code, if it has any. */
export const accountCell = (nonce: bigint, balance: bigint, codeHash: string): string =>
  `${nonce},${balance},${codeHash}`;

export function readAccount(cell: Cell): { nonce: bigint; balance: bigint; codeHash: string } {
  const [nonce = '0', balance = '0', codeHash = ''] = cell?.split(',') ?? [];
  return { nonce: BigInt(nonce), balance: BigInt(balance), codeHash };
}

export const wordKey = (address: string, slot: string): string => `${address}/${slot}`;

/** What the machine works on: what it changes stays here until somebody takes it. */
export class WorkingState implements StateManagerInterface {
  readonly #history: History;
  readonly originalStorageCache = new OriginalStorageCache((address, key) => this.getStorage(address, key));
  #below: Read;
  /** One more with each checkpoint. */
  #layers: Map<string, Cell>[] = [new Map()];

  constructor(history: History) {
    this.#history = history;
    this.#below = history.now;
  }

  /** Begins anew on top of this. */
  over(below: Read): void {
    this.#below = below;
    this.#layers = [new Map()];
    this.originalStorageCache.clear();
  }

  changes(): Changes {
    return new Map(this.#layers.flatMap((layer) => [...layer]));
  }

  async getAccount(address: Address): Promise<Account | undefined> {
    const cell = this.#get(address.toString());
    if (cell === undefined) return undefined;
    const { nonce, balance, codeHash } = readAccount(cell);
    return new Account(nonce, balance, undefined, codeHash === '' ? undefined : hexToBytes(`0x${codeHash}`));
  }

  async putAccount(address: Address, account?: Account): Promise<void> {
    if (!account) return this.deleteAccount(address);
    const hash = Buffer.compare(account.codeHash, KECCAK256_NULL) === 0 ? '' : bytesToUnprefixedHex(account.codeHash);
    this.#set(address.toString(), accountCell(account.nonce, account.balance, hash));
  }

  async deleteAccount(address: Address): Promise<void> {
    this.#set(address.toString(), undefined);
    await this.clearStorage(address);
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const account = (await this.getAccount(address)) ?? new Account();
    await this.putAccount(address, Object.assign(account, fields));
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    const codeHash = keccak_256(code);
    this.#history.keepCode(bytesToUnprefixedHex(codeHash), code);
    await this.modifyAccountFields(address, { codeHash });
  }

  async getCode(address: Address): Promise<Uint8Array> {
    return this.#history.code(readAccount(this.#get(address.toString())).codeHash);
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.getCode(address)).length;
  }

  async getStorage(address: Address, key: Uint8Array): Promise<Uint8Array> {
    const word = this.#get(wordKey(address.toString(), bytesToUnprefixedHex(key)));
    return word === undefined ? new Uint8Array() : hexToBytes(`0x${word}`);
  }

  async putStorage(address: Address, key: Uint8Array, value: Uint8Array): Promise<void> {
    const word = bytesToHex(value)
      .slice(2)
      .replace(/^(?:00)+/, '');
    this.#set(wordKey(address.toString(), bytesToUnprefixedHex(key)), word === '' ? undefined : word);
  }

  async clearStorage(address: Address): Promise<void> {
    const name = address.toString();
    for (const key of this.#history.wordsOf(name)) this.#set(key, undefined);
    for (const layer of this.#layers)
      for (const key of layer.keys()) if (key.startsWith(`${name}/`)) this.#set(key, undefined);
  }

  async checkpoint(): Promise<void> {
    this.#layers.push(new Map());
  }

  async commit(): Promise<void> {
    for (const [key, cell] of this.#layers.pop() ?? []) this.#set(key, cell);
  }

  async revert(): Promise<void> {
    this.#layers.pop();
  }

  clearCaches(): void {}

  shallowCopy(): StateManagerInterface {
    return new WorkingState(this.#history);
  }

  getStateRoot = noTrie;
  setStateRoot = noTrie;
  hasStateRoot = noTrie;

  #get(key: string): Cell {
    for (let at = this.#layers.length - 1; at >= 0; at -= 1) {
      const layer = this.#layers[at];
      if (layer?.has(key)) return layer.get(key);
    }
    return this.#below(key);
  }

  #set(key: string, cell: Cell): void {
    this.#layers.at(-1)?.set(key, cell);
  }
}

async function noTrie(): Promise<never> {
  throw new Error('the simulator keeps accounts in no trie');
}
