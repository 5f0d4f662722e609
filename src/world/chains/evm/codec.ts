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
import { decodeRlp, encodeRlp, intOfRlp, type Rlp, rlpInt } from './rlp.ts';

/** The token id of a network's own coin (D2). */
/** Of the hash of a sentence: no key for it is known. */
export const STRANGER = '0xcD6b32342DE6805904eC7372569453058B9f9603' as Address;
export const NATIVE_TOKEN = '0x0000000000000000000000000000000000000000' as TokenId;

/** A transaction of type 2 (EIP-1559) that moves one asset; `data` is empty for the network's own coin. */
export interface EvmUnsigned {
  readonly chainId: ChainId;
  readonly nonce: number;
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly to: Address;
  readonly value: bigint;
  readonly data: string;
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

const toHex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;
const fromHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.slice(2), 'hex'));

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

export function evmDepositAddress(xpub: string, index: number): Address {
  return evmDepositAddresses(xpub)(index);
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

const TYPE_2 = 0x02;

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

function feePart(fee: Readonly<Record<string, string>>, name: string): bigint {
  return present(parseAtoms(fee[name]), `fee.${name}`);
}

/** The most it may cost, in the network's own coin, beside the value it moves. */
export const evmCost = ({ gas, maxFeePerGas }: EvmUnsigned): Atoms => atoms(gas * maxFeePerGas);

/** The least that nodes take in place of this price: most ask for a tenth more, and of each of the two prices. */
export const outbidding = (price: bigint): bigint => price + (price === 0n ? 1n : (price + 7n) / 8n);

/** The bytes that are signed, without a signature. */
export const evmPayload = (unsigned: EvmUnsigned): string => toHex(typed(fields(unsigned)));

/** What consensus lets only one transaction have: the account's nonce. */
export const evmNonceToken = (chain: ChainId, from: Address, nonce: number): string => `${chain}:${from}:${nonce}`;

export function signEvm(unsigned: EvmUnsigned, privateKey: Uint8Array): EvmSigned {
  const digest = keccak_256(typed(fields(unsigned)));
  const [recovery, ...rest] = secp256k1.sign(digest, privateKey, { prehash: false, format: 'recovered' });
  const [r, s] = [rest.slice(0, 32), rest.slice(32)].map((part) => rlpInt(intOfRlp(Uint8Array.from(part))));
  const signature = [rlpInt(BigInt(present(recovery, 'recovery bit'))), present(r, 'r'), present(s, 's')];
  const raw = typed([...fields(unsigned), ...signature]);
  return { raw: toHex(raw), txHash: hashOf(raw), from: evmAddressOfKey(privateKey) };
}

/** Reads signed bytes back, as the last check before they are trusted; anything but one plain transfer is a bug. */
export function decodeEvm(raw: string): EvmUnsigned & { readonly from: Address; readonly transfer: EvmTransfer } {
  const bytes = fromHex(raw);
  assert(bytes[0] === TYPE_2, 'not an EIP-1559 transaction');
  const items = decodeRlp(bytes.slice(1));
  assert(Array.isArray(items) && items.length === 12, 'not a signed EIP-1559 transaction');
  const unsigned = unsignedOf(items);
  const body = fields(unsigned);
  assert(toHex(typed([...body, ...items.slice(9)])) === raw, 'not in canonical form');
  return { ...unsigned, from: signerOf(body, items), transfer: transferOf(unsigned) };
}

const hashOf = (raw: Uint8Array): TxHash => txHash(toHex(keccak_256(raw)));

const typed = (items: readonly Rlp[]): Uint8Array => Buffer.concat([Uint8Array.of(TYPE_2), encodeRlp(items)]);

function fields(tx: EvmUnsigned): readonly Rlp[] {
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
  ];
}

function unsignedOf(items: readonly Rlp[]): EvmUnsigned {
  const bytes = (at: number): Uint8Array => {
    const item = items[at];
    assert(item instanceof Uint8Array, `field ${at} is not a string of bytes`);
    return item;
  };
  const int = (at: number): bigint => intOfRlp(bytes(at));
  return {
    chainId: chainId(Number(int(0))),
    nonce: Number(int(1)),
    maxPriorityFeePerGas: int(2),
    maxFeePerGas: int(3),
    gas: int(4),
    to: present(parseEvmAddress(toHex(bytes(5))), 'destination'),
    value: int(6),
    data: toHex(bytes(7)),
  };
}

function signerOf(body: readonly Rlp[], items: readonly Rlp[]): Address {
  const [recovery, r, s] = items.slice(9).map((item) => intOfRlp(item as Uint8Array));
  const signature = new secp256k1.Signature(present(r, 'r'), present(s, 's'), Number(recovery));
  assert(!signature.hasHighS(), 'a malleable signature');
  return addressOfPoint(signature.recoverPublicKey(keccak_256(typed(body))).toBytes());
}

function transferOf({ chainId: chain, to, value, data }: EvmUnsigned): EvmTransfer {
  if (data === '0x') return { asset: evmAsset(chain, undefined), to, atoms: atoms(value) };
  const call = TRANSFER_CALL.exec(data);
  assert(call !== null && value === 0n, 'neither a plain payment nor an ERC-20 transfer');
  const payee = present(parseEvmAddress(`0x${call[1]}`), 'payee');
  return { asset: evmAsset(chain, to), to: payee, atoms: atoms(BigInt(`0x${call[2]}`)) };
}
