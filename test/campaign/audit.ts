import { askWallet } from '../../sandbox/nodes/monero-world.ts';
import { big } from '../../src/world/chains/monero/reply.ts';
import { type Books, readBooks } from './books.ts';
import { CHECKS_OF_BOOKS } from './checks-of-books.ts';
import { CHECKS_OF_CHAINS } from './checks-of-chains.ts';
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

const WITNESSED = [
  { name: 'saved before sent', of: 'I10' },
  { name: 'held while credit is gone', of: 'I8, 9.2' },
  { name: 'credited at its depth', of: 'I8, 9.8' },
];

export const CHECKS: readonly Check[] = [
  ...WITNESSED.map(({ name, of }) => ({
    ...{ name, of },
    find: ({ witness }: Scene) => witness.seen.flatMap(({ check, what }) => (check === name ? [what] : [])),
  })),
  ...CHECKS_OF_CHAINS,
  ...CHECKS_OF_BOOKS,
];

export async function audit(scene: Scene): Promise<readonly Finding[]> {
  const books = await readBooks(scene.store);
  const inMonero = new Map<string, readonly bigint[]>();
  for (const { event, payTo, depositAddress } of scene.dealings) {
    const place = { usdc_xmr: payTo, xmr_usdc: depositAddress }[event.trip as string];
    if (!place) continue;
    const { transfers } = await scene.world.monero.received(place);
    inMonero.set(
      place,
      transfers.map(({ amount }) => amount),
    );
  }
  const hotMonero = inMonero.size > 0 ? await heldInMonero(scene.world) : undefined;
  const whole = { ...scene, inMonero, hotMonero };
  return CHECKS.flatMap((check) => check.find(whole, books).map((what) => ({ check: check.name, what })));
}

async function heldInMonero({ monero }: World): Promise<bigint> {
  const ask = askWallet(monero, 'spend');
  await ask('refresh');
  return big(await ask('get_balance'), 'balance');
}
