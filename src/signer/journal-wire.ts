import type { Instant } from '../kernel/clock.ts';
import type {
  Entry,
  JournalLine,
  JournalMark,
  JournalPage,
  JournalRequest,
  SignedBefore,
  SignedTrade,
  SignedTradeRequest,
  SignedTransferRequest,
} from './request.ts';
import { atomsText, bool, list, Malformed, oneOf, optional, record, type Shape, text, whole } from './shape.ts';
import {
  clientId,
  intent,
  moveRequest,
  signedAction,
  signedForRequest,
  signedTransfer,
  tradeRequest,
  transferRequest,
} from './wire.ts';

/** How lines of the journal are kept, and how they are told to the others. */

const SHAPES: { readonly [K in Entry['signed']]: Shape<Extract<Entry, { signed: K }>> } = {
  transfer: record<Extract<Entry, { signed: 'transfer' }>>({
    ...{ signed: oneOf('transfer'), request: transferRequest, answer: signedTransfer, onEngine: optional(atomsText) },
  }),
  trade: record({ signed: oneOf('trade'), request: tradeRequest, answer: signedAction }),
  move: record({ signed: oneOf('move'), request: moveRequest, answer: signedAction }),
};

const isSigned = (value: unknown): value is Entry['signed'] =>
  typeof value === 'string' && Object.hasOwn(SHAPES, value);

export const entryShape: Shape<Entry> = (value) => {
  const { signed } = (value ?? {}) as { readonly signed?: unknown };
  return isSigned(signed) ? SHAPES[signed](value) : new Malformed('signed');
};

const seq = whole();
const hash = text(/^[0-9a-f]{64}$/);
const at = whole<Instant>();
const mark: Shape<JournalMark> = record<JournalMark>({ seq, hash });

/** More than anybody has a reason to show. */
const MOST_SAVED = 100;

export const journalRequest: Shape<JournalRequest> = record<JournalRequest>({
  seq,
  hash,
  saved: optional(list(signedForRequest, MOST_SAVED)),
});

/** More lines than any page has. */
const MOST_LINES = 1_000;

export const journalPage: Shape<JournalPage> = record<JournalPage>({
  isKnown: bool,
  head: mark,
  lines: list(record<JournalLine>({ seq, hash, at, entry: entryShape }), MOST_LINES),
  unwritable: optional(text(/^.{1,500}$/s)),
});

export const signedTradeRequest: Shape<SignedTradeRequest> = record<SignedTradeRequest>({ clientId });

export const signedTransferRequest: Shape<SignedTransferRequest> = record<SignedTransferRequest>({ intent });

export const signedBefore: Shape<SignedBefore> = record<SignedBefore>({ bytes: signedTransfer, isOver: bool });

export const signedTrade: Shape<SignedTrade> = record<SignedTrade>({ request: tradeRequest, answer: signedAction, at });
