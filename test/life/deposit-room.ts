import { openEngineBooks } from '../../src/app/engine-books.ts';
import { scanner } from '../../src/app/scanners.ts';
import { openRoundReports, reportedRound } from '../../src/engine/reported-round.ts';
import { openSubmit, type Submit } from '../../src/engine/submit.ts';
import { type Amount, atoms } from '../../src/kernel/amount.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { type UsdMicros, usd } from '../../src/kernel/usd.ts';
import { ownArrivals } from '../../src/life/execution/own-arrivals.ts';
import type { Rules } from '../../src/life/order/rules.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { Chain } from '../../src/world/chains/chain.ts';
import type { Venue } from '../../src/world/venues/venue.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { ENDS, USDC } from './market.ts';
import { scriptedChain } from './scripted-chain.ts';
import { BOUNDS, tripDesk } from './trip-desk.ts';

/** A dollar as the venue counts, which is also what it takes for a withdrawal. */
export const VENUE_COIN = atoms(10n ** 8n);
export const COLD = 'cold store' as Address;

/** Addresses of kept orders are of this family. */
const FAMILY = 'stories';

/**
 * Orders in a database, a chain that does as the story says (or a real one), and the scanner between the two, as it runs in
 * the engine. A story that plants a weakness changes how orders are told.
 */
export async function openDepositRoom(
  change: Partial<Rules> = {},
  real?: Chain,
  plant: (submit: Submit) => Submit = (submit) => submit,
) {
  const room: CaseRoom = await openCaseRoom(real);
  const { db, clock, cases } = room;
  const rules = { ...RULES, ...change };
  const books = openEngineBooks(db, clock, SEAL_KEY);
  const script = scriptedChain({ ...ENDS.buy.chain, family: FAMILY });
  const submit = plant(openSubmit(books.orders, books.payments, rules, clock));
  const open = { chain: real ?? script.chain, scanFrom: undefined, outputPool: undefined };
  const worth = async (of: Amount) => ({ value: of.atoms as bigint as UsdMicros, refund: usd(0.2) });
  const { look } = tripDesk(db, clock, { bounds: { ...BOUNDS, orphanedUsd: rules.mostOrphaned } });
  const keepOwn = ownArrivals({
    venue: { funding: { asset: USDC.id }, withdrawalFee: VENUE_COIN, market: { quoteDecimals: 8 } } as Venue,
    ...{ homeDecimals: USDC.decimals, cold: new Set([COLD]), books: books.sightings, clock },
  });
  const venueChain = ENDS.bridge_out.chain.id;
  const parts = { books, submit, rules, worth, onLeft: look, clock, everyMs: 1, keepOwn, venueChain };
  const round = scanner(open, parts);
  return {
    ...room,
    ...script,
    books,
    rules,
    round: reportedRound(
      'scan Arbitrum One',
      openRoundReports({ cases, clock, caseAfterMs: rules.caseAfterMs }),
      round,
    ),
  };
}

export type DepositRoom = Awaited<ReturnType<typeof openDepositRoom>>;
