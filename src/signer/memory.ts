import { type Account, accountText } from '../kernel/account.ts';
import type { Instant } from '../kernel/clock.ts';
import { type Address, type AssetId, type ChainId, chainOf, type IntentId, type TxHash } from '../kernel/ids.ts';
import type { Place, Witness } from './journal.ts';
import {
  type Entry,
  type IntentKind,
  loanOf,
  type MoveRequest,
  senderOf,
  type TradeRequest,
  type TransferRequest,
} from './request.ts';

/** Rolling window of every limit. */
export const DAY_MS = 24 * 60 * 60 * 1000;

/** What was signed for one intent; `latest` is the artefact with the highest fee and the place of its bytes. */
export interface Held<Request> {
  readonly first: Request;
  readonly latest: Request;
  readonly place: Place;
}

export interface HeldTransfer extends Held<TransferRequest> {
  /** Of the latest bytes, what they consume, what they may cost, and when they were signed by our own clock. */
  readonly txHash: TxHash;
  readonly consumes: readonly string[];
  readonly cost: bigint;
  readonly at: Instant;
  /** So many times others were signed because somebody called the bytes before dead. */
  readonly burials: number;
}

/** What policy may ask of the past. */
export interface Past {
  transfer(intent: IntentId): HeldTransfer | undefined;
  /** Where the transfer that became this transaction was written down. */
  signed(chain: ChainId, txHash: TxHash): Place | undefined;
  trade(clientId: string): Held<TradeRequest> | undefined;
  move(intent: IntentId): Held<MoveRequest> | undefined;
  /** Whether anything was ever signed that pays this address any of that asset. */
  hasPaid(asset: AssetId, to: Address): boolean;
  /** Who holds a thing that can be used once: a nonce of an account, an output. */
  holder(claim: string): string | undefined;
  /** Atoms that were ever signed away for somebody as this kind, by all intents but one: each counts once, however often it was signed. */
  paid(owner: TransferRequest['owner'], kind: IntentKind, asset: AssetId, except: IntentId): bigint;
  /** Atoms counted on a meter within the window before `now`. */
  spent(meter: string, now: Instant): bigint;
}

export interface Memory extends Past {
  readonly witness: Witness;
}

export interface Metered {
  readonly meter: string;
  readonly atoms: bigint;
}

/** How much of which limits a signature uses up, beside what its intent had before. */
export type Metering = (entry: Entry, before: HeldTransfer | undefined) => readonly Metered[];

export const nonceClaim = (chain: ChainId, from: Account, nonce: number): string =>
  `nonce:${chain}:${accountText(from)}:${nonce}`;

/** The nonces that a transfer uses: of whoever sends it, and of an account that is bound by it. */
export function nonceClaims(request: TransferRequest): readonly string[] {
  const { asset, from, nonce, delegated } = request;
  const claim = (account: Account, used: number | undefined) =>
    used === undefined ? [] : [nonceClaim(chainOf(asset), account, used)];
  return [...claim(senderOf(request), nonce), ...claim(from, delegated?.authorize)];
}

