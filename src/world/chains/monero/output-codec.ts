import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { ascii, hashToScalar, keccak, type MoneroAddress, sameBytes, scalar } from './codec.ts';
import type { MoneroTx, TxOutput } from './tx-codec.ts';

/**
 * Who owns an output and how much is in it. The payee finds it with the view key, the payer with the transaction key; both
 * open the commitment, so an amount that is told here is the amount that can be spent. Pure.
 */

/** The second generator of amount commitments, fixed by the protocol. */
const AMOUNT_GENERATOR = ed25519.Point.fromHex(
  '8b655970153799af2aeadc9ff1add0ea6c7251d54154cfa92c173a0dd39c1f94',
).precompute();
const HIDDEN_BYTES = 8;

export interface OwnedOutput<Owner> {
  readonly index: number;
  /** One-time public key in hex: unique for ever, and the natural key of a deposit. */
  readonly key: string;
  readonly atoms: bigint;
  /** What the payer added to the owner's spend key; blinds the amount as well. */
  readonly secret: bigint;
  readonly owner: Owner;
}

/** The secret that payer and payee share: eight times secret times public. */
export function sharedSecret(secretHex: string, publicBytes: Uint8Array): Uint8Array | undefined {
  const point = pointOf(publicBytes);
  return point
    ?.multiply(scalar(hexToBytes(secretHex)))
    .clearCofactor()
    .toBytes();
}

function pointOf(bytes: Uint8Array) {
  try {
    return ed25519.Point.fromBytes(bytes);
  } catch {
    return undefined;
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    bytes.push(left < 128 ? left : (left % 128) + 128);
    if (left < 128) return Uint8Array.from(bytes);
  }
}

export const outputScalar = (shared: Uint8Array, index: number): bigint => hashToScalar(shared, varint(index));

export const viewTag = (shared: Uint8Array, index: number): number =>
  keccak(ascii('view_tag'), shared, varint(index))[0] ?? 0;

/** Hides an amount, and shows it again: the same operation. */
export function maskAmount(amount: Uint8Array, secret: bigint): Uint8Array {
  const pad = keccak(ascii('amount'), numberToBytesLE(secret, 32));
  return amount.map((byte, at) => byte ^ (pad[at] ?? 0));
}

export const commitmentMask = (secret: bigint): bigint =>
  hashToScalar(ascii('commitment_mask'), numberToBytesLE(secret, 32));

export function commit(mask: bigint, atoms: bigint) {
  const blind = ed25519.Point.BASE.multiply(mask);
  return atoms === 0n ? blind : blind.add(AMOUNT_GENERATOR.multiply(atoms));
}

/** The one-time key that pays `spend` under this shared secret. */
export function oneTimeKey(secret: bigint, spend: Uint8Array): Uint8Array {
  return ed25519.Point.fromBytes(spend).add(ed25519.Point.BASE.multiply(secret)).toBytes();
}

function openAmount(tx: MoneroTx, output: TxOutput, secret: bigint): bigint | undefined {
  if (tx.coinbase) return output.clearAtoms;
  if (output.hiddenAtoms.length !== HIDDEN_BYTES) return undefined;
  const atoms = bytesToNumberLE(maskAmount(output.hiddenAtoms, secret));
  return sameBytes(commit(commitmentMask(secret), atoms).toBytes(), output.commitment) ? atoms : undefined;
}

function open<Owner>(
  tx: MoneroTx,
  index: number,
  shared: Uint8Array,
  ownerOf: (spend: string) => Owner | undefined,
): OwnedOutput<Owner> | undefined {
  const output = tx.outputs[index];
  if (!output || (output.viewTag !== undefined && output.viewTag !== viewTag(shared, index))) return undefined;
  const key = pointOf(output.key);
  if (!key) return undefined;
  const secret = outputScalar(shared, index);
  const owner = ownerOf(bytesToHex(key.subtract(ed25519.Point.BASE.multiply(secret)).toBytes()));
  if (owner === undefined) return undefined;
  const atoms = openAmount(tx, output, secret);
  return atoms === undefined ? undefined : { index, key: bytesToHex(output.key), atoms, secret, owner };
}

