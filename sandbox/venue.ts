import { join } from 'node:path';
import { Fault } from '../src/kernel/fault.ts';
import { parseVenueAddress } from '../src/world/venues/hyperliquid/address.ts';
import { keptIn } from './journal.ts';
import type { Keeping } from './keeping.ts';
import type { Place } from './place.ts';
import { Refused } from './simulators/hyperliquid/accounts.ts';
import { arbitrumHome } from './simulators/hyperliquid/arbitrum.ts';
import type { VenueChange } from './simulators/hyperliquid/changes.ts';
import { type HyperliquidSimulator, startHyperliquid } from './simulators/hyperliquid/server.ts';
import { BRIDGE, VENUE_ID, VENUE_TOKENS } from './venue-tokens.ts';

/** The trading venue as one more place where the customer has money. */
export interface VenuePlace extends Place {
  readonly simulator: HyperliquidSimulator;
  /** Keeps what it knows and closes. */
  close(): Promise<void>;
}

export interface VenueOptions {
  readonly dir: string;
  readonly resumes: boolean;
  readonly now: () => number;
  readonly arbitrum: { readonly rpcUrl: string; readonly usdc: `0x${string}` };
  readonly customer: string;
}

/** In whole units; no token here is worth less than a cent or more than some hundred dollars. */
const CUSTOMER_UNITS = 10_000_000n;

export async function startVenue(options: VenueOptions): Promise<VenuePlace> {
  const { customer } = options;
  const start = async (restore: string | undefined, keeping: Keeping<VenueChange>) => {
    const home = arbitrumHome({ ...options.arbitrum, bridge: BRIDGE });
    const fresh = await startHyperliquid({ now: options.now, keeping, home, ...(restore ? { restore } : {}) });
    if (restore) return fresh;
    for (const { token, decimals } of VENUE_TOKENS) {
      fresh.credit(customer, token, CUSTOMER_UNITS * 10n ** BigInt(decimals));
    }
    return fresh;
  };
  const path = join(options.dir, 'venue.json');
  const simulator = await keptIn({ path, resumes: options.resumes, forgets: true }, start);
  return {
    simulator,
    chainId: VENUE_ID,
    name: 'Hyperliquid',
    kind: 'simulated',
    rpcUrl: simulator.url,
    tokens: VENUE_TOKENS,
    customerAddress: customer,
    parseAddress: parseVenueAddress,
    parseToken: (text) => VENUE_TOKENS.find(({ token }) => token === text.toLowerCase())?.token,
    async pay({ token, to, atoms }) {
      try {
        return { ...simulator.pay({ from: customer, to, token, atoms }), from: customer };
      } catch (error) {
        throw error instanceof Refused ? new Fault('permanent', 'sandbox', error.message, error) : error;
      }
    },
    async received(token, address) {
      const { total, transfers } = simulator.received(address, token);
      return {
        total: BigInt(total),
        transfers: transfers.map((transfer) => ({ ...transfer, amount: BigInt(transfer.amount) })),
      };
    },
    wallets: async () => [customer],
    close: () => simulator.close(),
  };
}
