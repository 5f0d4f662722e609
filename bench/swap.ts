import { randomBytes } from 'node:crypto';
import { moneroKeysFromSeed, subaddress } from '../src/world/chains/monero/codec.ts';
import { USDC, XMR } from './market.ts';

/** Clients at once. */
export const CONNECTIONS = 64;

/** As many as make every creation look like another customer's. */
const CUSTOMERS = 256;

/** 100 USDC on Arbitrum for Monero, each to another address. */
export function swapBodies(): readonly string[] {
  const keys = moneroKeysFromSeed(randomBytes(32));
  const swap = {
    fromChainId: USDC.chainId,
    fromToken: USDC.token,
    toChainId: XMR.chainId,
    toToken: XMR.token,
    fromAmount: '100000000',
  };
  return Array.from({ length: CUSTOMERS }, (_, minor) =>
    JSON.stringify({ ...swap, toAddress: subaddress(keys, 0, minor + 1) }),
  );
}
