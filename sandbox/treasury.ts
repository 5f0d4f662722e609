import { present } from '../src/kernel/assert.ts';
import type { Address } from '../src/kernel/ids.ts';
import { inverse, ratioFromDecimal, scaleInt } from '../src/kernel/ratio.ts';
import { VENUE_USDC, XMR1 } from './config.ts';
import type { EvmWorld } from './nodes/evm-world.ts';
import type { PlaceToken } from './place.ts';
import type { Prices } from './prices.ts';
import type { HotAddresses } from './seed.ts';
import { BRIDGE } from './venue.ts';
import type { World } from './world.ts';

/** Where the venue's bridge stands. */
const HOME = 42161;
const USDC = 10n ** 6n;
const VENUE_UNIT = 10n ** 8n;

/** What the desk starts with, beside the Monero and the Zcash that its wallets got from the first blocks. */
const START = {
  /** In dollars, of every asset on every chain. */
  each: 2_000_000n,
  venueUsdc: 2_000_000n * VENUE_UNIT,
  venueXmr1: 10_000n * VENUE_UNIT,
  /** Every dollar on the venue can be withdrawn, so the bridge must hold it. */
  bridge: 100_000_000n * USDC,
  /** In as many outputs, so that many payouts can run at once. */
  bitcoin: { atoms: 64n * 10n ** 8n, outputs: 64 },
};

/** The service finds this money where it finds all money: on the chains. */
export async function fundTreasury(world: World, hot: HotAddresses): Promise<void> {
  const { evm, venue, bitcoin, tron, prices } = world;
  venue.simulator.credit(hot.evm, VENUE_USDC, START.venueUsdc);
  venue.simulator.credit(hot.evm, XMR1, START.venueXmr1);
  await Promise.all([
    ...evm.map((chain) => fundEvm(chain, hot.evm, prices)),
    bitcoin.fund(hot.bitcoin(bitcoin.network), START.bitcoin.atoms, START.bitcoin.outputs),
    fundSolana(world, hot.solana),
    ...tron.tokens.map((token) => tron.fund(hot.tron, token.token, startOf(token, prices))),
  ]);
}

async function fundSolana({ solana, prices }: World, hot: Address): Promise<void> {
  for (const token of solana.tokens) await solana.pay({ token: token.token, to: hot, atoms: startOf(token, prices) });
  await solana.mine(1);
}

async function fundEvm(chain: EvmWorld, hot: Address, prices: Prices): Promise<void> {
  const { assets } = chain.network.facts;
  const funding = assets.map((asset) => chain.fund(hot, asset.token, startOf(asset, prices)));
  const usdc = assets.find(({ symbol }) => symbol === 'USDC');
  if (chain.chainId === HOME && usdc) funding.push(chain.fund(BRIDGE as Address, usdc.token, START.bridge));
  await Promise.all(funding);
}

function startOf({ symbol, decimals }: PlaceToken, prices: Prices): bigint {
  const price = ratioFromDecimal(present(prices[symbol], `price of ${symbol}`));
  return scaleInt(START.each * 10n ** BigInt(decimals), inverse(price), 'up');
}
