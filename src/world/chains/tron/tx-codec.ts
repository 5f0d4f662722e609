import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { type Atoms, atoms, parseAtoms } from '../../../kernel/amount.ts';
import { assert, present } from '../../../kernel/assert.ts';
import {
  type Address,
  type AssetId,
  type ChainId,
  chainOf,
  type IntentId,
  type TxHash,
  tokenOf,
  txHash,
} from '../../../kernel/ids.ts';
import type { Loan } from '../chain.ts';
import {
  fromHex,
  parseTronAddress,
  readTransferCall,
  TRON_ID,
  TRX,
  toHex,
  transferCall,
  tronAddressOfHex,
  tronAddressOfKey,
  tronAddressOfPoint,
  tronAsset,
  tronBytes,
  tronContractOf,
} from './codec.ts';
import { decodeFields, encodeFields, type Field } from './protobuf.ts';

export interface TronTransfer {
  readonly asset: AssetId;
  readonly to: Address;
  readonly atoms: Atoms;
}

/** No coins move: `to` gets the energy of so many staked coins of the owner, or the owner gets it back. */
export interface TronLoan {
  readonly act: Loan;
  /** By which permission of the owner somebody else's key may sign it. */
  readonly permission: bigint;
}

/** What the codec reads of a request to pay. */
export interface TronPayment extends TronTransfer {
  readonly intent: IntentId;
  readonly chainId: ChainId;
  readonly fee: Readonly<Record<string, string>>;
  readonly loan?: TronLoan;
}

/** One transfer as it is signed. There is no nonce: what excludes a second payment is that this very one expires. */
export interface TronUnsigned extends TronTransfer {
  readonly from: Address;
  /** Of a block on the chain where this may be paid. */
  readonly refBlockBytes: string;
  readonly refBlockHash: string;
  /** In milliseconds of the chain's time; no block after it can take the transaction in. */
  readonly expiration: bigint;
  readonly timestamp: bigint;
  /** The most sun that running the contract may burn; zero where none runs. */
  readonly feeLimit: bigint;
  readonly loan?: TronLoan;
}

const INT64 = 2n ** 63n;
const WORD = 2n ** 256n;
const DAY_MS = 86_400_000n;
const SPREAD_MS = 2n ** 20n;

/** Why a payment cannot be built with these fields, or undefined. */
export function tronObjection({ asset, atoms: value, fee }: Pick<TronPayment, 'asset' | 'atoms' | 'fee'>) {
  const token = tokenOf(asset);
  const isCoin = token === TRX;
  if (!isCoin && parseTronAddress(token) !== (token as string)) return `token ${token}`;
  if (value >= (isCoin ? INT64 : WORD)) return `${value} atoms`;
  if (!/^[0-9a-f]{4}$/.test(fee.ref_block_bytes ?? '')) return 'fee needs ref_block_bytes';
  if (!/^[0-9a-f]{16}$/.test(fee.ref_block_hash ?? '')) return 'fee needs ref_block_hash';
  const numbers = [fee.expiration, fee.timestamp, fee.fee_limit, fee.overhead].map(parseAtoms);
  const [expiration, timestamp, feeLimit] = numbers;
  if (numbers.some((part) => part === undefined || part >= INT64 - SPREAD_MS) || !expiration || !timestamp) {
    return 'fee needs expiration, timestamp, fee_limit, overhead';
  }
  if (expiration <= timestamp || expiration > timestamp + DAY_MS) return 'a lifetime that no node takes';
  return isCoin === (feeLimit === 0n) ? undefined : 'a fee_limit belongs to a contract, and each contract needs one';
}

export function tronUnsigned(payment: TronPayment, from: Address): TronUnsigned {
  const { intent, asset, to, atoms: value, fee, loan } = payment;
  assert(payment.chainId === TRON_ID && chainOf(asset) === TRON_ID, `not on Tron: ${asset}`);
  const objection = tronObjection(payment);
  assert(objection === undefined, objection ?? '');
  return {
    ...{ from, asset, to, atoms: value },
    refBlockBytes: present(fee.ref_block_bytes, 'fee.ref_block_bytes'),
    refBlockHash: present(fee.ref_block_hash, 'fee.ref_block_hash'),
    expiration: tronExpiration(fee),
    timestamp: feePart(fee, 'timestamp') + ownMoment(intent),
    feeLimit: feePart(fee, 'fee_limit'),
    ...(loan ? { loan } : {}),
  };
}

/**
 * Two payments of one amount to one address under one reference block would be the same transaction, paid once. No node
 * reads the timestamp, so each intent moves it by milliseconds of its own.
 */
