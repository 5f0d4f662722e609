import { ed25519 } from '@noble/curves/ed25519.js';
import { numberToBytesLE } from '@noble/curves/utils.js';
import { bytesToHex, concatBytes, hexToBytes, randomBytes } from '@noble/hashes/utils.js';
import { present } from '../../../src/kernel/assert.ts';
import {
  ascii,
  hashToScalar,
  type MoneroAddress,
  publicKey,
  sameBytes,
  scalar,
  scalarHex,
} from '../../../src/world/chains/monero/codec.ts';
import {
  commit,
  commitmentMask,
  maskAmount,
  oneTimeKey,
  outputScalar,
  sharedSecret,
  viewTag,
} from '../../../src/world/chains/monero/output-codec.ts';
import { type MoneroTx, parseTransactionHex, transactionId } from '../../../src/world/chains/monero/tx-codec.ts';

/**
 * Transactions as on the real network up to their proofs: stealth outputs, hidden amounts, commitments and ids are the real
 * thing. In place of ring signatures each input names its one output openly and is signed with that output's key, and a key
 * image is a hash that anyone can check; in place of range proofs stands the difference of the blinding factors.
 */

const Point = ed25519.Point;
const ORDER = Point.Fn.ORDER;
const SIGNATURE_BYTES = 64;
const SCALAR_BYTES = 32;

export interface Input {
  readonly key: Uint8Array;
  readonly position: number;
  readonly mask: bigint;
  /** undefined in a wallet that only sees: what it builds is no payment. */
  readonly secret: bigint | undefined;
}

export interface Payee {
  readonly address: MoneroAddress;
  readonly atoms: bigint;
}

export interface Draft {
  readonly inputs: readonly Input[];
  readonly payees: readonly Payee[];
  readonly change: Payee | undefined;
  readonly viewKey: string;
  readonly fee: bigint;
  readonly unlockTime: number;
}

export interface BuiltTx {
  readonly hex: string;
  readonly hash: string;
  /** Keys of the transaction, as the wallet's `tx_key` strings them together. */
  readonly txKey: string;
  readonly keyImages: readonly string[];
}

/** What a wallet without the spend key writes where a key image belongs. */
const NO_KEY_IMAGE = `01${'00'.repeat(31)}`;

export const keyImageOf = (outputKey: Uint8Array): string =>
  bytesToHex(publicKey(hashToScalar(ascii('key image'), outputKey)));

const randomScalar = (): bigint => scalar(randomBytes(SCALAR_BYTES));
const bytesOf = (value: bigint): Uint8Array => numberToBytesLE(value % ORDER, SCALAR_BYTES);

export function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = [];
  for (let left = BigInt(value); ; left >>= 7n) {
    if (left < 128n) return Uint8Array.from([...bytes, Number(left)]);
    bytes.push(Number(left & 127n) | 128);
  }
}

const listOf = (items: readonly Uint8Array[]): Uint8Array => concatBytes(varint(items.length), ...items);

interface MadeOutput {
  readonly key: Uint8Array;
  readonly tag: number;
  readonly hidden: Uint8Array;
  readonly mask: bigint;
  readonly commitment: Uint8Array;
}

function makeOutput({ address, atoms }: Payee, shared: Uint8Array, index: number): MadeOutput {
  const secret = outputScalar(shared, index);
  const mask = commitmentMask(secret);
  return {
    key: oneTimeKey(secret, address.spend),
    tag: viewTag(shared, index),
    hidden: maskAmount(numberToBytesLE(atoms, 8), secret),
    mask,
    commitment: commit(mask, atoms).toBytes(),
  };
}

/** With payees of several kinds each output has a transaction key of its own. */
function stealth(draft: Draft): { outputs: MadeOutput[]; extra: Uint8Array; txKey: string } {
  const all = shuffled([...draft.payees, ...(draft.change ? [draft.change] : [])]);
  const distinct = new Set(draft.payees.map(({ address }) => bytesToHex(address.spend)));
  const subaddresses = draft.payees.filter(({ address }) => address.kind === 'subaddress');
  const severalKinds = subaddresses.length > 0 && distinct.size > 1;
  const main = randomScalar();
  const [lone] = severalKinds ? [] : subaddresses;
  const mainPublic = transactionKey(main, lone?.address);
  const additional = severalKinds ? all.map(() => randomScalar()) : [];
  const outputs = all.map((payee, index) => {
    const own = additional[index] ?? main;
    const shared =
      payee === draft.change
        ? sharedSecret(draft.viewKey, mainPublic)
        : sharedSecret(scalarHex(own), payee.address.view);
    return makeOutput(payee, present(shared, 'a payee on the curve'), index);
  });
  const publics = all.map(({ address }, index) => transactionKey(additional[index] ?? main, address));
  const extra = concatBytes(Uint8Array.of(1), mainPublic, ...(severalKinds ? [Uint8Array.of(4), listOf(publics)] : []));
  return { outputs, extra, txKey: [main, ...additional].map(scalarHex).join('') };
}

