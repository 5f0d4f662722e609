import { askWallet } from '../../sandbox/nodes/monero-world.ts';
import type { AssetId } from '../../src/kernel/ids.ts';
import { big } from '../../src/world/chains/monero/reply.ts';
import { XMR_ASSET } from '../../src/world/chains/monero/rules.ts';
import { BTC } from './bitcoin.ts';
import { readBooks } from './books.ts';
import { CHECKS_OF_BOOKS } from './checks-of-books.ts';
import { CHECKS_OF_CHAINS } from './checks-of-chains.ts';
import type { Check, Elsewhere, Finding, Scene } from './scene.ts';
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
  const { monero, bitcoin } = scene.world;
  const elsewhere = new Map<string, Elsewhere>();
  for (const { event, payTo, depositAddress, refundBitcoinTo } of scene.dealings) {
    const inMonero = { usdc_xmr: payTo, xmr_usdc: depositAddress }[event.trip as string];
    if (inMonero) elsewhere.set(inMonero, { asset: XMR_ASSET.id, ...(await monero.received(inMonero)) });
    const inBitcoin = [{ usdc_btc: payTo, btc_usdc: depositAddress }[event.trip as string], refundBitcoinTo];
    for (const place of inBitcoin)
      if (bitcoin && place) elsewhere.set(place, { asset: BTC.id, ...(await bitcoin.received(BTC.token, place)) });
  }
  const purses = new Map<AssetId, bigint>();
  if ([...elsewhere.values()].some(({ asset }) => asset === XMR_ASSET.id))
    purses.set(XMR_ASSET.id, await heldInMonero(scene.world));
  if (bitcoin) {
    const { orders } = books;
    const deposits = orders.flatMap(({ from, depositAddress }) => (from.id === BTC.id ? [depositAddress] : []));
    purses.set(BTC.id, await bitcoin.held([scene.world.hot.bitcoin, ...deposits]));
  }
  const whole = { ...scene, elsewhere, purses };
  return CHECKS.flatMap((check) => check.find(whole, books).map((what) => ({ check: check.name, what })));
}

async function heldInMonero({ monero }: World): Promise<bigint> {
  const ask = askWallet(monero, 'spend');
  await ask('refresh');
  return big(await ask('get_balance'), 'balance');
}
