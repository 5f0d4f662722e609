import { randomBytes } from 'node:crypto';
import { normalizeZ } from '@noble/curves/abstract/curve.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import type { Address } from '../src/kernel/ids.ts';
import { encodeAddress, scalar } from '../src/world/chains/monero/codec.ts';
import { USDC, XMR } from './market.ts';

/** Clients at once. */
export const CONNECTIONS = 64;

const { BASE } = ed25519.Point;

/** Monero addresses that differ in both keys: each key is the one before it and the base point. */
export function moneroAddresses(count: number): readonly Address[] {
  const keys: (typeof BASE)[] = [BASE.multiply(scalar(randomBytes(32)))];
  while (keys.length < 2 * count) keys.push((keys.at(-1) ?? BASE).add(BASE));
  const bytes = normalizeZ(ed25519.Point, keys).map((key) => key.toBytes());
  return Array.from({ length: count }, (_, n) =>
    encodeAddress({
      kind: 'subaddress',
      spend: bytes[n] ?? new Uint8Array(),
      view: bytes[count + n] ?? new Uint8Array(),
      paymentId: new Uint8Array(),
    }),
  );
}

/** About 100 USDC on Arbitrum for Monero: so many bodies, each with another amount, to these addresses in turn. */
export function swapBodies(count: number, addresses: readonly Address[]): readonly string[] {
  const swap = { fromChainId: USDC.chainId, fromToken: USDC.token, toChainId: XMR.chainId, toToken: XMR.token };
  return Array.from({ length: count }, (_, n) =>
    JSON.stringify({ ...swap, fromAmount: String(100_000_000 + n), toAddress: addresses[n % addresses.length] }),
  );
}
