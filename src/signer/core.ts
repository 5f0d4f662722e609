import { type Account, accountText } from '../kernel/account.ts';
import { atoms } from '../kernel/amount.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { ChainId, IntentId } from '../kernel/ids.ts';
import { openLanes } from '../kernel/lanes.ts';
import type { SignedFor, SignedTransfer } from '../world/chains/chain.ts';
import type { SignedAction } from '../world/venues/venue.ts';
import type { Journal } from './journal.ts';
import type { Past } from './memory.ts';
import { onEngine } from './order-policy.ts';
import { isDelegatedAlike, isOver, judgeTransfer, lastLook } from './policy.ts';
import type { TransferRail, VenueRail } from './rail.ts';
import {
  AT_JOURNAL,
  type Entry,
  type JournalPage,
  type JournalRequest,
  loanOf,
  type MoveRequest,
  type SignedBefore,
  type SignedForRequest,
  type SignedTrade,
  type SignedTradeRequest,
  type SignedTransferRequest,
  senderOf,
  type TradeRequest,
  type TransferRequest,
} from './request.ts';
import { judgeMove, judgeTrade, offOwnTrades, withdrawalLimits } from './venue-policy.ts';
import { type Ground, type House, type Refusal, refuse, type Verdict } from './verdict.ts';

export type Answer<T> = T | Refusal;

/** Everything that is ever signed passes here: judge, build and sign, read back, write down, answer. */
export interface Core {
  transfer(request: TransferRequest): Promise<Answer<SignedTransfer>>;
  /** A transfer to ourselves that makes outputs; undefined while there are enough. */
  split(request: TransferRequest): Promise<Answer<SignedTransfer> | undefined>;
  trade(request: TradeRequest): Promise<Answer<SignedAction>>;
  move(request: MoveRequest): Promise<Answer<SignedAction>>;
  /** What a transaction was signed for, as the journal says; undefined if it never was. */
  signedFor(transaction: SignedForRequest): SignedFor | undefined;
  signedTrade(trade: SignedTradeRequest): SignedTrade | undefined;
  /** The newest bytes of an intent, once whoever asked for them before has his answer. */
  signedTransfer(transfer: SignedTransferRequest): Promise<SignedBefore | undefined>;
  /** The journal itself, for those who must know whether they have forgotten something. */
  since(known: JournalRequest): JournalPage;
}

export interface CoreParts {
  readonly house: House;
  readonly rails: readonly TransferRail[];
  readonly venue: VenueRail;
  readonly journal: Journal;
  readonly past: Past;
  readonly clock: Clock;
}

export function openCore(parts: CoreParts): Core {
  const { house, venue, journal, past, clock } = parts;
  const rails = new Map(parts.rails.flatMap((rail) => rail.chains.map((chain) => [chain, rail] as const)));
  const inLane = openLanes();
  /** Trades, moves and payments of the account that trades share its nonces. */
  const venueLane = laneOf(venue.chainId, 'hot');
  const ground = (): Ground => ({ house, past, now: clock.now() });
  const keep = (entry: Entry) => journal.append(entry, clock.now());

  function transferWork(request: TransferRequest, rail: TransferRail): Omit<Work<SignedTransfer>, 'sign'> {
    return {
      judge: () => judgeTransfer(request, rail, ground()),
      inspect: (signed) => inspectTransfer(signed, request, rail, ground()),
      lastLook: ({ cost }) => lastLook(request, cost, ground()),
      // What serves bytes that were handed out, be it of this very intent, stays set aside for them.
      discard: ({ consumes }) => rail.giveBack(consumes.filter((token) => past.holder(token) === undefined)),
      keep(answer) {
        const engines = onEngine(request, ground());
        keep({ signed: 'transfer', request, answer, ...(engines > 0n ? { onEngine: atoms(engines) } : {}) });
      },
    };
  }

  async function inspectTrade(body: string, request: TradeRequest): Promise<Refusal | undefined> {
    if (!venue.tradeSays(body, request)) return misread(request.ticket.clientId);
    const { perHour } = house.limits.trades.price;
    return perHour && offOwnTrades(request, await venue.ownTrades(), perHour, clock.now());
  }

  return {
    async transfer(request) {
      const rail = rails.get(request.chainId);
      if (!rail) return refuse('unknown_chain', String(request.chainId));
      const sign = async () => withOpening(await rail.sign(request), request, rail, past);
      const work = { ...transferWork(request, rail), sign };
      return inLane([request.intent, ...accountLanes(request)], () => perform(work, journal));
    },
    async split(request) {
      const rail = rails.get(request.chainId);
      const split = rail?.split;
      if (!rail || !split) return refuse('unknown_chain', String(request.chainId));
      const work = { ...transferWork(request, rail), sign: () => split(request) };
      return inLane([request.intent, ...accountLanes(request)], () => perform(work, journal));
    },
    trade(request) {
      const work: Work<SignedAction> = {
        judge: () => judgeTrade(request, venue, ground()),
        sign: async () => venue.signTrade(request),
        inspect: ({ body }) => inspectTrade(body, request),
        // Nobody else uses the limits of trades, and the venue's lane is ours.
        lastLook: () => undefined,
        discard: nothingToDiscard,
        keep: (answer) => keep({ signed: 'trade', request, answer }),
      };
      return inLane([request.ticket.clientId, venueLane], () => perform(work, journal));
    },
    move(request) {
      const work: Work<SignedAction> = {
        judge: () => judgeMove(request, venue, ground()),
        sign: async () => venue.signMove(request),
        inspect: async ({ body }) => (venue.moveSays(body, request) ? undefined : misread(request.intent)),
        // Deposit accounts use the same limit beside it.
        lastLook: () => withdrawalLimits(request, venue, ground()),
        discard: nothingToDiscard,
        keep: (answer) => keep({ signed: 'move', request, answer }),
      };
      return inLane([request.intent, venueLane], () => perform(work, journal));
    },
    signedFor({ chainId, txHash }) {
      const place = past.signed(chainId, txHash);
      const entry = place && journal.read(place).entry;
      if (entry?.signed !== 'transfer') return undefined;
      const { from, asset, atoms, to, delegated, kind } = entry.request;
      // A loan pays nobody.
      if (loanOf(kind)) return undefined;
      return { from, asset, atoms, to, ...(delegated ? { delegated } : {}), cost: entry.answer.cost };
    },
    signedTrade({ clientId }) {
      const held = past.trade(clientId);
      const line = held && journal.read(held.place);
      return line?.entry.signed === 'trade'
        ? { request: line.entry.request, answer: line.entry.answer, at: line.at }
        : undefined;
    },
    signedTransfer: ({ intent }) =>
      inLane([intent], async () => {
        const held = past.transfer(intent);
        const entry = held && journal.read(held.place).entry;
        if (!held || entry?.signed !== 'transfer') return undefined;
        return { bytes: entry.answer, isOver: isOver(held, rails.get(entry.request.chainId), clock.now()) };
      }),
    since: journal.since,
  };
}

