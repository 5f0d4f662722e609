import { present } from '../src/kernel/assert.ts';
import type { Address } from '../src/kernel/ids.ts';
import { inverse, ratioFromDecimal, scaleInt } from '../src/kernel/ratio.ts';
import { VENUE_TOKENS } from './config.ts';
import type { EvmWorld } from './nodes/evm-world.ts';
import type { PlaceToken } from './place.ts';
import type { Prices } from './prices.ts';
import type { HotAddresses } from './seed.ts';
import { BRIDGE } from './venue.ts';
import type { World } from './world.ts';

/** Where the venue's bridge stands. */
const HOME = 42161;
const USDC = 10n ** 6n;

/** What the desk starts with, beside the Monero and the Zcash that its wallets got from the first blocks. */
const START = {
  /** In dollars, of every asset on every chain. */
  each: 2_000_000n,
  /** In whole units: of every token that the venue has. */
  venue: new Map([
    ['USDC', 2_000_000n],
    ['XMR1', 10_000n],
    ['TRX1', 5_000_000n],
    ['ZEC1', 10_000n],
  ]),
  /** Every dollar on the venue can be withdrawn, so the bridge must hold it. */
  bridge: 100_000_000n * USDC,
  /** In as many outputs, so that many payouts can run at once. */
  bitcoin: { atoms: 64n * 10n ** 8n, outputs: 32 },
};

/** The service finds this money where it finds all money: on the chains. */
export async function fundTreasury(world: World, hot: HotAddresses): Promise<void> {
  const { evm, venue, bitcoin, tron, prices } = world;
  for (const { token, symbol, decimals } of VENUE_TOKENS)
    venue.simulator.credit(hot.evm, token, present(START.venue.get(symbol), symbol) * 10n ** BigInt(decimals));
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