function transactionKey(secret: bigint, payee: MoneroAddress | undefined): Uint8Array {
  return payee?.kind === 'subaddress' ? Point.fromBytes(payee.spend).multiply(secret).toBytes() : publicKey(secret);
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

export function buildTransaction(draft: Draft): BuiltTx {
  const { outputs, extra, txKey } = stealth(draft);
  const keyImages = draft.inputs.map(({ key, secret }) => (secret === undefined ? NO_KEY_IMAGE : keyImageOf(key)));
  const inputs = draft.inputs.map(({ position }, index) =>
    concatBytes(Uint8Array.of(2, 0, 1), varint(position), hexToBytes(keyImages[index] ?? '')),
  );
  const targets = outputs.map(({ key, tag }) => concatBytes(Uint8Array.of(0, 3), key, Uint8Array.of(tag)));
  const body = concatBytes(
    Uint8Array.of(2),
    varint(draft.unlockTime),
    listOf(inputs),
    listOf(targets),
    varint(extra.length),
    extra,
    Uint8Array.of(6),
    varint(draft.fee),
    ...outputs.map(({ hidden }) => hidden),
    ...outputs.map(({ commitment }) => commitment),
  );
  const unsigned = parseTransactionHex(bytesToHex(body));
  const excess = total(draft.inputs) - total(outputs) + ORDER * BigInt(outputs.length);
  const signatures = draft.inputs.map((input) => sign(input, unsigned, excess));
  const hex = bytesToHex(concatBytes(body, ...signatures, bytesOf(excess)));
  return { hex, hash: transactionId(parseTransactionHex(hex)), txKey, keyImages };
}

const total = (parts: readonly { readonly mask: bigint }[]): bigint => parts.reduce((sum, { mask }) => sum + mask, 0n);

function challenge(tx: MoneroTx, excess: bigint, key: Uint8Array, nonce: Uint8Array): bigint {
  return hashToScalar(tx.prefixHash, tx.ringctHash, bytesOf(excess), key, nonce);
}

function sign({ key, secret }: Input, tx: MoneroTx, excess: bigint): Uint8Array {
  if (secret === undefined) return new Uint8Array(SIGNATURE_BYTES);
  const nonce = randomScalar();
  const commitment = publicKey(nonce);
  return concatBytes(commitment, bytesOf(nonce + challenge(tx, excess, key, commitment) * secret));
}

export interface SpentOutput {
  readonly key: Uint8Array;
  readonly commitment: Uint8Array;
}

/** Every input is signed by its owner, has its one key image, and no money is made. */
export function provesSpend(tx: MoneroTx, spent: readonly SpentOutput[]): boolean {
  if (tx.proofs.length !== spent.length * SIGNATURE_BYTES + SCALAR_BYTES) return false;
  const excess = scalar(tx.proofs.subarray(-SCALAR_BYTES));
  try {
    return spent.every((output, index) => isSigned(tx, excess, output, index)) && balances(tx, excess, spent);
  } catch {
    // A point that is none.
    return false;
  }
}

function isSigned(tx: MoneroTx, excess: bigint, { key }: SpentOutput, index: number): boolean {
  if (tx.keyImages[index] !== keyImageOf(key)) return false;
  const signature = tx.proofs.subarray(index * SIGNATURE_BYTES, (index + 1) * SIGNATURE_BYTES);
  const nonce = signature.subarray(0, SCALAR_BYTES);
  const expected = Point.fromBytes(nonce).add(Point.fromBytes(key).multiply(challenge(tx, excess, key, nonce)));
  return sameBytes(publicKey(scalar(signature.subarray(SCALAR_BYTES))), expected.toBytes());
}

function balances(tx: MoneroTx, excess: bigint, spent: readonly SpentOutput[]): boolean {
  const sum = (commitments: readonly Uint8Array[]) =>
    commitments.reduce((total, bytes) => total.add(Point.fromBytes(bytes)), Point.ZERO);
  const inputs = sum(spent.map(({ commitment }) => commitment));
  const outputs = sum(tx.outputs.map(({ commitment }) => commitment));
  return inputs.equals(outputs.add(commit(excess, tx.fee)));
}

/** New money for a miner, in clear, locked for sixty blocks. */
export function buildCoinbase(height: number, payees: readonly Payee[], lockBlocks: number): BuiltTx {
  const main = randomScalar();
  const secrets = new Map<MoneroAddress, Uint8Array>();
  const sharedWith = (address: MoneroAddress): Uint8Array => {
    const shared = secrets.get(address) ?? present(sharedSecret(scalarHex(main), address.view), 'a payee on the curve');
    secrets.set(address, shared);
    return shared;
  };
  const targets = payees.map(({ address, atoms }, index) => {
    const shared = sharedWith(address);
    const key = oneTimeKey(outputScalar(shared, index), address.spend);
    return concatBytes(varint(atoms), Uint8Array.of(3), key, Uint8Array.of(viewTag(shared, index)));
  });
  const extra = concatBytes(Uint8Array.of(1), publicKey(main));
  const bytes = concatBytes(
    Uint8Array.of(2),
    varint(height + lockBlocks),
    listOf([concatBytes(Uint8Array.of(0xff), varint(height))]),
    listOf(targets),
    varint(extra.length),
    extra,
    Uint8Array.of(0),
  );
  const hex = bytesToHex(bytes);
  return { hex, hash: transactionId(parseTransactionHex(hex)), txKey: scalarHex(main), keyImages: [] };
}
