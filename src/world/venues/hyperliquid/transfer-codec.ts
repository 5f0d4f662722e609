import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { HDKey } from '@scure/bip32';
import { assert, present } from '../../../kernel/assert.ts';
import { type Address, type TokenId, type TxHash, txHash } from '../../../kernel/ids.ts';
import type { VenueMove } from '../venue.ts';
import { addressOfPoint, parseVenueAddress } from './address.ts';
import { type Action, addressOf, recoverSigner, type Signature, signMoveBody, userDigest, type Wire } from './codec.ts';

/** A signed spot send, read back from its bytes. */
export interface DecodedTransfer {
  /** Whoever signed exactly this. */
  readonly from: Address;
  readonly to: Address;
  readonly token: TokenId;
  /** Decimal text, as it was signed. */
  readonly amount: string;
  readonly nonce: number;
}

type Send = Omit<Extract<VenueMove, { move: 'send' }>, 'move'>;

/** Child i of the extended public key is the deposit account of index i. */
export function venueDepositAddresses(xpub: string): (index: number) => Address {
  const parent = HDKey.fromExtendedKey(xpub);
  assert(parent.privateKey === null, 'an extended private key where a public one belongs');
  return (index) => addressOfPoint(present(parent.deriveChild(index).publicKey, `public key ${index}`));
}

/** The venue names an action only once it is done; until then, and to us for ever, it is its signer and nonce. */
export const transferId = (from: Address, nonce: number): TxHash =>
  txHash(`0x${bytesToHex(keccak_256(utf8ToBytes(`spotSend:${from}:${nonce}`)))}`);

/** What two sends cannot both use up. */
export const nonceToken = (from: Address, nonce: number): string => `venue:${from}:${nonce}`;

/** `raw` is the exact text of the request, in hex. */
export function signTransfer(send: Send, wire: Wire, privateKey: Uint8Array): { raw: string; from: Address } {
  const { body } = signMoveBody({ move: 'send', ...send }, wire, privateKey);
  return { raw: bytesToHex(utf8ToBytes(body)), from: addressOf(privateKey) };
}

export const bodyOf = (raw: string): string => new TextDecoder().decode(hexToBytes(raw));

export function decodeTransfer(raw: string): DecodedTransfer {
  const { action, nonce, signature } = JSON.parse(bodyOf(raw)) as {
    readonly action: Action;
    readonly nonce: number;
    readonly signature: Signature;
  };
  assert(action.type === 'spotSend' && action.hyperliquidChain === 'Mainnet', 'not a spot send on the main network');
  assert(action.time === nonce, 'a nonce that is not the signed one');
  const token = String(action.token);
  return {
    from: recoverSigner(userDigest(action), signature),
    to: present(parseVenueAddress(String(action.destination)), 'destination of a spot send'),
    token: token.slice(token.indexOf(':') + 1) as TokenId,
    amount: String(action.amount),
    nonce,
  };
}
