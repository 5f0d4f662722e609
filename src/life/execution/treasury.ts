import { type Atoms, amount, atoms, rescale } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import { type Clock, type Instant, instant, later } from '../../kernel/clock.ts';
import { type Address, type AssetId, intentId } from '../../kernel/ids.ts';
import { larger } from '../../kernel/ratio.ts';
import type { Signer } from '../../signer/request.ts';
import type { LedgerRow, SignedAction, Venue, VenueMove } from '../../world/venues/venue.ts';
import type { Case } from '../case/case.ts';
import { type Advanced, opened } from '../payment/advance.ts';
import { newPayment } from '../payment/payment.ts';
import { move, type Posting } from '../payment/posting.ts';
import { type InPlaces, planRebalance, type Rebalance, type StockSettings } from './rebalance.ts';

export interface OpenMove {
  readonly kind: string;
  readonly atoms: Atoms;
  readonly signed: SignedAction;
  readonly createdAt: Instant;
}

/** What is kept of the house's own money. Work with a key that was used before changes nothing. */
export interface TreasuryBooks {
  creditedAt(key: string): Promise<Instant | undefined>;
  balance(account: string, asset: AssetId): Promise<Atoms>;
  /** What waiting orders lack of the asset. */
  demand(asset: AssetId): Promise<Atoms>;
  /** Sent from one place to the other, and come from outside, since then. */
  sent(asset: AssetId, since: Instant): Promise<Atoms>;
  came(asset: AssetId, since: Instant): Promise<Atoms>;
  commit(work: { readonly key: string; readonly postings: readonly Posting[] }): Promise<void>;
  /** A payment of the house's own, with its money set apart. */
  open(payment: Advanced): Promise<void>;
  raiseCase(about: Case): Promise<void>;
  /** Which of these are our own deposit accounts on the venue. */
  ours(addresses: readonly Address[]): Promise<ReadonlySet<Address>>;
  nextNonce(now: Instant): Promise<number>;
  openMoves(): Promise<readonly OpenMove[]>;
  saveMove(kind: string, asset: AssetId, value: Atoms, signed: SignedAction): Promise<void>;
  settleMove(nonce: number): Promise<void>;
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

/** The venue allows sixty questions for a ledger a minute, to all of us; while nothing is under way there is no hurry. */
const LOOK_MS = 10_000;
/** The venue's books lag behind its actions; rows are read again from this far back. */
const OVERLAP_MS = 60 * 60 * 1000;
/** Nobody may have looked for long before a process takes its first look. */
const FIRST_LOOK_MS = 7 * 24 * 60 * 60 * 1000;
/** A move that the venue has not shown by then is looked at by a person. */
const PATIENCE_MS = 60 * 60 * 1000;

/** The venue's clock and ours may differ by this much. */
const CLOCK_SLACK_MS = 5_000;

/** A need must last this long before coins are moved for it: most pass by themselves as transfers arrive. */
const LASTING_MS = 10_000;

/** Each round takes over what the venue's ledger shows, finishes moves under way, then levels the stock. */
export function treasurer(treasury: Treasury): () => Promise<void> {
  let needed: { readonly to: 'venue' | 'hot'; readonly since: Instant } | undefined;
  let looked: Instant | undefined;
  return async () => {
    const now = treasury.clock.now();
    const openings = await openingsOf(treasury);
    const open = await treasury.books.openMoves();
    if (looked === undefined || open.length > 0 || now >= later(looked, LOOK_MS)) {
      const from = looked ? later(looked, -OVERLAP_MS) : later(now, -FIRST_LOOK_MS);
      const rows = await takeRows(treasury, openings, from);
      looked = now;
      await finishMoves(treasury, open, rows);
    }
    if (open.length > 0) return;
    const plan = await planFor(treasury);
    needed = plan && (needed?.to === plan.to ? needed : { to: plan.to, since: now });
    const isLasting = needed !== undefined && now >= later(needed.since, LASTING_MS);
    await rebalance(treasury, isLasting ? plan : undefined);
  };
}

/** Since when the ledger tells every change of an asset. */
type Openings = ReadonlyMap<AssetId, Instant>;

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

async function takeRows({ venue, books }: Treasury, openings: Openings, from: Instant): Promise<readonly LedgerRow[]> {
  const first = Math.min(...openings.values());
  const told = await venue.ledger(instant(Math.max(first, from)));
  const rows = told.filter((row) => row.at > (openings.get(row.asset) ?? first));
  const ours = await books.ours(
    rows.flatMap(({ kind, counterparty = [] }) => (kind === 'send_in' ? counterparty : [])),
  );
  for (const row of rows) {
    if (row.kind === 'other') await books.raiseCase({ case: 'venue_row_unexpected', row: row.key });
    // Anyone may deploy a token and send it here; it is no inventory.
    const postings = openings.has(row.asset) ? postingsOf(row, ours) : [];
    if (postings.length > 0) await books.commit({ key: `venue:${row.key}`, postings });
  }
  return rows;
}

/**
 * What leaves the account by a send, and what that costs, is posted by the payment that it belongs to; what comes from a
 * deposit account of ours was counted when it came there.
 */
function postingsOf(row: LedgerRow, ours: ReadonlySet<Address>): readonly Posting[] {
  switch (row.kind) {
    case 'send_in':
      if (row.counterparty && ours.has(row.counterparty)) return [];
      return [move('world', 'treasury', amount(row.asset, row.atoms))];
    case 'deposit':
      return [move('world', 'treasury', amount(row.asset, row.atoms))];
    case 'withdraw':
      return [move('treasury', 'world', amount(row.asset, row.atoms + row.fee))];
    case 'send_out':
    case 'activation':
    case 'to_trading':
    case 'to_transit':
    case 'other':
      return [];
  }
}

/** Posts what was saved until the venue shows it. */
async function finishMoves(
  { venue, books, clock }: Treasury,
  open: readonly OpenMove[],
  rows: readonly LedgerRow[],
): Promise<void> {
  for (const one of open) {
    if (rows.some((row) => isRowOf(one, row))) await books.settleMove(one.signed.nonce);
    else if (clock.now() > later(one.createdAt, PATIENCE_MS))
      await books.raiseCase({ case: 'venue_move_unseen', move: one.kind, nonce: one.signed.nonce });
    else await venue.post(one.signed);
  }
}

/** The venue shows the nonce of a withdrawal, and of a change of sides only what and when; there is one at a time. */
function isRowOf({ kind, atoms: value, signed, createdAt }: OpenMove, row: LedgerRow): boolean {
  if (row.kind !== kind) return false;
  if (kind === 'withdraw') return row.nonce === signed.nonce;
  return row.atoms === value && row.at > later(createdAt, -CLOCK_SLACK_MS);
}

async function planFor(treasury: Treasury): Promise<Rebalance> {
  const { venue, books, settings } = treasury;
  const demand: InPlaces = {
    hot: await books.demand(venue.funding.asset),
    venue: atHome(treasury, await books.demand(venue.market.quote)),
  };
  return planRebalance(await stockOf(treasury), demand, settings);
}

async function rebalance(treasury: Treasury, plan: Rebalance): Promise<void> {
  const { venue, books } = treasury;
  const unmoved = await venue.unmovedDeposit();
  if (plan?.to === 'hot') return bringHome(treasury, plan.atoms, unmoved);
  if (unmoved > 0n) return act(treasury, { move: 'to_trading', atoms: unmoved });
  if (plan && (await books.openRebalances()) === 0) await fillVenue(treasury, plan.atoms);
}

/** The venue's atoms as the home chain counts. */
const atHome = ({ venue, homeDecimals }: Pick<Treasury, 'venue' | 'homeDecimals'>, value: bigint): bigint =>
  rescale(value, venue.market.quoteDecimals, homeDecimals, 'down');

/** What lies in each place, with what is on its way there: else every round would send it again. */
async function stockOf(treasury: Treasury) {
  const { venue, books } = treasury;
  const [home, away] = [venue.funding.asset, venue.market.quote];
  const { toHot, toVenue } = await underWay(treasury);
  return {
    hot: (await books.balance('treasury', home)) + toHot,
    venue: atHome(treasury, await books.balance('treasury', away)) + toVenue,
  };
}

/** What has left one of the two places and has not come to the other, as the home chain counts. */
export async function underWay(
  treasury: Pick<Treasury, 'venue' | 'homeDecimals' | 'clock'> & {
    readonly books: Pick<TreasuryBooks, 'sent' | 'came'>;
  },
): Promise<{ readonly toHot: bigint; readonly toVenue: bigint }> {
  const { venue, books, clock } = treasury;
  const since = later(clock.now(), -OVERLAP_MS);
  const [home, away] = [venue.funding.asset, venue.market.quote];
  const toVenue = (await books.sent(home, since)) - atHome(treasury, await books.came(away, since));
  const toHot = atHome(treasury, await books.sent(away, since)) - (await books.came(home, since));
  return { toHot: larger(toHot, 0n), toVenue: larger(toVenue, 0n) };
}

/** Two steps of the venue: out of trading first, then out of the venue; each round does one of them. */
async function bringHome(treasury: Treasury, home: Atoms, unmoved: Atoms): Promise<void> {
  const { venue, homeDecimals } = treasury;
  const wanted = atoms(rescale(home, homeDecimals, venue.market.quoteDecimals, 'down'));
  if (unmoved < wanted) return act(treasury, { move: 'to_transit', atoms: atoms(wanted - unmoved) });
  return act(treasury, { move: 'withdraw', atoms: wanted, to: venue.account });
}

type WithoutNonce<Each> = Each extends VenueMove ? Omit<Each, 'nonce'> : never;
type Wish = WithoutNonce<VenueMove>;

/** Signs, saves and leaves the posting to the next round. */
async function act({ signer, books, venue, clock }: Treasury, wish: Wish): Promise<void> {
  const nonce = await books.nextNonce(clock.now());
  const intent = intentId('treasury', 'rebalance', nonce);
  const signed = await signer.signMove({
    intent,
    owner: 'treasury',
    kind: 'rebalance',
    move: { ...wish, nonce },
    wire: {},
  });
  await books.saveMove(wish.move, venue.market.quote, wish.atoms, signed);
}

/** A plain transfer to the venue's bridge, through the same gate as every payment. */
async function fillVenue({ venue, books }: Treasury, value: Atoms): Promise<void> {
  const payment = newPayment({
    owner: 'treasury',
    purpose: { for: 'rebalance', number: (await books.lastRebalance()) + 1 },
    from: 'hot',
    amount: amount(venue.funding.asset, value),
    to: venue.funding.address,
    source: 'treasury',
  });
  await books.open(opened(payment));
}
