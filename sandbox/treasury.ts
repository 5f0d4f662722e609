import { randomBytes } from 'node:crypto';
import { present } from '../src/kernel/assert.ts';
import type { Address } from '../src/kernel/ids.ts';
import { VENUE_TOKENS } from './venue-tokens.ts';
import type { World } from './world.ts';

/** In whole units: what the desk starts with of every token that the venue has. */
const ON_VENUE = new Map([
  ['USDC', 2_000_000n],
  ['XMR1', 10_000n],
  ['TRX1', 5_000_000n],
  ['ZEC1', 10_000n],
]);

/** What the desk starts with: on the venue, and by each family on its chains. */
export async function fundTreasury({ families, venue, venueAccount, prices }: World): Promise<void> {
  for (const { token, symbol, decimals } of VENUE_TOKENS)
    venue.simulator.credit(venueAccount, token, present(ON_VENUE.get(symbol), symbol) * 10n ** BigInt(decimals));
  await Promise.all(families.map((family) => family.fund(prices)));
}

/** An account of somebody else, which exists already: the first payment to one that does not costs a dollar more. */
export function openVenueAccount({ venue }: World): Address {
  const address = `0x${randomBytes(20).toString('hex')}` as Address;
  const { token } = present(
    VENUE_TOKENS.find(({ symbol }) => symbol === 'USDC'),
    'USDC',
  );
  venue.simulator.credit(address, token, 1n);
  return address;
}
