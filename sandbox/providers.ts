import { join } from 'node:path';
import { freshAddresses } from './fresh-addresses.ts';
import type { Place } from './place.ts';
import { openMarket } from './simulators/providers/market.ts';
import { startOneClick } from './simulators/providers/oneclick.ts';
import { startRelay } from './simulators/providers/relay.ts';
import type { ProviderSimulator } from './simulators/providers/server.ts';
import { keptIn } from './snapshots.ts';

export const PROVIDERS = ['oneclick', 'relay'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** Who swaps what the venue does not trade. They take real coins of the box's chains and pay with the customer's. */
export interface Providers {
  readonly simulators: Readonly<Record<ProviderName, ProviderSimulator>>;
  /** Whether one of them gave out this address. */
  takesDeposits(address: string): boolean;
  close(): Promise<void>;
}

export interface ProvidersOptions {
  readonly dir: string;
  readonly resumes: boolean;
  readonly now: () => number;
  readonly places: readonly Place[];
  /** Dollars for one whole unit, by symbol. */
  readonly prices: Readonly<Record<string, string>>;
}

const START = { oneclick: startOneClick, relay: startRelay };
/** Prices move a little all the time, well within the slippage of a leg. */
const DRIFT_BPS = 15;
/** A question about an order looks at once; this is for what nobody asks about. */
const POLL_MS = 1_000;

export async function startProviders(options: ProvidersOptions): Promise<Providers> {
  const { dir, resumes, now, places, prices } = options;
  const market = openMarket({ prices, driftBps: DRIFT_BPS });
  const freshAddress = freshAddresses((chainId) => places.find((place) => place.chainId === chainId)?.customerAddress);
  const start = (name: ProviderName) =>
    keptIn<string, ProviderSimulator>(join(dir, `${name}.json`), resumes, (restore) =>
      START[name]({ places, market, freshAddress, now, pollMs: POLL_MS, ...(restore ? { restore } : {}) }),
    );
  const [oneclick, relay] = await Promise.all([start('oneclick'), start('relay')]);
  return {
    simulators: { oneclick, relay },
    takesDeposits: (address) => oneclick.takesDeposits(address) || relay.takesDeposits(address),
    async close() {
      await Promise.all([oneclick.close(), relay.close()]);
    },
  };
}
