import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { createBase58check } from '@scure/base';
import { HDKey } from '@scure/bip32';
import type { Atoms } from '../../../kernel/amount.ts';
import { assert, present } from '../../../kernel/assert.ts';
import { type Address, type AssetId, assetId, chainId, chainOf, type TokenId, tokenOf } from '../../../kernel/ids.ts';

export const TRON_ID = chainId(728126428);
/** The token id of the chain's own coin (D2). */
/** Of the hash of a sentence: no key for it is known. */
export const STRANGER = 'TUhMwVyjqG5eQcpvkwWdSpp1m6Q5b3CBrQ' as Address;
export const TRX = 'TRX' as TokenId;

const base58check = createBase58check(sha256);
const ADDRESS = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;
const PREFIX = 0x41;

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const fromHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

/** Only the spelling with a checksum: a typing error in a hexadecimal one would be paid. */
export function parseTronAddress(text: string): Address | undefined {
  if (text.length !== 34 || !ADDRESS.test(text)) return undefined;
  try {
    const bytes = base58check.decode(text);
    return bytes.length === 21 && bytes[0] === PREFIX ? (text as Address) : undefined;
  } catch {
    return undefined;
  }
}

export const tronBytes = (address: Address): Uint8Array => base58check.decode(address);

/** As nodes write it: `41` and forty digits; without the `41` in logs and in calldata. */
export const tronHex = (address: Address): string => toHex(tronBytes(address));

export function tronAddressOfHex(hex: string): Address | undefined {
  if (!/^(?:41)?[0-9a-f]{40}$/i.test(hex)) return undefined;
  return base58check.encode(fromHex(`41${hex.slice(-40)}`)) as Address;
}

export function tronAddressOfPoint(publicKey: Uint8Array): Address {
  const uncompressed = secp256k1.Point.fromBytes(publicKey).toBytes(false);
  return base58check.encode(Uint8Array.of(PREFIX, ...keccak_256(uncompressed.slice(1)).slice(-20))) as Address;
}

export function tronAddressOfKey(privateKey: Uint8Array): Address {
  return tronAddressOfPoint(secp256k1.getPublicKey(privateKey));
}

/** Deposit index i is child i of the extended public key; no private key can be here. */
export function tronDepositAddresses(xpub: string): (index: number) => Address {
  const parent = HDKey.fromExtendedKey(xpub);
  assert(parent.privateKey === null, 'an extended private key where a public one belongs');
  return (index) => tronAddressOfPoint(present(parent.deriveChild(index).publicKey, `public key ${index}`));
}

/** The contract that keeps the asset, or undefined for the chain's own coin. */
export function tronContractOf(asset: AssetId): Address | undefined {
  assert(chainOf(asset) === TRON_ID, `not on Tron: ${asset}`);
  return tokenOf(asset) === TRX ? undefined : present(parseTronAddress(tokenOf(asset)), `contract of ${asset}`);
}

export function tronAsset(contract: Address | undefined): AssetId {
  return assetId(TRON_ID, (contract ?? TRX) as string as TokenId);
}

/** An address as a word of calldata or as a log topic. */
export const tronWord = (address: Address): string => tronHex(address).slice(2).padStart(64, '0');

const TRANSFER_SELECTOR = 'a9059cbb';
const TRANSFER_CALL = /^a9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/;

/** Calldata of TRC-20 `transfer(address,uint256)`. */
export function transferCall(to: Address, value: Atoms): string {
  return TRANSFER_SELECTOR + tronWord(to) + value.toString(16).padStart(64, '0');
}

/** undefined for any other calldata. */
export function readTransferCall(data: string): { readonly to: Address; readonly value: bigint } | undefined {
  const [, payee, value] = TRANSFER_CALL.exec(data) ?? [];
  const to = tronAddressOfHex(payee ?? '');
  return to && value ? { to, value: BigInt(`0x${value}`) } : undefined;
}
