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
}

export async function audit({ witness }: Scene): Promise<readonly Finding[]> {
  return witness.seen;
}
