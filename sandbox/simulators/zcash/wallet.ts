import { blake2b } from '@noble/hashes/blake2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { HDKey } from '@scure/bip32';
import { present } from '../../../src/kernel/assert.ts';
import type { Address } from '../../../src/kernel/ids.ts';
import { decodeAddress, encodeAddress, receiverNames } from '../../../src/world/chains/zcash/codec.ts';
import type { Pool } from '../../../src/world/chains/zcash/reply-codec.ts';
import type { ReceiverType } from '../../../src/world/chains/zcash/unified-codec.ts';
import { RpcFailure } from '../rpc-server.ts';
import { COINBASE_LOCK, type Coin, type Ledger } from './ledger.ts';
import {
  type Decoded,
  decodeTransaction,
  feeFor,
  receiverBytes,
  type Signature,
  type SimOutput,
  type SimTx,
  type SpendKey,
  signSpend,
  transactionId,
} from './transaction.ts';

export interface WalletState {
  readonly seed: string;
  readonly canSpend: boolean;
  readonly accountUuid: string;
  readonly addresses: readonly { readonly index: number; readonly types: readonly ReceiverType[] }[];
  /** Transactions that were built here. */
  readonly built: readonly string[];
}

/** What a wallet is told after that: an address that it gave out, or a transaction that it built. */
export type WalletChange = { readonly given: WalletState['addresses'][number] } | { readonly built: string };

export interface Owner {
  readonly index: number;
  readonly type: ReceiverType;
  readonly isInternal: boolean;
}

/** Blocks that a transaction stays valid. */
const EXPIRY_DELTA = 40;
/** ZIP 315: our own change is deep enough after three blocks, what strangers sent after ten. */
const TRUSTED_DEPTH = 3;
const UNTRUSTED_DEPTH = 10;
const CHANGE: Owner = { index: 0, type: 'orchard', isInternal: true };

/** Two wallets of one seed have the same receivers; making one takes longer than all else that they do. */
const RECEIVERS = new Map<string, Uint8Array>();

/** One account: its keys, the addresses that it gave out and what it has built. */
export class Wallet {
  readonly ledger: Ledger;
  readonly canSpend: boolean;
  readonly accountUuid: string;
  readonly built = new Map<string, Decoded>();
  readonly addresses = new Map<number, { readonly types: readonly ReceiverType[]; readonly address: Address }>();
  readonly #owners = new Map<string, Owner>();
  readonly #seed: string;
  readonly #transparent: HDKey;
  readonly #onChange: (change: WalletChange) => void;

  constructor(ledger: Ledger, state: WalletState, onChange: (change: WalletChange) => void = () => undefined) {
    this.ledger = ledger;
    this.canSpend = state.canSpend;
    this.accountUuid = state.accountUuid;
    this.#seed = state.seed;
    this.#transparent = HDKey.fromMasterSeed(blake2b(utf8ToBytes(state.seed))).derive("m/44'/133'/0'/0");
    this.#onChange = onChange;
    this.#own(CHANGE);
    for (const given of state.addresses) this.redo({ given });
    for (const built of state.built) this.redo({ built });
  }

  redo(change: WalletChange): void {
    if ('given' in change) this.#give(change.given.index, change.given.types);
    else this.#keep(decodeTransaction(change.built));
  }

  expose(index: number, types: readonly ReceiverType[]): Address {
    const known = this.addresses.get(index);
    if (known?.types.join() === types.join()) return known.address;
    if (known) throw new RpcFailure(-4, `Error: address at ${index} was generated with other receivers.`);
    this.#onChange({ given: { index, types } });
    return this.#give(index, types);
  }

