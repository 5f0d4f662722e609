import { type Atoms, amount, atoms, rescale } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import { type Clock, type Instant, instant, later } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { AssetId } from '../../kernel/ids.ts';
import type { Signer } from '../../signer/request.ts';
import type { Venue } from '../../world/venues/venue.ts';
import { type Advanced, opened } from '../payment/advance.ts';
import { newPayment } from '../payment/payment.ts';
import { move } from '../payment/posting.ts';
import type { OpenMove } from '../payment/venue-move.ts';
import { type InPlaces, planRebalance, type Rebalance, type StockSettings } from './rebalance.ts';
import { begin, giveUp, isCovered, sign } from './venue-moves.ts';
import { ledgerLooker, type Openings, OVERLAP_MS, type RowBooks } from './venue-rows.ts';

/** What is kept of the house's own money. Work with a key that was used before changes nothing. */
export interface TreasuryBooks extends RowBooks {
  creditedAt(key: string): Promise<Instant | undefined>;
  /** What waiting orders lack of the asset. */
  demand(asset: AssetId): Promise<Atoms>;
  /** What left the venue since then and has not come, and what was planned since the other and is to leave; in the venue's atoms. */
  onWayHome(asset: AssetId, since: Instant, plannedSince: Instant): Promise<Atoms>;
  /** The same of what is paid to the venue, in the home chain's. */
  onWayToVenue(asset: AssetId, since: Instant, plannedSince: Instant): Promise<Atoms>;
  /** A payment of the house's own, with its money set apart. */
  open(payment: Advanced): Promise<void>;
  openRebalances(): Promise<number>;
  lastRebalance(): Promise<number>;
}

export interface Treasury {
  readonly venue: Venue;
  readonly signer: Signer;
  readonly books: TreasuryBooks;
  readonly homeDecimals: number;
  readonly settings: StockSettings;
  readonly clock: Clock;
}

/** A need must last this long before coins are moved for it: most pass by themselves as transfers arrive. */
const LASTING_MS = 10_000;

/** Each round takes over what the venue's ledger shows, finishes moves under way, then levels the stock. */
export function treasurer(treasury: Treasury): () => Promise<void> {
  let needed: { readonly to: 'venue' | 'hot'; readonly since: Instant } | undefined;
  const look = ledgerLooker(treasury);
  return async () => {
    const now = treasury.clock.now();
    const openings = await openingsOf(treasury);
    const open = await treasury.books.openMoves();
    const uncovered = await uncoveredOf(treasury, open);
    await look(openings, open);
    await goOn(treasury, open, uncovered);
    if (open.length > 0) return;
    const before = await begunBefore(treasury.books);
    const plan = await planFor(treasury);
    needed = plan && (needed?.to === plan.to ? needed : { to: plan.to, since: now });
    const isLasting = needed !== undefined && now >= later(needed.since, LASTING_MS);
    await rebalance(treasury, isLasting ? plan : undefined, before);
  };
}

/** Read before the stock is: what another engine begins and ends meanwhile takes the next number, and the stock is not what was read. */
interface Before {
  readonly move: number;
  readonly rebalance: number;
}

const begunBefore = async (books: TreasuryBooks): Promise<Before> => ({
  ...{ move: await books.lastMove(), rebalance: await books.lastRebalance() },
});

async function uncoveredOf(treasury: Treasury, open: readonly OpenMove[]): Promise<readonly OpenMove[]> {
  const uncovered: OpenMove[] = [];
  for (const one of open) if (!(await isCovered(treasury, one))) uncovered.push(one);
  return uncovered;
}

/** What a crash left between noting and signing is signed now, or dropped where its money is gone. */
async function goOn(treasury: Treasury, open: readonly OpenMove[], uncovered: readonly OpenMove[]): Promise<void> {
  for (const one of open.filter(({ body }) => body === undefined))
    await (uncovered.includes(one) ? giveUp(treasury, one) : sign(treasury, one));
  const signed = uncovered.find(({ body }) => body !== undefined);
  if (signed && (await treasury.books.openMoves()).some(({ nonce }) => nonce === signed.nonce))
    throw new Fault('transient', 'treasury', `withdrawal ${signed.nonce} takes ${signed.atoms} that are not free`);
}

