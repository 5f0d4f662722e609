import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { type Atoms, parseAtoms } from './amount.ts';
import type { Address, AssetId, IntentId, OrderId, TxHash } from './ids.ts';
import type { Secret } from './secret.ts';

/** What an order pays to addresses that are not ours. */
export type BoundPurpose = (typeof BOUND_PURPOSES)[number];
const BOUND_PURPOSES = ['payout', 'refund', 'fee', 'fund'] as const;

export const isBoundPurpose = (kind: string): kind is BoundPurpose => BOUND_PURPOSES.some((known) => known === kind);

/** Who says where money may go, and how much: the private half of a key pair. Whoever checks it has the public half alone. */
export interface Binder {
  /** 32 bytes in hex. */
  readonly publicKey: string;
  sign(text: string): string;
}

/** The lead of a private and of a public key of Ed25519 in DER (RFC 8410); the 32 bytes follow. */
const PRIVATE_LEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_LEAD = Buffer.from('302a300506032b6570032100', 'hex');

export function openBinder(key: Secret<Uint8Array>): Binder {
  const held = createPrivateKey({ key: Buffer.concat([PRIVATE_LEAD, key.reveal()]), format: 'der', type: 'pkcs8' });
  const open = createPublicKey(held).export({ format: 'der', type: 'spki' });
  return {
    publicKey: open.subarray(PUBLIC_LEAD.length).toString('hex'),
    sign: (text) => sign(null, Buffer.from(text), held).toString('hex'),
  };
}

/** Public halves of one purpose: the one in use, and those that others still use or used until lately. */
export type Checker = (text: string, signature: string) => boolean;

export function openChecker(publicKeys: readonly string[]): Checker {
  const keys: readonly KeyObject[] = publicKeys.map((key) =>
    createPublicKey({ key: Buffer.concat([PUBLIC_LEAD, Buffer.from(key, 'hex')]), format: 'der', type: 'spki' }),
  );
  return (text, signature) =>
    SIGNATURE.test(signature) &&
    keys.some((key) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'hex')));
}

const SIGNATURE = /^[0-9a-f]{128}$/;

/** Parts cannot run into each other, and what is said of one thing proves nothing of another. */
const said = (...parts: readonly string[]): string => JSON.stringify(['wherry', ...parts]);

const destinationText = (order: OrderId, purpose: BoundPurpose, asset: AssetId, address: Address): string =>
  said('destination', order, purpose, asset, address);

/** Binds a destination that was accepted after the order was made; verified by the signer before it is paid. */
export function bindDestination(
  binder: Binder,
  order: OrderId,
  purpose: BoundPurpose,
  asset: AssetId,
  address: Address,
): string {
  return binder.sign(destinationText(order, purpose, asset, address));
}

/** Where the house itself buys stock; verified by the signer before it is paid. */
export const bindFill = (binder: Binder, asset: AssetId, address: Address): string =>
  binder.sign(said('fill', asset, address));

export const isBoundFill = (checker: Checker, binding: string, asset: AssetId, address: Address): boolean =>
  checker(said('fill', asset, address), binding);

export function isBoundDestination(
  checker: Checker,
  ...[binding, order, purpose, asset, address]: [string, OrderId, BoundPurpose, AssetId, Address]
): boolean {
  return checker(destinationText(order, purpose, asset, address), binding);
}

/** An address that an order pays for one purpose. */
export interface Place {
  readonly purpose: BoundPurpose;
  readonly asset: AssetId;
  readonly address: Address;
}

/**
 * What an order was made for: written once by whoever takes orders. So much is asked for and goes back at most, and so much
 * of what is wanted is paid at most; a part of each where both happen.
 */
export interface Charter {
  readonly gives: { readonly asset: AssetId; readonly most: Atoms };
  readonly gets: { readonly asset: AssetId; readonly most: Atoms; readonly address: Address };
  /** Other addresses that were accepted when it was made: nothing else binds them. */
  readonly places: readonly Place[];
}

