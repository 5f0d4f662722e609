import { askWallet } from '../../sandbox/nodes/monero-world.ts';
import { big } from '../../src/world/chains/monero/reply.ts';
import { readBooks } from './books.ts';
import { CHECKS_OF_BOOKS } from './checks-of-books.ts';
import { CHECKS_OF_CHAINS } from './checks-of-chains.ts';
import type { Check, Finding, Scene } from './scene.ts';
import type { World } from './world.ts';

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