/** What lay on the venue before the first look at it is inventory. Assets that came into the settings later open by themselves. */
async function openingsOf(treasury: Treasury): Promise<Openings> {
  const { market, rules } = treasury.venue;
  const traded = [market.base, market.quote];
  const others = rules.facts.assets.map(({ id }) => id).filter((id) => !traded.includes(id));
  const openings = new Map<AssetId, Instant>();
  for (const assets of [traded, ...others.map((id) => [id])]) {
    const at = await openedAt(treasury, assets === traded ? 'venue-opening' : `venue-opening:${assets[0]}`, assets);
    for (const asset of assets) openings.set(asset, at);
  }
  return openings;
}

async function openedAt({ venue, books }: Treasury, key: string, assets: readonly AssetId[]): Promise<Instant> {
  const known = await books.creditedAt(key);
  if (known !== undefined) return known;
  const unmoved = amount(venue.market.quote, await venue.unmovedDeposit());
  const held = [...(await venue.balances()), unmoved].filter((one) => assets.includes(one.asset) && one.atoms > 0n);
  await books.commit({ key, postings: held.map((one) => move('world', 'treasury', one)) });
  return present(await books.creditedAt(key), key);
}

async function planFor(treasury: Treasury): Promise<Rebalance> {
  const { venue, books, settings } = treasury;
  const demand: InPlaces = {
    hot: await books.demand(venue.funding.asset),
    venue: atHome(treasury, await books.demand(venue.market.quote)),
  };
  return planRebalance(await stockOf(treasury), demand, settings);
}

async function rebalance(treasury: Treasury, plan: Rebalance, before: Before): Promise<void> {
  const { venue, books, settings } = treasury;
  const unmoved = await venue.unmovedDeposit();
  if (plan?.to === 'hot') return bringHome(treasury, plan.atoms, unmoved, before);
  if (plan && (await books.openRebalances()) === 0) await fillVenue(treasury, plan.atoms, before);
  // Anyone may send crumbs there, and the venue counts what an account does.
  if (atHome(treasury, unmoved) >= settings.least) await begin(treasury, 'to_trading', unmoved, before.move);
}

/** The venue's atoms as the home chain counts. */
const atHome = ({ venue, homeDecimals }: Pick<Treasury, 'venue' | 'homeDecimals'>, value: bigint): bigint =>
  rescale(value, venue.market.quoteDecimals, homeDecimals, 'down');

/** What lies in each place, with what is on its way there: else every round would send it again. */
async function stockOf(treasury: Treasury) {
  const { venue, books } = treasury;
  const [home, away] = [venue.funding.asset, venue.market.quote];
  const { toHot, toVenue } = await underWay(treasury, 'all');
  return {
    hot: (await books.balance('treasury', home)) + toHot,
    venue: atHome(treasury, await books.balance('treasury', away)) + toVenue,
  };
}

/**
 * What has left one of the two places and has not come to the other, as the home chain counts, with what is to leave. What has waited for
 * long is still planned, but lies where it was for whoever adds up what is held.
 */
export async function underWay(
  treasury: Pick<Treasury, 'venue' | 'homeDecimals' | 'clock'> & {
    readonly books: Pick<TreasuryBooks, 'onWayHome' | 'onWayToVenue'>;
  },
  waiting: 'all' | 'new',
): Promise<{ readonly toHot: bigint; readonly toVenue: bigint }> {
  const { venue, books, clock } = treasury;
  const since = later(clock.now(), -OVERLAP_MS);
  const plannedSince = waiting === 'all' ? instant(0) : since;
  const toHot = atHome(treasury, await books.onWayHome(venue.market.quote, since, plannedSince));
  return { toHot, toVenue: await books.onWayToVenue(venue.funding.asset, since, plannedSince) };
}

/** Two steps of the venue: out of trading first, then out of the venue; each round does one of them. */
async function bringHome(treasury: Treasury, home: Atoms, unmoved: Atoms, { move: last }: Before): Promise<void> {
  const { venue, homeDecimals } = treasury;
  const wanted = atoms(rescale(home, homeDecimals, venue.market.quoteDecimals, 'down'));
  if (unmoved < wanted) return begin(treasury, 'to_transit', atoms(wanted - unmoved), last);
  return begin(treasury, 'withdraw', wanted, last);
}

/** A plain transfer to the venue's bridge, through the same gate as every payment. */
async function fillVenue({ venue, books }: Treasury, value: Atoms, before: Before): Promise<void> {
  const payment = newPayment({
    owner: 'treasury',
    purpose: { for: 'rebalance', number: before.rebalance + 1 },
    from: 'hot',
    amount: amount(venue.funding.asset, value),
    to: venue.funding.address,
    source: 'treasury',
  });
  await books.open(opened(payment));
}
