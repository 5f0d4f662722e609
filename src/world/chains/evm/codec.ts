import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { HDKey } from '@scure/bip32';
import { type Atoms, atoms, parseAtoms } from '../../../kernel/amount.ts';
import { assert, present } from '../../../kernel/assert.ts';
import {
  type Address,
  type AssetId,
  assetId,
  type ChainId,
  chainId,
  chainOf,
  type TokenId,
  type TxHash,
  tokenOf,
  txHash,
} from '../../../kernel/ids.ts';
import { decodeRlp, encodeRlp, type Rlp, rlpInt } from './rlp.ts';
import { bytesAt, intAt, signDigest, signerKey } from './signature-codec.ts';

/** Of the hash of a sentence: no key for it is known. */
export const STRANGER = '0xcD6b32342DE6805904eC7372569453058B9f9603' as Address;
/** The token id of a network's own coin (D2). */
export const NATIVE_TOKEN = '0x0000000000000000000000000000000000000000' as TokenId;

/**
 * A transaction that moves one asset; `data` is empty for the network's own coin. It is of type 2 (EIP-1559), or of type 4 (EIP-7702)
 * where it carries an authorization.
 */
export interface EvmUnsigned {
  readonly chainId: ChainId;
  readonly nonce: number;
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly to: Address;
  readonly value: bigint;
  readonly data: string;
  readonly authorization?: EvmAuthorization;
}

/** An account's word that `code` stands in for it from now on; `signature` as three items of RLP. https://eips.ethereum.org/EIPS/eip-7702 */
export interface EvmAuthorization {
  readonly chainId: ChainId;
  readonly code: Address;
  readonly nonce: number;
  readonly signature: readonly Uint8Array[];
}

export interface EvmTransfer {
  readonly asset: AssetId;
  readonly to: Address;
  readonly atoms: Atoms;
}

/** What the codec reads of a request to pay. */
export interface EvmPayment extends EvmTransfer {
  readonly chainId: ChainId;
  /** The nonce. */
  readonly nonce?: number;
  /** `gas`, `maxFeePerGas` and `maxPriorityFeePerGas`, in decimal digits. */
  readonly fee: Readonly<Record<string, string>>;
}

export interface EvmSigned {
  readonly raw: string;
  readonly txHash: TxHash;
  readonly from: Address;
}

export const toHex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;
export const fromHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.slice(2), 'hex'));

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** EIP-55: the case of each letter is a bit of the hash of the rest. */
function checksummed(hex: string): Address {
  const digits = hex.slice(2).toLowerCase();
  const hash = toHex(keccak_256(Buffer.from(digits, 'ascii'))).slice(2);
  const mixed = [...digits].map((digit, at) => ((hash[at] ?? '0') >= '8' ? digit.toUpperCase() : digit));
  return `0x${mixed.join('')}` as Address;
}

/** In one case there is no checksum to check; in mixed case it must be right. */
export function parseEvmAddress(text: string): Address | undefined {
  if (text.length !== NATIVE_TOKEN.length || !ADDRESS.test(text)) return undefined;
  const address = checksummed(text);
  const digits = text.slice(2);
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return oneCase || text === address ? address : undefined;
}

function addressOfPoint(publicKey: Uint8Array): Address {
  const uncompressed = secp256k1.Point.fromBytes(publicKey).toBytes(false);
  return checksummed(toHex(keccak_256(uncompressed.slice(1)).slice(-20)));
}

export function evmAddressOfKey(privateKey: Uint8Array): Address {
  return addressOfPoint(secp256k1.getPublicKey(privateKey));
}

/** Deposit index i is child i of the extended public key; no private key can be here. */
export function evmDepositAddresses(xpub: string): (index: number) => Address {
  const parent = HDKey.fromExtendedKey(xpub);
  assert(parent.privateKey === null, 'an extended private key where a public one belongs');
  return (index) => addressOfPoint(present(parent.deriveChild(index).publicKey, `public key ${index}`));
}

/** The contract that keeps the asset, or undefined for the network's own coin. */
export function evmContractOf(asset: AssetId): Address | undefined {
  if (tokenOf(asset) === NATIVE_TOKEN) return undefined;
  const contract = present(parseEvmAddress(tokenOf(asset)), `contract of ${asset}`);
  assert(evmAsset(chainOf(asset), contract) === asset, `not in canonical spelling: ${asset}`);
  return contract;
}

export function evmAsset(chain: ChainId, contract: Address | undefined): AssetId {
  return assetId(chain, (contract ?? NATIVE_TOKEN) as string as TokenId);
}

