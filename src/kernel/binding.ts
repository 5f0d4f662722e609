import type { Address, AssetId, OrderId } from './ids.ts';
import { keyedHash, type Secret } from './secret.ts';

/** Binds a destination to an order for one purpose; made when it is accepted, verified by the signer before it is paid. */
export function bindDestination(
  key: Secret<Uint8Array>,
  order: OrderId,
  purpose: 'payout' | 'refund' | 'fee' | 'fund',
  asset: AssetId,
  address: Address,
): string {
  return keyedHash(key, 'destination', order, purpose, asset, address);
}
