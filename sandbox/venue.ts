import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../src/kernel/fault.ts';
import { parseVenueAddress } from '../src/world/venues/hyperliquid/address.ts';
import type { Place } from './place.ts';
import { Refused } from './simulators/hyperliquid/accounts.ts';
import { arbitrumHome } from './simulators/hyperliquid/arbitrum.ts';
import { type HyperliquidSimulator, startHyperliquid } from './simulators/hyperliquid/server.ts';
import { type Keeping, keepText } from './snapshots.ts';
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
  const file = join(options.dir, 'venue.json');
  let keeping: Keeping | undefined;
  const simulator = await startHyperliquid({
    now: options.now,
    keep: () => keeping?.keep('promised'),
    home: arbitrumHome({ ...options.arbitrum, bridge: BRIDGE }),
    ...(options.resumes ? { restore: readFileSync(file, 'utf8') } : {}),
  });
  const { customer } = options;
  if (!options.resumes) {
    for (const { token, decimals } of VENUE_TOKENS) {
      simulator.credit(customer, token, CUSTOMER_UNITS * 10n ** BigInt(decimals));
    }
  }
  keeping = keepText(file, simulator.snapshot);
  const { keep, stop } = keeping;
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
    keep: () => keep('paid'),
    async close() {
      await simulator.close();
      stop();
    },
  };
}