const TRANSFER_SELECTOR = '0xa9059cbb';
const TRANSFER_CALL = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/;

/** Calldata of ERC-20 `transfer(address,uint256)`. */
export function transferCall(to: Address, value: Atoms): string {
  return TRANSFER_SELECTOR + evmWord(to) + value.toString(16).padStart(64, '0');
}

/** An address as a word of calldata or as a log topic, without the prefix. */
export function evmWord(address: Address): string {
  return address.slice(2).toLowerCase().padStart(64, '0');
}

/** Calldata by which the hot account has a deposit account send it so much of a token: two words and no selector. */
export const sweepCall = (token: Address, value: Atoms): string =>
  `0x${evmWord(token)}${value.toString(16).padStart(64, '0')}`;
const SWEEP_CALL = /^0x0{24}([0-9a-f]{40})([0-9a-f]{64})$/;

const TYPE_2 = 0x02;
const TYPE_4 = 0x04;
/** What an authorization is signed under, so that it can be no transaction. */
const AUTHORIZATION = 0x05;

export function evmUnsigned(request: EvmPayment): EvmUnsigned {
  const { nonce, fee, asset, to, atoms: value } = request;
  assert(chainOf(asset) === request.chainId, `asset ${asset} is not on chain ${request.chainId}`);
  assert(nonce !== undefined && Number.isSafeInteger(nonce) && nonce >= 0, `not a nonce: ${nonce}`);
  const contract = evmContractOf(asset);
  return {
    chainId: request.chainId,
    nonce,
    gas: feePart(fee, 'gas'),
    maxFeePerGas: feePart(fee, 'maxFeePerGas'),
    maxPriorityFeePerGas: feePart(fee, 'maxPriorityFeePerGas'),
    to: contract ?? to,
    value: contract ? 0n : value,
    data: contract ? transferCall(to, value) : '0x',
  };
}

/** The same transfer to the hot account, which has the deposit account send it. */
export function evmSweep(request: EvmPayment, deposit: Address): EvmUnsigned {
  const contract = present(evmContractOf(request.asset), 'a token');
  return { ...evmUnsigned(request), to: deposit, data: sweepCall(contract, request.atoms) };
}

function feePart(fee: Readonly<Record<string, string>>, name: string): bigint {
  return present(parseAtoms(fee[name]), `fee.${name}`);
}

/** The most it may cost, in the network's own coin, beside the value it moves. */
export const evmCost = ({ gas, maxFeePerGas }: EvmUnsigned): Atoms => atoms(gas * maxFeePerGas);

/** The least that nodes take in place of this price: most ask for a tenth more, and of each of the two prices. */
export const outbidding = (price: bigint): bigint => price + (price === 0n ? 1n : (price + 7n) / 8n);

/** The bytes that are signed, without a signature. */
export const evmPayload = (unsigned: EvmUnsigned): string => toHex(typed(unsigned, fields(unsigned)));

/** What consensus lets only one transaction have: the account's nonce. */
export const evmNonceToken = (chain: ChainId, from: Address, nonce: number): string => `${chain}:${from}:${nonce}`;

export function signEvm(unsigned: EvmUnsigned, privateKey: Uint8Array): EvmSigned {
  const body = fields(unsigned);
  const raw = typed(unsigned, [...body, ...signDigest(keccak_256(typed(unsigned, body)), privateKey)]);
  return { raw: toHex(raw), txHash: hashOf(raw), from: evmAddressOfKey(privateKey) };
}

export function signAuthorization(
  unsigned: Omit<EvmAuthorization, 'signature'>,
  privateKey: Uint8Array,
): EvmAuthorization {
  return { ...unsigned, signature: signDigest(authorizationDigest(unsigned), privateKey) };
}

/** Reads signed bytes back, as the last check before they are trusted; anything but one transfer is a bug. */
export function decodeEvm(raw: string): EvmDecoded {
  const { unsigned, body, signature } = splitEvm(raw);
  assert(toHex(typed(unsigned, [...body, ...signature])) === raw, 'not in canonical form');
  const from = addressOfPoint(signerKey(keccak_256(typed(unsigned, body)), signature));
  const { authorization } = unsigned;
  const bound = authorization && addressOfPoint(signerKey(authorizationDigest(authorization), authorization.signature));
  return { ...unsigned, from, ...(bound ? { bound } : {}), ...movedBy(unsigned, from) };
}

/** Whether it calls an account to have its money sent, read without finding out who signed it, which takes long. */
export function isSweep(raw: string): boolean {
  return SWEEP_CALL.test(splitEvm(raw).unsigned.data);
}

