import { COLD_STORE } from '../../sandbox/config.ts';
import type { HomeChain } from '../../sandbox/simulators/hyperliquid/bridge.ts';
import { BRIDGE } from '../../sandbox/venue-tokens.ts';
import type { Config } from '../../src/app/config.ts';
import { present } from '../../src/kernel/assert.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { evmContractOf } from '../../src/world/chains/evm/codec.ts';
import { type Plan, trades, type Wants } from './events.ts';
import type { EvmChain } from './evm-chain.ts';
import { evmPlace } from './evm-place.ts';

/** The house has a million of each token on Arbitrum, half a million dollars on the venue, and 5,000 XMR1 there. */
interface Level {
  readonly treasury: Config['treasury'];
  readonly cold?: NonNullable<Config['signer']['cold']>;
  /** So many whole units it has at first, and between so many when all is at rest. */
  readonly ends: {
    readonly at: 'venue' | 'hot';
    readonly symbol: string;
    readonly first: bigint;
    readonly from: bigint;
    readonly to: bigint;
  };
}

const STILL = { venueUsdcLow: '0', venueUsdcHigh: '5000000', hotUsdcLow: '0' } as const;
const COST = { mostCostPercent: '1' } as const;

export const LEVELS: Readonly<Record<Wants, Level>> = {
  'more on the venue': {
    treasury: { ...STILL, venueUsdcLow: '500400', venueUsdcHigh: '501200' },
    ends: { at: 'venue', symbol: 'USDC', first: 500_000n, from: 500_400n, to: 501_200n },
  },
  'less on the venue': {
    treasury: { ...STILL, venueUsdcLow: '498000', venueUsdcHigh: '499000' },
    ends: { at: 'venue', symbol: 'USDC', first: 500_000n, from: 498_000n, to: 499_000n },
  },
  'another token': {
    treasury: {
      ...STILL,
      stock: {
        'USDT@42161': {
          ...{ low: '1000100', target: '1000400' },
          fill: { from: 'USDC@42161', ...COST, usdPerDay: '500', usdAtOnce: '200' },
        },
        'USDC@42161': { low: '0', target: '1000' },
      },
    },
    ends: { at: 'hot', symbol: 'USDT', first: 1_000_000n, from: 1_000_100n, to: 1_000_500n },
  },
  'more of the coin': {
    treasury: {
      ...STILL,
      stock: {
        XMR1: {
          ...{ low: '5001', target: '5003' },
          fill: { from: 'USDC@1337', ...COST, usdPerDay: '1500', usdAtOnce: '700' },
        },
        'USDC@1337': { low: '0', target: '1000' },
      },
    },
    ends: { at: 'venue', symbol: 'XMR1', first: 5_000n, from: 5_001n, to: 5_005n },
  },
  'less in the hot account': {
    treasury: { ...STILL, stock: { 'USDT@42161': { low: '0', target: '999000', high: '999500' } } },
    cold: { 'USDT@42161': { address: COLD_STORE, perDay: '1200' } },
    ends: { at: 'hot', symbol: 'USDT', first: 1_000_000n, from: 998_800n, to: 999_500n },
  },
};

export const wantsOf = ({ events }: Plan): Wants | undefined =>
  events.flatMap((event) => (event.what === 'levels' ? [event.wants] : []))[0];

/** Nobody trades on the venue what the house wants to have there, and it knows all that it did. */
export const hasCalmHouse = (plan: Plan): boolean =>
  !trades(plan, 'XMR') && plan.events.every(({ what }) => what !== 'restore');

/** Where the house sends its own money beside providers: to the venue, and away from whoever might take it. */
export const OWN_PLACES: readonly string[] = [BRIDGE, COLD_STORE];

/** Arbitrum as the venue's bridge sees it: what could still be undone has not come. */
export function homeOf(chain: EvmChain, settled: number): HomeChain {
  const { id, token } = present(
    chain.network.facts.assets.find(({ symbol }) => symbol === 'USDC'),
    'USDC',
  );
  const contract = evmContractOf(id);
  return {
    pollMs: 5_000,
    withdrawalDelayMs: 10_000,
    tip: async () => chain.height - settled,
    came: async (first, last) =>
      chain
        .movements()
        .filter(({ ok, tx, height }) => ok && height >= first && height <= last && tx.token === contract)
        .filter(({ tx }) => tx.payee.toLowerCase() === BRIDGE)
        .map(({ tx }) => ({ key: tx.hash, from: tx.from.toLowerCase(), micros: tx.atoms })),
    pay: async (to, micros) =>
      (await evmPlace(chain, BRIDGE as string as Address).pay({ token, to, atoms: micros })).txHash,
  };
}
