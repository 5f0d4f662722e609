import { base58 } from '@scure/base';
import { atoms } from '../../src/kernel/amount.ts';
import { bindDestination, type Place } from '../../src/kernel/binding.ts';
import { type Address, type AssetId, chainId } from '../../src/kernel/ids.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import { moneroKeysFromSeed } from '../../src/world/chains/monero/codec.ts';
import { MONERO_ID, XMR_ASSET } from '../../src/world/chains/monero/rules.ts';
import { solanaAddressOfKey } from '../../src/world/chains/solana/address-codec.ts';
import { SOLANA_ID } from '../../src/world/chains/solana/codec.ts';
import * as bench from '../unit/signer-bench.ts';
import { order, SOLANA_USDC } from './hostile-room.ts';

const { ALICE, API, USDC } = bench;
export const usdc = (count: number) => atoms(BigInt(count * 1_000_000));
const ONE = usdc(1);
export const FEE = bench.payout().fee;
/** The most that one transfer on Arbitrum may cost, and a little more. */
export const DEAR = { ...FEE, gas: '100000', maxFeePerGas: `${10n ** 11n}` };
let nonces = 100;

/** One dollar to whom an order was made for, as an honest engine asks for it. */
export function pay(name: string, change: Partial<TransferRequest> = {}): TransferRequest {
  nonces += 1;
  return bench.payout({ owner: order(name), atoms: ONE, nonce: nonces, ...change });
}
export const named = (name: string, rest: string) => bench.intent(`${order(name)}:${rest}`);
export const bind = (
  name: string,
  purpose: 'payout' | 'refund' | 'fee' | 'fund',
  to: Address,
  by = API,
  asset = USDC,
) => bindDestination(by, order(name), purpose, asset, to);
export const made = (name: string, most: number, to = ALICE, places: readonly Place[] = []) =>
  bench.charter(order(name), USDC, to, usdc(most), places);
export const house = (kind: TransferRequest['kind'], change: Partial<TransferRequest>): TransferRequest => {
  nonces += 1;
  return bench.own({ kind, atoms: ONE, nonce: nonces, intent: bench.intent(`treasury:${kind}:${nonces}`), ...change });
};
/** A payment that has no nonce, on another chain. */
export function elsewhere(name: string, chain: number, asset: AssetId, to: Address, fee: TransferRequest['fee']) {
  const { nonce: _, ...rest } = pay(name, { chainId: chainId(chain), asset, to, fee });
  return rest;
}

const SOLANA_ALICE = solanaAddressOfKey(new Uint8Array(32).fill(3));
export const solana = (name: string, time: number, change: Partial<TransferRequest> = {}): TransferRequest => ({
  ...elsewhere(name, SOLANA_ID, SOLANA_USDC, SOLANA_ALICE, {
    blockhash: base58.encode(new Uint8Array(32).fill(time + 1)),
    lastValidBlockHeight: `${1_000 + 151 * time}`,
    ...{ unitLimit: '80000', unitPrice: '10000', accountRent: '0' },
  }),
  ...change,
});

/** Monero to somebody whose order it is. */
export function monero(name: string) {
  return elsewhere(name, MONERO_ID, XMR_ASSET.id, moneroAddress(1), {});
}
export function moneroAddress(of: number): Address {
  return moneroKeysFromSeed(new Uint8Array(32).fill(of)).address;
}
