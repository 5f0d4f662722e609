import type { OrderId } from '../kernel/ids.ts';
import { openLanes } from '../kernel/lanes.ts';
import type { Refusal } from '../kernel/refusal.ts';
import type { ApiDeps } from './deps.ts';
import { CREATIONS_IN_LINE, FULL_LINE_RETRY_MS } from './limits.ts';
import { ownMemory } from './own-memory.ts';
import { openPlaces } from './places.ts';
import { tooMany } from './quota.ts';

/** Of each name the first is counted as a creation at the door. Who comes under it before that one has gone may repeat it. */
export const namesAtTheDoor = ownMemory(() => openPlaces(1));

const linesOf = ownMemory(() => ({ inLane: openLanes(), places: openPlaces(CREATIONS_IN_LINE) }));

/**
 * Creations of one name go one after another in this process, so that a repeat finds the order of the first. A turn ends with its work,
 * whether or not its client is still there, and nobody goes before; so whoever finds the line full is sent away.
 */
export async function inTurn<T>(name: OrderId, deps: ApiDeps, work: () => Promise<T>): Promise<T | Refusal> {
  const { inLane, places } = linesOf(deps);
  if (places.isFull(name)) return tooMany('requests', FULL_LINE_RETRY_MS);
  const leave = places.take(name);
  return inLane([name], work).finally(leave);
}
