import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { present } from '../src/kernel/assert.ts';
import { freshAddresses } from './fresh-addresses.ts';
import { keptIn } from './journal.ts';
import type { Keeping } from './keeping.ts';
import type { Place } from './place.ts';
import { startBridge } from './simulators/providers/bridge.ts';
import { openMarket } from './simulators/providers/market.ts';
import { startOneClick } from './simulators/providers/oneclick.ts';
import type { OrderChange } from './simulators/providers/orders.ts';
import { startRelay } from './simulators/providers/relay.ts';
import type { ProviderSimulator } from './simulators/providers/server.ts';

export const PROVIDERS = ['oneclick', 'relay', 'bridge'] as const;
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
  /** Where wrapped coins are. */
  readonly venue: Place;
  /** Dollars for one whole unit, by symbol. */
  readonly prices: Readonly<Record<string, string>>;
}

const SWAPS = { oneclick: startOneClick, relay: startRelay };
/** Prices move a little all the time, well within the slippage of a leg. */
const DRIFT_BPS = 15;
/** A question about an order looks at once; this is for what nobody asks about. */
const POLL_MS = 1_000;

export async function startProviders(options: ProvidersOptions): Promise<Providers> {
  const { dir, resumes, now, places, venue, prices } = options;
  const market = openMarket({ prices, driftBps: DRIFT_BPS });
  const place = (chainId: number) => places.find((one) => one.chainId === chainId);
  const freshAddress = freshAddresses((chainId) => place(chainId)?.customerAddress);
  type Start = (restore: string | undefined, keeping: Keeping<OrderChange>) => Promise<ProviderSimulator>;
  const kept = (name: ProviderName, start: Start) =>
    keptIn({ path: join(dir, `${name}.json`), resumes, forgets: true }, start);
  const swaps = (name: keyof typeof SWAPS) =>
    kept(name, (restore, keeping) =>
      SWAPS[name]({ places, market, freshAddress, now, keeping, pollMs: POLL_MS, ...(restore ? { restore } : {}) }),
    );
  /** On the venue any account will do; of the others, whichever is the customer's own and was never given to anybody. */
  const ownAddress = async (chainId: number): Promise<string> =>
    chainId === venue.chainId
      ? `0x${randomBytes(20).toString('hex')}`
      : present((await present(place(chainId), `chain ${chainId}`).wallets()).at(-1), 'an address');
  const bridges: Start = (restore, keeping) =>
    startBridge({
      ...{ places: [...places, venue], venueId: venue.chainId, freshAddress: ownAddress, now, keeping },
      pollMs: POLL_MS,
      ...(restore ? { restore } : {}),
    });
  const [oneclick, relay, bridge] = await Promise.all([swaps('oneclick'), swaps('relay'), kept('bridge', bridges)]);
  const simulators = { oneclick, relay, bridge };
  return {
    simulators,
    takesDeposits: (address) => PROVIDERS.some((name) => simulators[name].takesDeposits(address)),
    async close() {
      await Promise.all(PROVIDERS.map((name) => simulators[name].close()));
    },
  };
}