/** Whether an output may be under the secret shared by this key of its transaction. A wrong yes costs time, a wrong no the output. */
export type MayShare = (key: Uint8Array, index: number, output: TxOutput) => boolean;

/** Stops before every try of a key on an output, so that whoever has time for a few only can go on later. */
export type Opening<Owner> = Generator<void, OwnedOutput<Owner>[], void>;
/** By public spend key in hex. */
type Owners<Owner> = Pick<ReadonlyMap<string, Owner>, 'get'>;

function* openedBy<Owner>(
  tx: MoneroTx,
  keysFor: (index: number) => readonly Uint8Array[],
  viewKey: string,
  owners: Owners<Owner>,
  mayShare: MayShare,
): Opening<Owner> {
  const ownerOf = (spend: string) => owners.get(spend);
  const reckoned = new Map<Uint8Array, Uint8Array | undefined>();
  const secretOf = (key: Uint8Array) => {
    if (!reckoned.has(key)) reckoned.set(key, sharedSecret(viewKey, key));
    return reckoned.get(key);
  };
  const opened: OwnedOutput<Owner>[] = [];
  for (const [index, output] of tx.outputs.entries()) {
    for (const key of keysFor(index)) {
      yield;
      const shared = mayShare(key, index, output) ? secretOf(key) : undefined;
      const found = shared && open(tx, index, shared, ownerOf);
      // The protocol allows outputs of nothing, and wallets pass them over.
      if (found && found.atoms > 0n) opened.push(found);
      if (found) break;
    }
  }
  return opened;
}

/** How many tries a transaction takes at most, whoever looks for what. */
export const triesOf = ({ outputs, publicKeys, additionalKeys, unreadKeys }: MoneroTx): number =>
  outputs.length * (publicKeys.length + unreadKeys.length) + Math.min(outputs.length, additionalKeys.length);

/** The outputs that pay one of `owners`, each once, as the wallet of these keys sees them. Only what may be shared is reckoned. */
export function openReceived<Owner>(
  tx: MoneroTx,
  viewKey: string,
  owners: Owners<Owner>,
  mayShare: MayShare,
): Opening<Owner> {
  const keysFor = (index: number) => [...tx.publicKeys, ...tx.additionalKeys.slice(index, index + 1)];
  return openedBy(tx, keysFor, viewKey, owners, mayShare);
}

/** Outputs that pay one of `owners` by keys that stand where no wallet reads them: nobody can spend them in the usual way. */
export function openUnread<Owner>(
  tx: MoneroTx,
  viewKey: string,
  owners: Owners<Owner>,
  mayShare: MayShare,
): Opening<Owner> {
  return openedBy(tx, () => tx.unreadKeys, viewKey, owners, mayShare);
}

/** What such a wallet sees, in one go: for transactions of our own making. */
export function receivedOutputs<Owner>(tx: MoneroTx, viewKey: string, owners: Owners<Owner>): OwnedOutput<Owner>[] {
  const opening = openReceived(tx, viewKey, owners, () => true);
  for (;;) {
    const { done, value } = opening.next();
    if (done) return value;
  }
}

/** What the transaction pays to `payee`, as its maker can prove it with the transaction's secret key. */
export function paidOutputs(tx: MoneroTx, txKey: string, payee: MoneroAddress): OwnedOutput<true>[] {
  const shared = sharedSecret(txKey, payee.view);
  const spend = bytesToHex(payee.spend);
  if (!shared) return [];
  const ownerOf = (candidate: string) => (candidate === spend ? true : undefined);
  return tx.outputs.map((_, index) => open(tx, index, shared, ownerOf)).filter((output) => output !== undefined);
}
