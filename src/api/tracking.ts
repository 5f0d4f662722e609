import { base32nopad } from '@scure/base';
import { type OrderId, parseOrderId } from '../kernel/ids.ts';
import { keyedHash, sameText } from '../kernel/secret.ts';
import { hashKeysOf } from './caller.ts';
import type { ApiDeps } from './deps.ts';

type Keys = Pick<ApiDeps, 'hashKey' | 'oldHashKeys'>;

/** Eighty bits of a keyed hash, in the alphabet of order ids. */
const MAC_BYTES = 10;

const macOf = (id: OrderId, { hashKey }: Keys): string =>
  base32nopad.encode(Buffer.from(keyedHash(hashKey, 'tracking', id), 'hex').subarray(0, MAC_BYTES)).toLowerCase();

/** `<orderId>.<mac>`: whoever has it may look at the order, and nothing else (D73). */
export const trackingId = (id: OrderId, deps: Keys): string => `${id}.${macOf(id, deps)}`;

export const trackingUrl = (id: OrderId, deps: Pick<ApiDeps, 'hashKey' | 'publicUrl'>): string =>
  `${deps.publicUrl ?? ''}/track/${trackingId(id, deps)}`;

/** The order that a tracking id opens. */
export function openTrackingId(text: string, deps: Keys): OrderId | undefined {
  const [name, mac = ''] = text.split('.', 2);
  const id = parseOrderId(name);
  const isOurs = hashKeysOf(deps).some((hashKey) => id && sameText(mac, macOf(id, { hashKey })));
  return id && sameText(text, `${id}.${mac}`) && isOurs ? id : undefined;
}
