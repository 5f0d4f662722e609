import type { Received } from '../../sandbox/place.ts';
import type { AssetId } from '../../src/kernel/ids.ts';
import type { Books } from './books.ts';
import type { Dealing } from './customer.ts';
import type { Desk } from './desk.ts';
import type { Plan } from './events.ts';
import type { Store } from './troubles.ts';
import type { Witness } from './witness.ts';
import type { World } from './world.ts';

export interface Finding {
  readonly check: string;
  readonly what: string;
}

/** Payments to one address. */
export type Elsewhere = readonly (Received['transfers'][number] & { readonly asset: AssetId })[];

export interface Scene {
  readonly world: World;
  readonly store: Store;
  readonly dealings: readonly Dealing[];
  readonly witness: Witness;
  readonly desk: Desk;
  readonly plan: Plan;
  /** What came elsewhere to customers, and from them, by where it was paid: each payment on the chain as it stands. */
  readonly elsewhere?: ReadonlyMap<string, Elsewhere>;
  /** What the desk sent to the purses that customers share. */
  readonly back?: Elsewhere;
  /** What the desk has elsewhere, locked or not; of what nobody traded nothing is known. */
  readonly purses?: ReadonlyMap<AssetId, bigint>;
}

/** One thing that must be true when all is over: what is wrong, in words. */
export interface Check {
  readonly name: string;
  /** Of `money-safety`: which invariants it stands for. */
  readonly of: string;
  find(scene: Scene, books: Books): readonly string[];
}
