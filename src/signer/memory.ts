import type { Instant } from '../kernel/clock.ts';
import { type AssetId, type ChainId, chainOf, type IntentId, type TxHash } from '../kernel/ids.ts';
import type { Account } from '../world/chains/chain.ts';
import type { Place, Witness } from './journal.ts';
import type { Entry, MoveRequest, TradeRequest, TransferRequest } from './request.ts';

/** Rolling window of every limit. */
export const DAY_MS = 24 * 60 * 60 * 1000;

/** What was signed for one intent; `latest` is the artefact with the highest fee and the place of its bytes. */
export interface Held<Request> {
  readonly first: Request;
  readonly latest: Request;
  readonly place: Place;
}

export interface HeldTransfer extends Held<TransferRequest> {
  /** Of the latest bytes, and what they consume. */
  readonly txHash: TxHash;
  readonly consumes: readonly string[];
}

/** What policy may ask of the past. */
export interface Past {
  transfer(intent: IntentId): HeldTransfer | undefined;
  /** Where the transfer that became this transaction was written down. */
  signed(chain: ChainId, txHash: TxHash): Place | undefined;
  trade(clientId: string): Held<TradeRequest> | undefined;
  move(intent: IntentId): Held<MoveRequest> | undefined;
  /** Who holds a thing that can be used once: a nonce of an account, an output. */
  holder(claim: string): string | undefined;
  /** Atoms counted on a meter within the window before `now`. */
  spent(meter: string, now: Instant): bigint;
}

export interface Memory extends Past {
  readonly witness: Witness;
}

/** How much of which limit a signature uses up; undefined for money that stays ours. */
export type Metering = (entry: Entry) => { readonly meter: string; readonly atoms: bigint } | undefined;

export const nonceClaim = (chain: ChainId, from: Account, nonce: number): string =>
  `nonce:${chain}:${from === 'hot' ? 'hot' : from.deposit}:${nonce}`;

export const assetMeter = (asset: AssetId): string => `asset:${asset}`;

/** The journal's index: rebuilt at start, kept up to date by each new line. */
export function openMemory(venue: ChainId, metering: Metering): Memory {
  const transfers = new Map<IntentId, HeldTransfer>();
  const trades = new Map<string, Held<TradeRequest>>();
  const moves = new Map<IntentId, Held<MoveRequest>>();
  const holders = new Map<string, string>();
  const transactions = new Map<string, Place>();
  const meters = openMeters();

  /** What proven-dead bytes were to spend may serve anybody again. */
  const setFree = ({ intent, afterDead }: TransferRequest): void => {
    const dead = transfers.get(intent);
    if (afterDead === undefined || dead?.txHash !== afterDead) return;
    for (const token of dead.consumes) if (holders.get(token) === intent) holders.delete(token);
  };

  const keep = (entry: Entry, place: Place): boolean => {
    if (entry.signed === 'transfer') setFree(entry.request);
    for (const claim of claims(entry, venue)) holders.set(claim, holderOf(entry));
    if (entry.signed === 'trade') return hold(trades, entry.request.ticket.clientId, asHeld(entry.request, place));
    if (entry.signed === 'move') return hold(moves, entry.request.intent, asHeld(entry.request, place));
    const { request, answer } = entry;
    const { txHash, consumes } = answer;
    transactions.set(`${request.chainId}:${txHash}`, place);
    return hold(transfers, request.intent, { ...asHeld(request, place), txHash, consumes });
  };

  return {
    witness(entry, at, place) {
      const isFirst = keep(entry, place);
      const used = isFirst ? metering(entry) : undefined;
      if (used) meters.count(used.meter, at, used.atoms);
    },
    transfer: (intent) => transfers.get(intent),
    signed: (chain, txHash) => transactions.get(`${chain}:${txHash}`),
    trade: (clientId) => trades.get(clientId),
    move: (intent) => moves.get(intent),
    holder: (claim) => holders.get(claim),
    spent: meters.spent,
  };
}

const asHeld = <Request>(request: Request, place: Place): Held<Request> => ({ first: request, latest: request, place });

/** A replacement pays the same thing at most once, so only the first artefact of an intent is counted. */
function hold<Key, H extends Held<unknown>>(held: Map<Key, H>, key: Key, now: H): boolean {
  const before = held.get(key);
  held.set(key, before ? { ...now, first: before.first } : now);
  return before === undefined;
}

export const holderOf = (entry: Entry): string =>
  entry.signed === 'trade' ? entry.request.ticket.clientId : entry.request.intent;

function claims(entry: Entry, venue: ChainId): readonly string[] {
  if (entry.signed === 'trade') return [nonceClaim(venue, 'hot', entry.request.ticket.nonce)];
  if (entry.signed === 'move') return [nonceClaim(venue, 'hot', entry.request.move.nonce)];
  const { asset, from, nonce } = entry.request;
  return nonce === undefined
    ? entry.answer.consumes
    : [nonceClaim(chainOf(asset), from, nonce), ...entry.answer.consumes];
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