  #give(index: number, types: readonly ReceiverType[]): Address {
    const receivers = Object.fromEntries(types.map((type) => [type, this.#own({ index, type, isInternal: false })]));
    const single = types.length === 1 ? types[0] : undefined;
    const kind = single === 'p2pkh' ? 'transparent' : single === 'sapling' ? 'sapling' : 'unified';
    const address = encodeAddress({ kind, receivers });
    this.addresses.set(index, { types, address });
    return address;
  }

  #own(owner: Owner): Uint8Array {
    const name = `${this.#seed}/${owner.type}/${owner.index}/${owner.isInternal}`;
    const bytes = RECEIVERS.get(name) ?? receiverBytes(this.#keyOf(owner), owner.index);
    RECEIVERS.set(name, bytes);
    this.#owners.set(`${owner.type}:${bytesToHex(bytes)}`, owner);
    return bytes;
  }

  #keyOf({ index, type, isInternal }: Owner): SpendKey {
    if (type === 'p2pkh')
      return { kind: 'transparent', secret: present(this.#transparent.deriveChild(index).privateKey, 'a key') };
    const path = `${this.#seed}/${type}/${isInternal ? 'internal' : index}`;
    return { kind: 'shielded', secret: blake2b(utf8ToBytes(path), { dkLen: 32 }) };
  }

  ownerOf(receiver: string): Owner | undefined {
    return this.#owners.get(receiver);
  }

  keep(tx: Decoded): void {
    this.#onChange({ built: tx.raw });
    this.#keep(tx);
  }

  #keep(tx: Decoded): void {
    this.built.set(tx.txid, tx);
  }

  depth({ height }: Coin): number {
    return this.ledger.tip.height - height + 1;
  }

  /** On the chain, ours, and not spent by anything that was mined, waits, or could still be sent. */
  unspent(): readonly Coin[] {
    const { coins, spent, tip } = this.ledger;
    const setAside = new Set(
      [...this.built.values()].filter(({ tx }) => tx.expiry > tip.height).flatMap(({ tx }) => tx.spends),
    );
    return [...coins.values()].filter(
      ({ key, to }) => this.#owners.has(to) && !spent.has(key) && !setAside.has(key) && !this.ledger.isSpentInPool(key),
    );
  }

  #isReady(coin: Coin, fromTransparent: boolean): boolean {
    const isTransparent = coin.pool === 'transparent';
    if (isTransparent !== fromTransparent || (isTransparent && coin.isCoinbase)) return false;
    return this.depth(coin) >= (this.ownerOf(coin.to)?.isInternal ? TRUSTED_DEPTH : UNTRUSTED_DEPTH);
  }

  /** Each source is isolating: what it cannot cover is not drawn from another. */
  propose(payments: readonly { to: string; zat: bigint }[], fromTransparent: boolean): SimTx {
    const paid = payments.map(({ to, zat }) => ({ ...destination(to), zat }));
    const amount = paid.reduce((total, { zat }) => total + zat, 0n);
    const outputPools: Pool[] = [...paid.map(({ pool }) => pool), 'orchard'];
    const chosen: Coin[] = [];
    const worth = () => chosen.reduce((total, { zat }) => total + BigInt(zat), 0n);
    const inputPools = () => chosen.map(({ pool }) => pool);
    const fee = () => feeFor(inputPools(), outputPools);
    for (const coin of this.unspent().filter((one) => this.#isReady(one, fromTransparent))) {
      if (chosen.length > 0 && worth() >= amount + fee()) break;
      chosen.push(coin);
    }
    if (chosen.length === 0 || worth() < amount + fee())
      throw new RpcFailure(-6, `Insufficient balance (have ${worth()}, need ${amount + fee()} including fee)`);
    const change = { pool: 'orchard' as Pool, to: this.#changeName(), zat: worth() - amount - fee() };
    return {
      expiry: this.ledger.tip.height + 1 + EXPIRY_DELTA,
      spends: chosen.map(({ key }) => key),
      outputs: numbered([...paid, change]),
    };
  }

  /** In blocks, and spent in none. */
  #kept(): readonly Coin[] {
    const { coins, spent } = this.ledger;
    return [...coins.values()].filter(({ key, to }) => this.#owners.has(to) && !spent.has(key));
  }

  held(): bigint {
    return sumOf(this.#kept());
  }

  /** All that could be paid from once it is deep enough, and what it would cost to pay with the whole of it. */
  shielded(outputPools: readonly Pool[]): { readonly held: bigint; readonly fee: bigint } {
    const own = this.#kept().filter(({ pool }) => pool !== 'transparent');
    const inputPools = own.map(({ pool }) => pool);
    return { held: sumOf(own), fee: feeFor(inputPools, outputPools) };
  }

  #changeName(): string {
    const found = [...this.#owners].find(([, owner]) => owner.isInternal);
    return present(found, 'an internal receiver')[0];
  }

  sign(tx: SimTx): readonly Signature[] {
    if (!this.canSpend) throw new RpcFailure(-4, 'Error: this account is view-only.');
    const txid = transactionId(tx);
    return tx.spends.map((key) => {
      const owner = this.ownerOf(present(this.ledger.coins.get(key), key).to);
      return signSpend(txid, this.#keyOf(present(owner, 'an input of ours')));
    });
  }

  isMature(coin: Coin): boolean {
    return coin.pool !== 'transparent' || !coin.isCoinbase || this.depth(coin) > COINBASE_LOCK;
  }

  state(): WalletState {
    const addresses = [...this.addresses].map(([index, { types }]) => ({ index, types }));
    const built = [...this.built.values()].map(({ raw }) => raw);
    return { seed: this.#seed, canSpend: this.canSpend, accountUuid: this.accountUuid, addresses, built };
  }
}

const sumOf = (coins: readonly Coin[]): bigint => coins.reduce((sum, { zat }) => sum + BigInt(zat), 0n);

/** The best pool of an address is paid. */
export function destination(to: string): { readonly pool: Pool; readonly to: string } {
  const decoded = decodeAddress(to);
  if (!decoded) throw new RpcFailure(-8, `Invalid parameter, unknown address format: ${to}`);
  const name = present(receiverNames(decoded).at(-1), 'a receiver');
  const type = name.slice(0, name.indexOf(':'));
  return { pool: type === 'orchard' || type === 'sapling' ? type : 'transparent', to: name };
}

export function numbered(outputs: readonly { pool: Pool; to: string; zat: bigint }[]): readonly SimOutput[] {
  const next = new Map<Pool, number>();
  return outputs.map(({ pool, to, zat }) => {
    const index = next.get(pool) ?? 0;
    next.set(pool, index + 1);
    return { pool, index, to, zat: zat.toString() };
  });
}