type Artefact = Entry['answer'];

interface Work<T extends Artefact | undefined> {
  judge(): Verdict;
  /** undefined: there is nothing to be done. */
  sign(): Promise<T>;
  inspect(signed: NonNullable<T>): Promise<Refusal | undefined>;
  /** Nothing comes between this and `keep`. */
  lastLook(signed: NonNullable<T>): Refusal | undefined;
  discard(signed: NonNullable<T>): Promise<void>;
  keep(signed: NonNullable<T>): void;
}

/** An account's lane covers every nonce and output that its signatures use, so a verdict on them holds until it is kept. */
async function perform<T extends Artefact | undefined>(work: Work<T>, journal: Journal): Promise<Answer<T>> {
  const verdict = work.judge();
  if (verdict !== 'sign') {
    // The place comes from the index of this very kind of request, so what lies there is an answer of its type.
    return 'repeat' in verdict ? (journal.read(verdict.repeat).entry.answer as T) : verdict;
  }
  const unwritable = journal.unwritable();
  if (unwritable !== undefined) throw new Fault('transient', AT_JOURNAL, unwritable);
  const signed = await work.sign();
  if (signed === undefined) return signed;
  let isKept = false;
  try {
    const refusal = (await work.inspect(signed)) ?? work.lastLook(signed);
    if (refusal) return refusal;
    work.keep(signed);
    isKept = true;
    return signed;
  } finally {
    // Also where nobody could tell what the bytes say: what is not written down never leaves.
    if (!isKept) await work.discard(signed);
  }
}

const nothingToDiscard = async (): Promise<void> => {};

const laneOf = (chainId: ChainId, account: Account): string => `${chainId}:${accountText(account)}`;

/** Of every account of which it uses a nonce. */
const accountLanes = (request: TransferRequest): readonly string[] => [
  ...new Set([laneOf(request.chainId, senderOf(request)), laneOf(request.chainId, request.from)]),
];

/** Where an address may have to be opened it counts as closed until we have signed something that pays it: at most once. */
function withOpening(signed: SignedTransfer, request: TransferRequest, rail: TransferRail, past: Past): SignedTransfer {
  const { kind, asset, to } = request;
  const { cost, by } = rail.opening ?? { cost: signed.cost, by: [] };
  const mayOpen = by.includes(asset) && !loanOf(kind) && to !== rail.addressOf('hot');
  if (!mayOpen || signed.cost >= cost || by.some((one) => past.hasPaid(one, to))) return signed;
  return { ...signed, cost };
}

const misread = (what: string): Refusal => refuse('signed_otherwise', `${what}: the bytes do not say what was asked`);

/** A last look at the bytes themselves: the codec that wrote them is not believed. */
async function inspectTransfer(
  signed: SignedTransfer,
  request: TransferRequest,
  rail: TransferRail,
  ground: Ground,
): Promise<Refusal | undefined> {
  const { intent, chainId, from, asset, atoms, to, nonce, delegated } = request;
  const told = await rail.tell(signed, request);
  if ('refused' in told) return told;
  const isAsked =
    signed.intent === intent &&
    signed.chainId === chainId &&
    told.chainId === chainId &&
    told.from === rail.addressOf(from) &&
    told.asset === asset &&
    told.atoms === atoms &&
    told.to === to &&
    told.nonce === nonce &&
    told.loan === loanOf(request.kind) &&
    isDelegatedAlike(told.delegated, delegated);
  if (!isAsked) return misread(intent);
  for (const token of signed.consumes) {
    const other = servedBy(token, intent, rail, ground);
    // The wallet chose outputs that an unsent payment already spends; they will be free or gone once that one is mined.
    if (other !== undefined) throw new Fault('transient', `chain:${chainId}`, `${token} serves ${other}`);
  }
  return undefined;
}

/**
 * Another intent whose bytes may still spend this. What has expired serves nobody: its payment may have been given up, and then nothing is
 * ever signed in its place that would set free what it was to spend.
 */
function servedBy(token: string, intent: IntentId, rail: TransferRail, { past, now }: Ground): string | undefined {
  const holder = past.holder(token);
  if (holder === undefined || holder === intent) return undefined;
  const held = past.transfer(holder as IntentId);
  return held && isOver(held, rail, now) ? undefined : holder;
}
