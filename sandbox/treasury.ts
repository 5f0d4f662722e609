import { VENUE_USDC, XMR1 } from './config.ts';
import type { HotAddresses } from './seed.ts';
import type { World } from './world.ts';

const ETHER = 10n ** 18n;
const USDC = 10n ** 6n;
const VENUE_UNIT = 10n ** 8n;

/** What the desk starts with, beside the Monero that its wallet got from the first blocks. */
const START = {
  ether: 100n * ETHER,
  usdc: 1_000_000n * USDC,
  venueUsdc: 500_000n * VENUE_UNIT,
  venueXmr1: 5_000n * VENUE_UNIT,
};

/** The service finds this money where it finds all money: on the chains. */
export async function fundTreasury({ evm, venue }: World, hot: HotAddresses): Promise<void> {
  venue.simulator.credit(hot.evm, VENUE_USDC, START.venueUsdc);
  venue.simulator.credit(hot.evm, XMR1, START.venueXmr1);
  const funding = evm.flatMap((chain) =>
    chain.network.facts.assets.map(({ token, native }) =>
      chain.fund(hot.evm, token, native ? START.ether : START.usdc),
    ),
  );
  await Promise.all(funding);
}
