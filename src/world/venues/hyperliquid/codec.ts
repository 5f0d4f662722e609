import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { atoms, formatUnits } from '../../../kernel/amount.ts';
import { assert, present, unreachable } from '../../../kernel/assert.ts';
import { type Address, tokenOf } from '../../../kernel/ids.ts';
import type { SignedAction, Ticket, VenueMove } from '../venue.ts';
import { addressOfKey, addressOfPoint } from './address.ts';
import { bigEndian, msgpack, type Packable } from './msgpack.ts';
import { type Struct, typedDataDigest } from './typed-data.ts';

export { parseVenueAddress } from './address.ts';

export type Wire = Readonly<Record<string, string>>;

export interface Action {
  readonly type: string;
  readonly [field: string]: Packable;
}

export interface Signature {
  readonly r: string;
  readonly s: string;
  readonly v: number;
}

/** The venue's USDC has eight decimals on the spot side. */
export const USDC_DECIMALS = 8;
/** Sending costs nothing, but whoever sends to an address that is new here pays one USDC to open it. */
export const OPENING_FEE = atoms(10n ** BigInt(USDC_DECIMALS));
/** The bridge keeps so much of every withdrawal. */
export const WITHDRAWAL_FEE = atoms(10n ** BigInt(USDC_DECIMALS));
/** Its perpetual side and its bridge count millionths: finer amounts cannot leave or change sides. */
const USDC_GRAIN = 100n;
/** Arbitrum One: names the chain in whose name a wallet shows the signature; any is accepted. */
const SIGNATURE_CHAIN = '0xa4b1';
const USER_SIGNED = { signatureChainId: SIGNATURE_CHAIN, hyperliquidChain: 'Mainnet' } as const;

const userStruct = (name: string, ...fields: Struct['fields']): Struct => ({
  name: `HyperliquidTransaction:${name}`,
  fields: [['string', 'hyperliquidChain'], ...fields],
});

const STRUCTS: Readonly<Record<string, Struct>> = {
  spotSend: userStruct(
    'SpotSend',
    ['string', 'destination'],
    ['string', 'token'],
    ['string', 'amount'],
    ['uint64', 'time'],
  ),
  withdraw3: userStruct('Withdraw', ['string', 'destination'], ['string', 'amount'], ['uint64', 'time']),
  usdClassTransfer: userStruct('UsdClassTransfer', ['string', 'amount'], ['bool', 'toPerp'], ['uint64', 'nonce']),
};

const AGENT: Struct = {
  name: 'Agent',
  fields: [
    ['string', 'source'],
    ['bytes32', 'connectionId'],
  ],
};

/** One immediate-or-cancel limit order. `wire` is the market's: `asset` and `decimals` of its base. */
export function tradeAction(ticket: Ticket, wire: Wire): Action {
  assert(/^0x[0-9a-f]{32}$/.test(ticket.clientId), 'a cloid is 16 bytes of lower-case hex');
  return {
    type: 'order',
    orders: [
      {
        a: wholeWire(wire, 'asset'),
        b: ticket.side === 'buy',
        p: ticket.limit,
        s: formatUnits(ticket.size, wholeWire(wire, 'decimals')),
        r: false,
        t: { limit: { tif: 'Ioc' } },
        c: ticket.clientId,
      },
    ],
    grouping: 'na',
  };
}

/** `wire` is the token's for a send: `token` as the venue spells it, and its `decimals`. Other moves are always USDC. */
export function moveAction(move: VenueMove, wire: Wire): Action {
  switch (move.move) {
    case 'send': {
      const token = present(wire.token, 'wire token');
      assert(token.endsWith(`:${tokenOf(move.asset)}`), `${token} is not ${move.asset}`);
      const amount = formatUnits(move.atoms, wholeWire(wire, 'decimals'));
      return { type: 'spotSend', ...USER_SIGNED, destination: lower(move.to), token, amount, time: move.nonce };
    }
    case 'withdraw':
      return {
        type: 'withdraw3',
        ...USER_SIGNED,
        destination: lower(move.to),
        amount: usdcText(move.atoms),
        time: move.nonce,
      };
    case 'to_trading':
    case 'to_transit':
      return {
        type: 'usdClassTransfer',
        ...USER_SIGNED,
        amount: usdcText(move.atoms),
        toPerp: move.move === 'to_transit',
        nonce: move.nonce,
      };
    default:
      return unreachable(move);
  }
}

