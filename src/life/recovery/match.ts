import type { ChainId, IntentId, OrderId, TxHash } from '../../kernel/ids.ts';
import type { Entry, JournalLine } from '../../signer/request.ts';
import { paymentOf } from '../payment/payment.ts';

/** What this database knows of what the signer signed. */
export interface KnownBooks {
  /** Of these transactions, those that are attempts here; spelt `<chain>:<hash>`. */
  attempts(of: readonly { readonly chainId: ChainId; readonly txHash: TxHash }[]): Promise<ReadonlySet<string>>;
  payments(ids: readonly IntentId[]): Promise<ReadonlySet<string>>;
  orders(ids: readonly OrderId[]): Promise<ReadonlySet<string>>;
  tickets(clientIds: readonly string[]): Promise<ReadonlySet<string>>;
  moves(nonces: readonly number[]): Promise<ReadonlySet<string>>;
}

/**
 * known: it is in the books. unsaved: what it is for is planned here, and only its bytes are missing, as after a crash
 * between signing and saving. ahead: its order is here, but has not come to it yet. forgotten: even its order is unknown.
 * The last two happen to a database from the past, and to no other.
 */
export type Standing = 'known' | 'unsaved' | 'ahead' | 'forgotten';

export interface Matched {
  readonly line: JournalLine;
  readonly standing: Standing;
}

/** A payment is planned before anything of it is signed, a ticket saved before it is; splits and moves are saved after it. */
export async function match(books: KnownBooks, lines: readonly JournalLine[]): Promise<readonly Matched[]> {
  const transfers = lines.flatMap(({ entry }) => (entry.signed === 'transfer' ? [entry] : []));
  const trades = lines.flatMap(({ entry }) => (entry.signed === 'trade' ? [entry] : []));
  const moves = lines.flatMap(({ entry }) => (entry.signed === 'move' ? [entry] : []));
  const [attempts, payments, tickets, saved, orders] = await Promise.all([
    books.attempts(transfers.map(({ answer }) => answer)),
    books.payments(transfers.map(({ request }) => paymentOf(request.intent))),
    books.tickets(trades.map(({ request }) => request.ticket.clientId)),
    books.moves(moves.map(({ answer }) => answer.nonce)),
    books.orders(lines.flatMap(({ entry }) => ownerOf(entry) ?? [])),
  ]);
  const standingOf = (entry: Entry): Standing => {
    const owner = ownerOf(entry);
    const behind: Standing = owner === undefined || orders.has(owner) ? 'ahead' : 'forgotten';
    if (entry.signed === 'trade') return tickets.has(entry.request.ticket.clientId) ? 'known' : behind;
    if (entry.signed === 'move') return saved.has(`${entry.answer.nonce}`) ? 'known' : owner ? behind : 'unsaved';
    const { chainId, txHash } = entry.answer;
    if (attempts.has(`${chainId}:${txHash}`)) return 'known';
    return payments.has(paymentOf(entry.request.intent)) || isSplit(entry) ? 'unsaved' : behind;
  };
  return lines.map((line) => ({ line, standing: standingOf(line.entry) }));
}

export const isBehind = ({ standing }: Matched): boolean => standing === 'ahead' || standing === 'forgotten';

/** undefined: the house's own. */
export function ownerOf({ request: { owner } }: Entry): OrderId | undefined {
  return owner === 'treasury' ? undefined : owner;
}

type TransferEntry = Extract<Entry, { signed: 'transfer' }>;

/** Outputs of our own are split by the signer's wallet, and the payment is opened when there was something to split. */
export const isSplit = ({ request }: TransferEntry): boolean =>
  request.owner === 'treasury' && request.kind === 'sweep';

/** What a line is called in reports and cases. */
export const nameOf = (entry: Entry): string =>
  entry.signed === 'trade' ? `trade ${entry.request.ticket.clientId}` : entry.request.intent;
