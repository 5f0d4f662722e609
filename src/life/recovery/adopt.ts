import { accountInBooks } from '../../kernel/account.ts';
import { type Amount, type Atoms, amount, zero } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import { type Address, type AssetId, type ChainId, chainOf, type IntentId, intentParts } from '../../kernel/ids.ts';
import { type Entry, type IntentKind, loanOf, senderOf } from '../../signer/request.ts';
import type { SignedTransfer, Transfer } from '../../world/chains/chain.ts';
import type { SignedAction } from '../../world/venues/venue.ts';
import { type Advanced, opened } from '../payment/advance.ts';
import { newPayment, type Payment, type Purpose, type PurposeOf, paymentOf } from '../payment/payment.ts';
import { isSplit, type Matched } from './match.ts';

/** Where what the journal signed is taken up. Doing it twice changes nothing. */
export interface AdoptingBooks {
  adopt(bytes: AdoptedBytes): Promise<void>;
  adoptMove(kind: string, asset: AssetId, value: Atoms, signed: SignedAction, at: Instant): Promise<void>;
  /** A payment of the house's own whose bytes exist already; false where the treasury cannot cover it. */
  open(payment: Advanced, attempt: SignedTransfer): Promise<boolean>;
  /** An engine opens that payment as soon as the treasury can cover it, and a person is told where that lasts. */
  openLater(payment: IntentId): Promise<void>;
  keepNonce(chain: ChainId, account: string, next: number): Promise<void>;
}

export interface AdoptedBytes extends SignedTransfer {
  readonly payment: IntentId;
  readonly account: string;
  readonly nonce: number | undefined;
  readonly at: Instant;
  readonly pays: Transfer;
}

/** The venue's coin, in which the treasury's own moves are. */
export interface AdoptingParts {
  readonly books: AdoptingBooks;
  readonly venueCoin: AssetId;
}

/** What became of one line. */
export type Fate = 'attempt' | 'house_payment' | 'awaits_stock' | 'move' | 'by_client_id' | 'left_to_a_person';

/** What the house pays under a kind that says so. */
const HOUSE_PURPOSE: Partial<Record<IntentKind, 'cold_sweep' | 'stock_fill'>> = {
  ...{ cold: 'cold_sweep', fill: 'stock_fill' },
};

type TransferEntry = Extract<Entry, { signed: 'transfer' }>;

/**
 * What was signed may take effect at any time, whatever this database knows of it. So it is made an attempt here, with its
 * nonce and all that it spends: it is followed to its end, and nothing is signed in its place. `firstSeq` is the first line of
 * the same intent: what was outbid, or was dead and signed anew, is one payment with several attempts.
 */
export async function adopt(parts: AdoptingParts, matched: Matched, firstSeq = matched.line.seq): Promise<Fate> {
  const { books, venueCoin } = parts;
  const { line, standing } = matched;
  const { entry, at } = line;
  await keepNonces(books, entry, chainOf(venueCoin));
  // A ticket is found again by its client id when its order comes to it.
  if (entry.signed === 'trade') return standing === 'forgotten' ? 'left_to_a_person' : 'by_client_id';
  if (entry.signed === 'move') {
    if (entry.request.owner !== 'treasury') return 'left_to_a_person';
    await books.adoptMove(entry.request.move.move, venueCoin, entry.request.move.atoms, entry.answer, at);
    return 'move';
  }
  if (isSplit(entry)) return openHouse(books, entry, at, { for: 'output_split', number: numberIn(entry) });
  if (standing === 'forgotten') {
    // What leaves a deposit address touches nobody else's money; where it went, the chain shows.
    if (entry.request.from !== 'hot') return 'left_to_a_person';
    // It moves no money; whoever has staked can take it back himself.
    if (loanOf(entry.request.kind)) return 'left_to_a_person';
    return openHouse(books, entry, at, { for: 'forgotten', number: firstSeq });
  }
  if (entry.request.owner === 'treasury' && standing === 'ahead')
    return openHouse(books, entry, at, {
      for: HOUSE_PURPOSE[entry.request.kind] ?? 'rebalance',
      number: numberIn(entry),
    });
  await books.adopt(adoptedBytes(entry, at));
  return 'attempt';
}

function adoptedBytes({ request, answer }: TransferEntry, at: Instant): AdoptedBytes {
  const { intent, from, asset, atoms, to, nonce, delegated } = request;
  const loan = loanOf(request.kind);
  const pays: Transfer = { from, asset, atoms, to, ...(delegated ? { delegated } : {}), ...(loan ? { loan } : {}) };
  return { ...answer, payment: paymentOf(intent), account: accountInBooks(senderOf(request)), nonce, at, pays };
}

async function openHouse(
  books: AdoptingBooks,
  { request, answer }: TransferEntry,
  at: Instant,
  purpose: PurposeOf<'output_split' | 'rebalance' | 'cold_sweep' | 'stock_fill' | 'forgotten'>,
): Promise<Fate> {
  const { asset, atoms, to, nonce } = request;
  // A split leaves nothing but its cost.
  const payment = housePayment(purpose, purpose.for === 'output_split' ? zero(asset) : amount(asset, atoms), to);
  const attempt = { ...answer, intent: payment.id };
  const isOpen = await books.open(opened(payment), attempt);
  // Before its bytes are taken up: after a crash in between, whoever knows them would not come back to this.
  if (!isOpen) await books.openLater(payment.id);
  const pays: Transfer = { from: 'hot', asset, atoms: payment.amount.atoms, to };
  await books.adopt({ ...attempt, payment: payment.id, account: 'hot', nonce, at, pays });
  return isOpen ? 'house_payment' : 'awaits_stock';
}

export const housePayment = (purpose: Purpose, value: Amount, to: Address): Payment =>
  newPayment({ owner: 'treasury', purpose, from: 'hot', to, source: 'treasury', amount: value });

async function keepNonces(books: AdoptingBooks, entry: Entry, venue: ChainId): Promise<void> {
  if (entry.signed !== 'transfer') return books.keepNonce(venue, 'hot', entry.answer.nonce + 1);
  const { nonce, chainId, from, delegated } = entry.request;
  if (nonce !== undefined) await books.keepNonce(chainId, accountInBooks(senderOf(entry.request)), nonce + 1);
  if (delegated?.authorize !== undefined) await books.keepNonce(chainId, accountInBooks(from), delegated.authorize + 1);
}

const numberIn = ({ request }: TransferEntry): number => intentParts(request.intent).number;