/** Trading actions are signed by a phantom agent whose id is the hash of the packed action and what surrounds it. */
export function l1Digest(action: Action, nonce: number, expiresAfter: number | undefined): Uint8Array {
  const ownAccountOnly = Uint8Array.of(0);
  const expiry = expiresAfter === undefined ? [] : [Uint8Array.of(0), bigEndian(BigInt(expiresAfter), 8)];
  const hash = keccak_256(concatBytes(msgpack(action), bigEndian(BigInt(nonce), 8), ownAccountOnly, ...expiry));
  const agent = { source: 'a', connectionId: `0x${bytesToHex(hash)}` };
  return typedDataDigest({ name: 'Exchange', chainId: 1337 }, AGENT, agent);
}

/** Actions that move money are signed as they stand, field by field. */
export function userDigest(action: Action): Uint8Array {
  const domain = { name: 'HyperliquidSignTransaction', chainId: Number(action.signatureChainId) };
  return typedDataDigest(domain, present(STRUCTS[action.type], `struct of ${action.type}`), action);
}

export function signDigest(digest: Uint8Array, privateKey: Uint8Array): Signature {
  const bytes = secp256k1.sign(digest, privateKey, { prehash: false, format: 'recovered' });
  const hex = bytesToHex(bytes);
  return { r: `0x${hex.slice(2, 66)}`, s: `0x${hex.slice(66)}`, v: 27 + present(bytes[0], 'recovery bit') };
}

export function recoverSigner(digest: Uint8Array, signature: Signature): Address {
  const bytes = concatBytes(Uint8Array.of(signature.v - 27), hexBytes(signature.r), hexBytes(signature.s));
  const compressed = secp256k1.recoverPublicKey(bytes, digest, { prehash: false });
  return addressOfPoint(compressed);
}

export const addressOf = (privateKey: Uint8Array): Address => addressOfKey(secp256k1.getPublicKey(privateKey, false));

/** The exact text that is stored and posted. */
export function requestBody(action: Action, nonce: number, signature: Signature, expiresAfter?: number): string {
  return JSON.stringify({ action, nonce, signature, ...(expiresAfter === undefined ? {} : { expiresAfter }) });
}

export function signL1Body(
  action: Action,
  nonce: number,
  expiresAfter: number | undefined,
  privateKey: Uint8Array,
): SignedAction {
  const signature = signDigest(l1Digest(action, nonce, expiresAfter), privateKey);
  return { nonce, body: requestBody(action, nonce, signature, expiresAfter) };
}

export function signTradeBody(ticket: Ticket, wire: Wire, privateKey: Uint8Array): SignedAction {
  return signL1Body(tradeAction(ticket, wire), ticket.nonce, ticket.expiresAfter, privateKey);
}

export function signMoveBody(move: VenueMove, wire: Wire, privateKey: Uint8Array): SignedAction {
  const action = moveAction(move, wire);
  const signature = signDigest(userDigest(action), privateKey);
  return { nonce: move.nonce, body: requestBody(action, move.nonce, signature) };
}

const hexBytes = (hex: string): Uint8Array => hexToBytes(hex.slice(2));

const lower = (address: Address): string => address.toLowerCase();

function usdcText(atoms: bigint): string {
  assert(atoms % USDC_GRAIN === 0n, `not whole millionths of a dollar: ${atoms}`);
  return formatUnits(atoms, USDC_DECIMALS);
}

function wholeWire(wire: Wire, name: string): number {
  const text = wire[name] ?? '';
  assert(/^\d{1,9}$/.test(text), `wire ${name} is not a number`);
  return Number(text);
}
