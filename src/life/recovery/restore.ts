import { type Amount, amount } from '../../kernel/amount.ts';
import { type Instant, later } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { type Address, type ChainId, chainOf, type OrderId } from '../../kernel/ids.ts';
import { ADDRESSES_PER_CALL } from '../../kernel/limits.ts';
import { EMPTY_JOURNAL, type Entry, type JournalMark } from '../../signer/request.ts';
import type { Chain } from '../../world/chains/chain.ts';
import type { Fill, Venue } from '../../world/venues/venue.ts';
import type { Case } from '../case/case.ts';
import type { Owner } from '../payment/payment.ts';
import { move, type Posting } from '../payment/posting.ts';
import { adopt, type Fate } from './adopt.ts';
import type { Following } from './follow.ts';
import { isBehind, type Matched, match, nameOf, ownerOf } from './match.ts';

export interface RestoreBooks {
  /** Free addresses of that space are given to nobody any more. */
  burn(space: string): Promise<void>;
  burned(space: string): Promise<{ readonly burned: number; readonly next: number }>;
  issueBurned(space: string, first: number, addresses: readonly Address[]): Promise<void>;
  /** What was in these accounts has left. Tells which orders have one to which nothing is known to have come. */
  emptied(
    space: string,
    indexes: readonly number[],
  ): Promise<readonly { readonly order: OrderId; readonly address: Address }[]>;
  raiseCase(owner: Owner, about: Case): Promise<void>;
  caseOver(kind: Case['case']): Promise<void>;
  /** Work of the house, done once per key. */
  post(key: string, postings: readonly Posting[]): Promise<boolean>;
}

export interface Restoring extends Following {
  readonly restoring: RestoreBooks;
  readonly chains: readonly Chain[];
  readonly venue: Pick<Venue, 'fills' | 'market'>;
  /** So many addresses beyond those that are known, in each family, may have been given to orders that are forgotten. */
  readonly margin: number;
}

export interface RestoreReport {
  readonly from: JournalMark;
  readonly to: JournalMark;
  /** How many lines came to what. */
  readonly lines: Readonly<Record<Fate | 'known', number>>;
  readonly forgottenOrders: readonly { readonly order: OrderId; readonly signed: readonly string[] }[];
  readonly leftToAPerson: readonly string[];
  /** Signed, and more than this treasury has: they are followed once it has it. */
  readonly awaitingStock: readonly string[];
  readonly fillsPosted: number;
  readonly addresses: readonly { readonly family: string; readonly burned: number; readonly nextIndex: number }[];
}

/**
 * Brings a database from the past up to what the signer's journal knows. Nothing is signed here, and nothing may sign before
 * it is done: the mark moves last, and after a crash the whole is simply run again.
 */
export async function restore(parts: Restoring): Promise<RestoreReport> {
  const { books, restoring } = parts;
  const { seq, hash } = (await books.mark()) ?? EMPTY_JOURNAL;
  const from: JournalMark = { seq, hash };
  const { matched, to } = await readAll(parts, from);
  const addresses = await burnAddresses(parts, matched);
  await lookAgain(parts, matched);
  const lines: Record<Fate | 'known', number> = {
    ...{ known: 0, attempt: 0, house_payment: 0, awaits_stock: 0, move: 0, by_client_id: 0, left_to_a_person: 0 },
  };
  const leftToAPerson: string[] = [];
  const awaitingStock: string[] = [];
  const first = firstLines(matched);
  for (const one of matched) {
    const fate = one.standing === 'known' ? 'known' : await adopt(parts, one, first.get(nameOf(one.line.entry)));
    lines[fate] += 1;
    if (fate === 'left_to_a_person') leftToAPerson.push(nameOf(one.line.entry));
    if (fate === 'awaits_stock') awaitingStock.push(transactionOf(one.line.entry));
  }
  const fillsPosted = await postForgottenFills(parts, matched);
  const forgottenOrders = forgottenIn(matched);
  for (const { order, signed } of forgottenOrders)
    await restoring.raiseCase('treasury', { case: 'order_forgotten', order, signed });
  await books.move(from, to);
  await restoring.caseOver('database_behind');
  return { from, to, lines, forgottenOrders, leftToAPerson, awaitingStock, fillsPosted, addresses };
}

async function readAll({ books, journal }: Restoring, from: JournalMark) {
  const matched: Matched[] = [];
  let to = from;
  for (;;) {
    const { isKnown, lines } = await journal(to);
    if (!isKnown)
      throw new Fault(
        'permanent',
        'signer:journal',
        `it does not have line ${to.seq}: give the signer its newest journal`,
      );
    const last = lines.at(-1);
    if (!last) return { matched, to };
    matched.push(...(await match(books, lines)));
    to = { seq: last.seq, hash: last.hash };
  }
}