function ownMoment(intent: IntentId): bigint {
  return BigInt(`0x${toHex(sha256(Buffer.from(intent, 'utf8')).slice(0, 4))}`) % SPREAD_MS;
}

function feePart(fee: TronPayment['fee'], name: string): bigint {
  return present(parseAtoms(fee[name]), `fee.${name}`);
}

/** The most it may cost: what the contract may burn, and what the terms found for its bytes and for a new account. */
export const tronCost = (fee: TronPayment['fee']): Atoms => atoms(feePart(fee, 'fee_limit') + feePart(fee, 'overhead'));

/** Nodes charge for the result of a transaction as if it had this many bytes. */
export const RESULT_BYTES = 64n;
/** `getTransactionFee`, as it has been since 2021: for whoever asks no node. */
const SUN_PER_BYTE = 1_000n;
/** `getCreateAccountFee` and `getCreateNewAccountFeeInSystemContract`, in place of what the bytes cost. */
export const TRON_OPENING = atoms(1_100_000n);

/** What signed bytes may cost whatever their terms say of them, but for a new account. */
export function tronLeastCost(raw: string, fee: TronPayment['fee']): Atoms {
  const told = tronCost(fee);
  const least = atoms(feePart(fee, 'fee_limit') + (BigInt(raw.length / 2) + RESULT_BYTES) * SUN_PER_BYTE);
  return told > least ? told : least;
}

export const tronExpiration = (fee: TronPayment['fee']): bigint => feePart(fee, 'expiration');

/** The transaction itself until its expiration: a node takes no two with this id, and this one at no later time. */
export const tronToken = (hash: TxHash, expiration: bigint): string => `${TRON_ID}:${hash}:${expiration}`;

export interface TronSigned {
  readonly raw: string;
  readonly txHash: TxHash;
}

const SIGNATURE_BYTES = 65;
/** Nodes add to the recovery bit what Ethereum once did. */
const RECOVERY_OFFSET = 27;

export function signTron(unsigned: TronUnsigned, privateKey: Uint8Array): TronSigned {
  // A loan is signed by whom its owner let sign such, and the chain knows whether he did.
  const isOurs = unsigned.loan !== undefined || tronAddressOfKey(privateKey) === unsigned.from;
  assert(isOurs, `not the key of ${unsigned.from}`);
  const body = rawData(unsigned);
  const id = sha256(body);
  const [recovery, ...rest] = secp256k1.sign(id, privateKey, { prehash: false, format: 'recovered' });
  const signature = Uint8Array.of(...rest, RECOVERY_OFFSET + present(recovery, 'recovery bit'));
  return { raw: toHex(signedBytes(body, signature)), txHash: txHash(toHex(id)) };
}

/** Bytes of the whole transaction once it is signed. */
export const tronSize = (unsigned: TronUnsigned): number =>
  signedBytes(rawData(unsigned), new Uint8Array(SIGNATURE_BYTES)).length;

export interface TronDecoded extends TronUnsigned {
  readonly txHash: TxHash;
  /** The owner itself, but for a loan. */
  readonly signedBy: Address;
}

/** Reads signed bytes back, as the last check before they are trusted; anything but one plain transfer or loan is a bug. */
export function decodeTron(raw: string): TronDecoded {
  const outer = decodeFields(fromHex(raw));
  const [body, signature] = [bytesOf(outer, 1), bytesOf(outer, 2)];
  const unsigned = unsignedOf(decodeFields(body));
  assert(toHex(signedBytes(rawData(unsigned), signature)) === raw, 'not in canonical form');
  const id = sha256(body);
  const signedBy = signerOf(id, signature);
  assert(unsigned.loan || signedBy === unsigned.from, `not signed by ${unsigned.from}`);
  return { ...unsigned, txHash: txHash(toHex(id)), signedBy };
}

const signedBytes = (body: Uint8Array, signature: Uint8Array): Uint8Array =>
  encodeFields([
    [1, body],
    [2, signature],
  ]);

const TRANSFER = { type: 1n, url: 'type.googleapis.com/protocol.TransferContract' };
const TRIGGER = { type: 31n, url: 'type.googleapis.com/protocol.TriggerSmartContract' };

function rawData(tx: TronUnsigned): Uint8Array {
  return encodeFields([
    [1, fromHex(tx.refBlockBytes)],
    [4, fromHex(tx.refBlockHash)],
    [8, tx.expiration],
    [11, contractMessage(tx)],
    [14, tx.timestamp],
    [18, tx.feeLimit],
  ]);
}

