import type { Books } from './books.ts';
import type { Dealing } from './customer.ts';
import type { Desk } from './desk.ts';
import type { Plan } from './plan.ts';
import type { Store } from './troubles.ts';
import type { Witness } from './witness.ts';
import type { World } from './world.ts';

export interface Finding {
  readonly check: string;
  readonly what: string;
}

export interface Scene {
  readonly world: World;
  readonly store: Store;
  readonly dealings: readonly Dealing[];
  readonly witness: Witness;
  readonly desk: Desk;
  readonly plan: Plan;
  /** What came in Monero to customers, and from them, by where it was paid: each payment on the chain as it stands. */
  readonly inMonero?: ReadonlyMap<string, readonly bigint[]>;
  /** What the wallet that spends has, locked or not; undefined where nobody traded Monero. */
  readonly hotMonero?: bigint | undefined;
}

/** One thing that must be true when all is over: what is wrong, in words. */
export interface Check {
  readonly name: string;
  /** Of `money-safety`: which invariants it stands for. */
  readonly of: string;
  find(scene: Scene, books: Books): readonly string[];
}
