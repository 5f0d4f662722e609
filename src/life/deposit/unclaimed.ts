import { type Amount, amount } from '../../kernel/amount.ts';
import type { Address, TxHash } from '../../kernel/ids.ts';
import type { KeptSighting } from '../order/sighting.ts';
import { move, type Posting } from '../payment/posting.ts';

/** Money on a deposit address that no order has. */
export interface Unclaimed {
  readonly key: string;
  readonly received: Amount;
  readonly address: Address;
  readonly txHash: TxHash;
}

export function unclaimedOf({ key, asset, credited, address, txHash }: KeptSighting): Unclaimed {
  return { key, received: amount(asset, credited), address, txHash };
}

/**
 * It belongs to somebody whom this database does not know. Where deposits lie on addresses of their own it stays there, and
 * goes by that address; elsewhere it is among our own money already, and must not be counted as such.
 */
export const unclaimedPosting = ({ received, address }: Unclaimed, collects: boolean): Posting =>
  move('world', collects ? `deposit:${address}` : 'order:unclaimed', received);