/** Numbers and fields of `core/Tron.proto` and `core/contract/balance_contract.proto`. */
const LOANS = {
  lend: { type: 57n, url: 'type.googleapis.com/protocol.DelegateResourceContract' },
  reclaim: { type: 58n, url: 'type.googleapis.com/protocol.UnDelegateResourceContract' },
} as const satisfies Readonly<Record<Loan, { readonly type: bigint; readonly url: string }>>;
const ACTS = ['lend', 'reclaim'] as const;
const ENERGY = 1n;

/** `lock` and its period are left out: what is lent can be taken back at any time. */
function loanMessage({ from, to, atoms: value }: TronUnsigned, { act, permission }: TronLoan): Uint8Array {
  const message = encodeFields([
    [1, tronBytes(from)],
    [2, ENERGY],
    [3, value],
    [4, tronBytes(to)],
  ]);
  return encodeFields([...packed(LOANS[act], message), [5, permission]]);
}

const packed = ({ type, url }: { type: bigint; url: string }, message: Uint8Array): readonly Field[] => [
  [1, type],
  [
    2,
    encodeFields([
      [1, Buffer.from(url, 'ascii')],
      [2, message],
    ]),
  ],
];

function contractMessage(tx: TronUnsigned): Uint8Array {
  if (tx.loan) return loanMessage(tx, tx.loan);
  const { from, asset, to, atoms: value } = tx;
  const contract = tronContractOf(asset);
  const parties: readonly Field[] = [
    [1, tronBytes(from)],
    [2, tronBytes(contract ?? to)],
  ];
  const message = encodeFields([...parties, contract ? [4, fromHex(transferCall(to, value))] : [3, value]]);
  return encodeFields(packed(contract ? TRIGGER : TRANSFER, message));
}

/** What is missing, repeated or unknown here does not survive the comparison with the canonical form. */
function unsignedOf(fields: readonly Field[]): TronUnsigned {
  return {
    ...transferOf(decodeFields(bytesOf(fields, 11))),
    refBlockBytes: toHex(bytesOf(fields, 1)),
    refBlockHash: toHex(bytesOf(fields, 4)),
    expiration: numberOf(fields, 8),
    timestamp: numberOf(fields, 14),
    feeLimit: numberOf(fields, 18),
  };
}

type Asked = TronTransfer & Pick<TronUnsigned, 'from' | 'loan'>;

function transferOf(contract: readonly Field[]): Asked {
  const message = decodeFields(bytesOf(decodeFields(bytesOf(contract, 2)), 2));
  const from = addressOf(bytesOf(message, 1));
  const act = ACTS.find((one) => LOANS[one].type === numberOf(contract, 1));
  if (act) {
    const loan: TronLoan = { act, permission: numberOf(contract, 5) };
    const to = addressOf(bytesOf(message, 4));
    return { from, asset: tronAsset(undefined), to, atoms: atoms(numberOf(message, 3)), loan };
  }
  const target = addressOf(bytesOf(message, 2));
  if (numberOf(contract, 1) === TRANSFER.type) {
    return { from, asset: tronAsset(undefined), to: target, atoms: atoms(numberOf(message, 3)) };
  }
  const call = readTransferCall(toHex(bytesOf(message, 4)));
  assert(call, 'neither a plain payment nor a TRC-20 transfer');
  return { from, asset: tronAsset(target), to: call.to, atoms: atoms(call.value) };
}

const addressOf = (bytes: Uint8Array): Address => present(tronAddressOfHex(toHex(bytes)), 'an address');

function bytesOf(fields: readonly Field[], number: number): Uint8Array {
  const value = fields.find(([found]) => found === number)?.[1];
  assert(value instanceof Uint8Array, `field ${number} is not a string of bytes`);
  return value;
}

function numberOf(fields: readonly Field[], number: number): bigint {
  const value = fields.find(([found]) => found === number)?.[1] ?? 0n;
  assert(typeof value === 'bigint', `field ${number} is not a number`);
  return value;
}

function signerOf(id: Uint8Array, signature: Uint8Array): Address {
  assert(signature.length === SIGNATURE_BYTES, 'not a signature');
  const recovery = present(signature[SIGNATURE_BYTES - 1], 'recovery bit') - RECOVERY_OFFSET;
  const bytes = Uint8Array.of(recovery, ...signature.slice(0, -1));
  const read = secp256k1.Signature.fromBytes(bytes, 'recovered');
  assert(!read.hasHighS(), 'a malleable signature');
  return tronAddressOfPoint(read.recoverPublicKey(id).toBytes());
}
