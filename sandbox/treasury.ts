import type { Address } from '../src/kernel/ids.ts';
import { VENUE_USDC, XMR1 } from './config.ts';
import type { HotAddresses } from './seed.ts';
import { BRIDGE } from './venue.ts';
import type { World } from './world.ts';

/** Where the venue's bridge stands. */
const HOME = 42161;
const ETHER = 10n ** 18n;
const USDC = 10n ** 6n;
const VENUE_UNIT = 10n ** 8n;

/** What the desk starts with, beside the Monero that its wallet got from the first blocks. */
const START = {
  ether: 100n * ETHER,
  usdc: 1_000_000n * USDC,
  venueUsdc: 500_000n * VENUE_UNIT,
  venueXmr1: 5_000n * VENUE_UNIT,
  /** Every dollar on the venue can be withdrawn, so the bridge must hold it. */
  bridge: 100_000_000n * USDC,
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
  const home = evm.find(({ chainId }) => chainId === HOME);
  const usdc = home?.network.facts.assets.find(({ symbol }) => symbol === 'USDC');
  if (home && usdc) funding.push(home.fund(BRIDGE as Address, usdc.token, START.bridge));
  await Promise.all(funding);
}