/** The journal's index: rebuilt at start, kept up to date by each new line. */
export function openMemory(venue: ChainId, metering: Metering): Memory {
  const transfers = new Map<IntentId, HeldTransfer>();
  const trades = new Map<string, Held<TradeRequest>>();
  const moves = new Map<IntentId, Held<MoveRequest>>();
  const holders = new Map<string, string>();
  const transactions = new Map<string, Place>();
  const meters = openMeters();
  const payments = openPayments();

  /** What proven-dead bytes were to spend may serve anybody again. */
  const setFree = ({ intent, afterDead }: TransferRequest): void => {
    const dead = transfers.get(intent);
    if (afterDead === undefined || dead?.txHash !== afterDead) return;
    for (const token of dead.consumes) if (holders.get(token) === intent) holders.delete(token);
  };

  const keep = (entry: Entry, at: Instant, place: Place): void => {
    if (entry.signed === 'transfer') setFree(entry.request);
    for (const claim of claims(entry, venue)) holders.set(claim, holderOf(entry));
    if (entry.signed === 'trade') trades.set(entry.request.ticket.clientId, asHeld(entry.request, place));
    else if (entry.signed === 'move') moves.set(entry.request.intent, asHeld(entry.request, place));
    else keepTransfer(entry, at, place);
  };

  const keepTransfer = ({ request, answer }: Extract<Entry, { signed: 'transfer' }>, at: Instant, place: Place) => {
    const { txHash, consumes, cost } = answer;
    const before = transfers.get(request.intent);
    const burials = (before?.burials ?? 0) + (before && request.afterDead === before.txHash ? 1 : 0);
    const first = before?.first ?? request;
    transactions.set(`${request.chainId}:${txHash}`, place);
    payments.keep(request);
    transfers.set(request.intent, { first, latest: request, place, txHash, consumes, cost, at, burials });
  };

  return {
    witness(entry, at, place) {
      const before = entry.signed === 'transfer' ? transfers.get(entry.request.intent) : undefined;
      for (const { meter, atoms } of metering(entry, before)) meters.count(meter, at, atoms);
      keep(entry, at, place);
    },
    transfer: (intent) => transfers.get(intent),
    signed: (chain, txHash) => transactions.get(`${chain}:${txHash}`),
    trade: (clientId) => trades.get(clientId),
    move: (intent) => moves.get(intent),
    holder: (claim) => holders.get(claim),
    paid: payments.paid,
    hasPaid: payments.hasPaid,
    spent: meters.spent,
  };
}

const asHeld = <Request>(request: Request, place: Place): Held<Request> => ({ first: request, latest: request, place });

export const holderOf = (entry: Entry): string =>
  entry.signed === 'trade' ? entry.request.ticket.clientId : entry.request.intent;

function claims(entry: Entry, venue: ChainId): readonly string[] {
  if (entry.signed === 'trade') return [nonceClaim(venue, 'hot', entry.request.ticket.nonce)];
  if (entry.signed === 'move') return [nonceClaim(venue, 'hot', entry.request.move.nonce)];
  return [...nonceClaims(entry.request), ...entry.answer.consumes];
}

function openMeters() {
  const meters = new Map<string, { readonly at: Instant; readonly atoms: bigint }[]>();
  return {
    count(meter: string, at: Instant, atoms: bigint): void {
      const rows = meters.get(meter) ?? [];
      while (rows[0] && rows[0].at <= at - DAY_MS) rows.shift();
      rows.push({ at, atoms });
      meters.set(meter, rows);
    },
    spent(meter: string, now: Instant): bigint {
      let sum = 0n;
      for (const row of meters.get(meter) ?? []) if (row.at > now - DAY_MS) sum += row.atoms;
      return sum;
    },
  };
}

/** What each owner was paid of each thing, by intent. */
function openPayments() {
  const rows = new Map<string, Map<IntentId, bigint>>();
  const payees = new Set<string>();
  const payee = (asset: AssetId, to: Address) => `${asset} ${to}`;
  const name = (owner: string, kind: IntentKind, asset: AssetId) => `${owner} ${kind} ${asset}`;
  return {
    /** What was signed first is the most that an intent can pay: a later signature never raises it. */
    keep({ owner, kind, asset, intent, atoms, to }: TransferRequest): void {
      // A loan pays nobody.
      if (!loanOf(kind)) payees.add(payee(asset, to));
      const row = rows.get(name(owner, kind, asset)) ?? new Map<IntentId, bigint>();
      if (!row.has(intent)) row.set(intent, atoms);
      rows.set(name(owner, kind, asset), row);
    },
    hasPaid: (asset: AssetId, to: Address): boolean => payees.has(payee(asset, to)),
    paid(...[owner, kind, asset, except]: Parameters<Past['paid']>): bigint {
      let sum = 0n;
      for (const [intent, atoms] of rows.get(name(owner, kind, asset)) ?? []) if (intent !== except) sum += atoms;
      return sum;
    },
  };
}