/** Whatever is free here may be somebody's there, and so may be many after it; at least up to what the journal names. */
async function burnAddresses({ restoring, chains, margin }: Restoring, matched: readonly Matched[]) {
  const families = new Map(chains.map((chain) => [chain.facts.family, chain]));
  const familyOf = new Map<ChainId, string>(chains.map(({ facts }) => [facts.id, facts.family]));
  const highest = new Map<string, number>();
  for (const { line } of matched) {
    const { entry } = line;
    if (entry.signed !== 'transfer') continue;
    const family = familyOf.get(entry.request.chainId);
    const index = depositIn(entry);
    if (family !== undefined && index !== undefined) highest.set(family, Math.max(highest.get(family) ?? 0, index));
  }
  const report = [];
  for (const [family, chain] of families) {
    await restoring.burn(family);
    const { next } = await restoring.burned(family);
    const end = Math.max(next, (highest.get(family) ?? -1) + 1) + margin;
    for (let first = next; first < end; first += ADDRESSES_PER_CALL) {
      const count = Math.min(ADDRESSES_PER_CALL, end - first);
      await restoring.issueBurned(family, first, await chain.depositAddresses(first, count));
    }
    const { burned, next: nextIndex } = await restoring.burned(family);
    report.push({ family, burned, nextIndex });
  }
  return report;
}

/**
 * What came to an account of the venue is told from what is in it, and what the signer has sent on since is not: its history is read all
 * the same. The venue may have forgotten that as well, so a person is told until it is known what came.
 */
async function lookAgain({ restoring, chains, venueCoin }: Restoring, matched: readonly Matched[]): Promise<void> {
  const venue = chains.find(({ facts }) => facts.id === chainOf(venueCoin));
  if (!venue) return;
  const { id: chain, family } = venue.facts;
  const indexes = matched.filter(isBehind).flatMap(({ line: { entry } }) => {
    if (entry.signed !== 'transfer' || entry.request.chainId !== chain) return [];
    const { from } = entry.request;
    return from === 'hot' ? [] : [from.deposit];
  });
  for (const { order, address } of await restoring.emptied(family, indexes))
    await restoring.raiseCase(order, { case: 'deposit_unjudged', chain, address, reason: SENT_ON });
}

const SENT_ON = 'it was emptied after this database was saved, and the venue has not shown since what had come to it';

function depositIn({ request: { from, toDeposit } }: Extract<Entry, { signed: 'transfer' }>): number | undefined {
  return from === 'hot' ? toDeposit : from.deposit;
}

const transactionOf = (entry: Entry): string =>
  entry.signed === 'transfer' ? `${nameOf(entry)} by ${entry.answer.txHash}` : nameOf(entry);

/** The first line of each intent, known ones included: an earlier run may have taken up some of its bytes. */
function firstLines(matched: readonly Matched[]): ReadonlyMap<string, number> {
  return new Map([...matched].reverse().map(({ line }) => [nameOf(line.entry), line.seq]));
}

function forgottenIn(matched: readonly Matched[]): RestoreReport['forgottenOrders'] {
  const byOrder = new Map<OrderId, string[]>();
  for (const { line, standing } of matched) {
    const owner = ownerOf(line.entry);
    if (standing === 'forgotten' && owner) byOrder.set(owner, [...(byOrder.get(owner) ?? []), nameOf(line.entry)]);
  }
  return [...byOrder].map(([order, signed]) => ({ order, signed }));
}

/** Fills are told from a little before the first ticket, since the venue's clock is not ours. */
const FILLS_BEFORE_MS = 60_000;

/** What forgotten orders traded moved our own balances on the venue: the ledger is told, once for each fill. */
async function postForgottenFills({ restoring, venue }: Restoring, matched: readonly Matched[]): Promise<number> {
  const forgotten = new Map<string, Instant>();
  for (const { line, standing } of matched)
    if (standing === 'forgotten' && line.entry.signed === 'trade')
      forgotten.set(line.entry.request.ticket.clientId, line.at);
  if (forgotten.size === 0) return 0;
  const first = Math.min(...forgotten.values()) as Instant;
  const fills = await venue.fills(later(first, -FILLS_BEFORE_MS));
  let posted = 0;
  for (const fill of fills)
    if (fill.clientId !== undefined && forgotten.has(fill.clientId))
      posted += (await restoring.post(`forgotten-fill:${fill.tradeId}`, postingsOf(fill, venue.market))) ? 1 : 0;
  return posted;
}

function postingsOf({ side, size, quote, fee }: Fill, market: Venue['market']): readonly Posting[] {
  const [base, money]: [Amount, Amount] = [amount(market.base, size), amount(market.quote, quote)];
  const [spent, got] = side === 'buy' ? [money, base] : [base, money];
  return [move('treasury', 'world', spent), move('world', 'treasury', got), move('treasury', 'world', fee)];
}
