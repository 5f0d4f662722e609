import { atoms } from '../../kernel/amount.ts';
import type { Address } from '../../kernel/ids.ts';
import type { KeptSighting } from '../order/sighting.ts';

/** What each account sent, those of the most first; undefined stands for all whom the chain does not show. */
export type Sent = readonly (readonly [sender: Address | undefined, sum: bigint])[];

export function sentBy(
  sightings: readonly KeptSighting[],
  worthOf: (one: KeptSighting) => bigint = ({ credited }) => credited,
): Sent {
  const sent = new Map<Address | undefined, bigint>();
  for (const one of sightings) sent.set(one.sender, (sent.get(one.sender) ?? 0n) + worthOf(one));
  return mostFirst([...sent]);
}

export const mostFirst = (sent: Sent): Sent =>
  sent.toSorted(([, one], [, other]) => (one === other ? 0 : one < other ? 1 : -1));

export const totalOf = (sent: Sent): bigint => sent.reduce((total, [, sum]) => total + sum, 0n);

/** Who sent the least is left out as long as all that are left out sent no more than one speck; nobody may be left. */
export function withoutSpecks(sent: Sent, isSpeck: (sum: bigint) => boolean): Sent {
  let left = 0n;
  const specks = sent.toReversed().findIndex(([, sum]) => {
    left += sum;
    return !isSpeck(left);
  });
  return specks === -1 ? [] : sent.slice(0, sent.length - specks);
}

/**
 * Who sent the first so many atoms, and who sent what came after them. What is lower in the chain is final earlier, and what an order
 * carries out is all that was final when it went on.
 */
export function sentBefore(
  sightings: readonly KeptSighting[],
  most: bigint,
): { readonly first: Sent; readonly after: Sent } {
  const first: KeptSighting[] = [];
  const after: KeptSighting[] = [];
  let room = most;
  for (const one of sightings.toSorted(inChain)) {
    const inside = one.credited < room ? one.credited : room;
    room -= inside;
    first.push({ ...one, credited: atoms(inside) });
    after.push({ ...one, credited: atoms(one.credited - inside) });
  }
  return { first: aboveZero(sentBy(first)), after: aboveZero(sentBy(after)) };
}

const inChain = (one: KeptSighting, other: KeptSighting): number =>
  heightOf(one) - heightOf(other) || (one.key < other.key ? -1 : 1);

const heightOf = ({ height }: KeptSighting): number => height ?? Number.MAX_SAFE_INTEGER;

export const aboveZero = (sent: Sent): Sent => sent.filter(([, value]) => value > 0n);
