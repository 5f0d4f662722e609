import assert from 'node:assert/strict';
import type { Amount } from '../../src/kernel/amount.ts';
import type { Instant } from '../../src/kernel/clock.ts';
import type { Address, AssetId, OrderId } from '../../src/kernel/ids.ts';
import { usd } from '../../src/kernel/usd.ts';
import { depositHandlers } from '../../src/life/deposit/handlers.ts';
import { judge } from '../../src/life/deposit/judge.ts';
import { openOrigins } from '../../src/life/deposit/origins.ts';
import type { Of } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { KeptSighting } from '../../src/life/order/sighting.ts';
import type { Chain } from '../../src/world/chains/chain.ts';
import type { Screen } from '../../src/world/screening/screen.ts';
import { usdc } from './market.ts';
import { sighting } from './order-script.ts';
import { after, buyOrder, measuresAt, minute } from './world.ts';

export const EARLY = minute(5);
export const [clean, listed] = ['clean', 'listed'] as [Address, Address];
export const screen: Screen = async (_, senders) => (senders.some((one) => one === listed) ? 'hit' : 'clear');

/** So much from there, in the block of that number. */
export const sent = (index: number, value: Amount, sender: Address | undefined): KeptSighting => ({
  ...sighting(index, value),
  ...{ sender, height: index + 1, credited: value.atoms, firstSeenAt: EARLY, state: 'final' },
});

/** What the chain shows of the deposit address, whoever asks. */
let onChain: readonly KeptSighting[] = [];

/** The order after the chain showed all of this. */
export function showing(order: Order, sightings: readonly KeptSighting[], at: Instant = EARLY): Order {
  onChain = sightings;
  return after(order, ...judge(order, sightings, measuresAt(1, 1), at));
}

/** Half of what was asked from each. */
export const shown = (...senders: readonly (Address | undefined)[]): Order =>
  showing(
    buyOrder(),
    senders.map((sender, index) => sent(index, usdc('50'), sender)),
  );

const bindRefund = (_: OrderId, asset: AssetId, address: Address) => ({ asset, address, binding: 'bound' });
export const originsBy = (by: Screen) =>
  openOrigins({
    ...{ bindRefund, screen: by, rules: RULES },
    worth: async ({ atoms }) => usd(Number(atoms / 1_000_000n)),
    sent: async (_, asset) => onChain.filter((one) => one.asset === asset && one.state === 'final'),
  });
export const origins = originsBy(screen);
const { screen_deposit: screenDeposit } = depositHandlers({
  chain: () => ({ hotAddress: 'hot' }) as unknown as Chain,
  ...{ screen, bindRefund, partsOf: origins.partsOf },
  costsNow: async () => ({ fees: [], now: usdc('0'), quoted: usdc('0') }),
  isUntold: async () => false,
  proven: async ({ funds }) => funds.confirmed,
  clock: { now: () => EARLY },
});

export async function verdict(order: Order): Promise<Of<'deposit_screened'>> {
  const job = { key: '1', owner: order.id, effect: { effect: 'screen_deposit' } } as const;
  const done = await screenDeposit({ ...job, tries: 0, troubledSince: undefined }, order);
  assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'deposit_screened');
  return done.fact;
}

export const screened = async (order: Order): Promise<Order> => after(order, await verdict(order));