export function writeCharter(binder: Binder, order: OrderId, { gives, gets, places }: Charter): string {
  const fields = [
    ...[gives.asset, String(gives.most), gets.asset, String(gets.most), gets.address],
    ...places.flatMap(({ purpose, asset, address }) => [purpose, asset, address]),
  ];
  return [...fields, binder.sign(said('charter', order, ...fields))].join(' ');
}

/** undefined: it is not of this order, or nobody who may has written it. */
export function readCharter(checker: Checker, order: OrderId, text: string): Charter | undefined {
  const parts = text.split(' ');
  const [signature = '', fields] = [parts.at(-1), parts.slice(0, -1)];
  const [givesAsset = '', givesMost, getsAsset = '', getsMost, address = '', ...others] = fields;
  const [give, get] = [parseAtoms(givesMost), parseAtoms(getsMost)];
  // A share of nothing is no share.
  if (!give || !get) return undefined;
  if (!checker(said('charter', order, ...fields), signature)) return undefined;
  return {
    gives: { asset: givesAsset as AssetId, most: give },
    gets: { asset: getsAsset as AssetId, most: get, address: address as Address },
    places: placesIn(others),
  };
}

function placesIn([purpose = '', asset, address, ...others]: readonly string[]): readonly Place[] {
  if (!isBoundPurpose(purpose) || !asset || !address) return [];
  return [{ purpose, asset: asset as AssetId, address: address as Address }, ...placesIn(others)];
}

/** Whether it was made to pay this address, for this purpose and in this asset. */
export const namesPlace = ({ gets, places }: Charter, { purpose, asset, address }: Place): boolean =>
  [{ purpose: 'payout', asset: gets.asset, address: gets.address }, ...places].some(
    (one) => one.purpose === purpose && one.asset === asset && one.address === address,
  );

const amountText = (order: OrderId, purpose: BoundPurpose, asset: AssetId, most: Atoms): string =>
  said('amount', order, purpose, asset, String(most));

/** Binds how much an order may be paid in all for one purpose in one asset, where that is not as it was made for. */
export const bindAmount = (
  binder: Binder,
  ...[order, purpose, asset, most]: [OrderId, BoundPurpose, AssetId, Atoms]
): string => binder.sign(amountText(order, purpose, asset, most));

export const isBoundAmount = (
  checker: Checker,
  ...[binding, order, purpose, asset, most]: [string, OrderId, BoundPurpose, AssetId, Atoms]
): boolean => checker(amountText(order, purpose, asset, most), binding);

/** One payment, as a second person says yes to it. */
export interface Approvable {
  readonly intent: IntentId;
  readonly kind: string;
  readonly asset: AssetId;
  readonly atoms: Atoms;
  readonly to: Address;
  /** The transaction that was to pay it, where the yes is to another in place of that very one. */
  readonly inPlaceOf?: TxHash;
}

const APPROVAL = 'approval';

/** What is signed: readable, so that whoever signs it can see what it is. */
export const approvalText = ({ intent, kind, asset, atoms, to, inPlaceOf }: Approvable): string =>
  said(APPROVAL, intent, kind, asset, String(atoms), to, ...(inPlaceOf === undefined ? [] : [inPlaceOf]));

/** undefined: it is no such text, and must not be signed. */
export function readApprovalText(text: string): Approvable | undefined {
  const parts = parseJson(text);
  if (!Array.isArray(parts) || parts.length < 7 || parts.length > 8) return undefined;
  const [, , intent, kind, asset, value, to, inPlaceOf] = parts as string[];
  const atoms = parseAtoms(value);
  if (atoms === undefined) return undefined;
  const read = { intent, kind, asset, atoms, to, ...(inPlaceOf === undefined ? {} : { inPlaceOf }) } as Approvable;
  return approvalText(read) === text ? read : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