function splitEvm(raw: string) {
  const bytes = fromHex(raw);
  const length = bytes[0] === TYPE_4 ? 10 : 9;
  assert(bytes[0] === TYPE_2 || bytes[0] === TYPE_4, 'neither an EIP-1559 nor an EIP-7702 transaction');
  const items = decodeRlp(bytes.slice(1));
  assert(Array.isArray(items) && items.length === length + 3, 'not a signed transaction');
  const unsigned = unsignedOf(items, length === 10);
  return { unsigned, body: fields(unsigned), signature: items.slice(length) };
}

export interface EvmDecoded extends EvmUnsigned {
  /** Whose nonce it uses, and who pays for it. */
  readonly from: Address;
  /** Whose money it moves: the sender's, or that of the account which the sender calls to have it sent. */
  readonly payer: Address;
  readonly transfer: EvmTransfer;
  /** Who signed the authorization. */
  readonly bound?: Address;
}

const hashOf = (raw: Uint8Array): TxHash => txHash(toHex(keccak_256(raw)));

const typed = ({ authorization }: EvmUnsigned, items: readonly Rlp[]): Uint8Array =>
  Buffer.concat([Uint8Array.of(authorization ? TYPE_4 : TYPE_2), encodeRlp(items)]);

function authorizationDigest({ chainId: chain, code, nonce }: Omit<EvmAuthorization, 'signature'>): Uint8Array {
  const items = encodeRlp([rlpInt(BigInt(chain)), fromHex(code), rlpInt(BigInt(nonce))]);
  return keccak_256(Buffer.concat([Uint8Array.of(AUTHORIZATION), items]));
}

function fields(tx: EvmUnsigned): readonly Rlp[] {
  const { authorization: given } = tx;
  return [
    rlpInt(BigInt(tx.chainId)),
    rlpInt(BigInt(tx.nonce)),
    rlpInt(tx.maxPriorityFeePerGas),
    rlpInt(tx.maxFeePerGas),
    rlpInt(tx.gas),
    fromHex(tx.to),
    rlpInt(tx.value),
    fromHex(tx.data),
    [],
    ...(given
      ? [[[rlpInt(BigInt(given.chainId)), fromHex(given.code), rlpInt(BigInt(given.nonce)), ...given.signature]]]
      : []),
  ];
}

function unsignedOf(items: readonly Rlp[], isAuthorized: boolean): EvmUnsigned {
  const [int, bytes] = [intAt(items), bytesAt(items)];
  return {
    chainId: chainId(Number(int(0))),
    nonce: Number(int(1)),
    maxPriorityFeePerGas: int(2),
    maxFeePerGas: int(3),
    gas: int(4),
    to: present(parseEvmAddress(toHex(bytes(5))), 'destination'),
    value: int(6),
    data: toHex(bytes(7)),
    ...(isAuthorized ? { authorization: authorizationOf(items[9]) } : {}),
  };
}

function authorizationOf(item: Rlp | undefined): EvmAuthorization {
  const only = Array.isArray(item) && item.length === 1 ? (item[0] as Rlp) : undefined;
  assert(Array.isArray(only) && only.length === 6, 'not one authorization');
  const bytes = bytesAt(only);
  const code = present(parseEvmAddress(toHex(bytes(1))), 'code');
  return {
    ...{ chainId: chainId(Number(intAt(only)(0))), code, nonce: Number(intAt(only)(2)) },
    signature: [bytes(3), bytes(4), bytes(5)],
  };
}

function movedBy(tx: EvmUnsigned, from: Address): Pick<EvmDecoded, 'payer' | 'transfer'> {
  const { chainId: chain, to, value, data } = tx;
  const plain = data === '0x' && !tx.authorization;
  if (plain) return { payer: from, transfer: { asset: evmAsset(chain, undefined), to, atoms: atoms(value) } };
  const [paid, swept] = [TRANSFER_CALL.exec(data), SWEEP_CALL.exec(data)];
  const call = tx.authorization ? swept : (paid ?? swept);
  assert(call && value === 0n, 'neither a plain payment, nor an ERC-20 transfer, nor a sweep');
  const [named, moved] = [present(parseEvmAddress(`0x${call[1]}`), 'address'), atoms(BigInt(`0x${call[2]}`))];
  return call === paid
    ? { payer: from, transfer: { asset: evmAsset(chain, to), to: named, atoms: moved } }
    : { payer: to, transfer: { asset: evmAsset(chain, named), to: from, atoms: moved } };
}
