import { ReplyTooLarge } from '../../kernel/fault.ts';
import { LARGE_REPLY_BYTES, LARGE_REPLY_DEADLINE_MS } from '../../kernel/limits.ts';
import type { OutboundCall } from './http.ts';

/** How much a reply may be, and how long it may take; empty for what is usual. */
export type Room = Pick<OutboundCall, 'maxBytes' | 'deadlineMs'>;

const LARGE: Room = { maxBytes: LARGE_REPLY_BYTES, deadlineMs: LARGE_REPLY_DEADLINE_MS };

/** Nobody waits longer than the one before it takes: its deadline bounds it. */
let underWay: Promise<unknown> = Promise.resolve();

/** Asks as usual and, where the reply is too large for that, once more with room for it. `what` names it where it is larger still. */
export async function withRoom<Reply>(what: string, ask: (room: Room) => Promise<Reply>): Promise<Reply> {
  try {
    return await ask({});
  } catch (error) {
    if (!(error instanceof ReplyTooLarge)) throw error;
  }
  const mine = underWay.then(() => ask(LARGE));
  underWay = mine.catch(() => undefined);
  try {
    return await mine;
  } catch (error) {
    if (!(error instanceof ReplyTooLarge)) throw error;
    throw new ReplyTooLarge(error.kind, error.at, `${what} cannot be read: ${error.message}`, error);
  }
}
