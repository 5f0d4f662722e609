import { ReplyTooLarge } from '../../../kernel/fault.ts';
import { RpcError } from '../../outbound/json-rpc.ts';

/** Nobody numbers it alike: -32005 means both that an answer would be too long and that too many were asked for. So it goes by words. */
const ABOUT = /\b(?:results?|logs?|responses?|ranges?|query|address)\b/i;
const EXCESS = /more than|exceed|too (?:many|much|large|big|wide|long)|limit|max|specify/i;
/** Then it is our calls that are too many, which passes. */
const RATE = /\brate\b|per (?:second|minute|hour|day|month)|compute units|quota|throttl|too many requests/i;

/**
 * Whether a node says that a block's logs are more than it gives in one answer, or that it gives none without the tokens' names: asking the
 * same again would bring the same. Everything else is trouble that passes.
 */
export function isTooMuchAsked(error: unknown): boolean {
  if (error instanceof ReplyTooLarge) return true;
  const { cause } = error as { readonly cause?: unknown };
  if (!(cause instanceof RpcError)) return false;
  const { message } = cause;
  return ABOUT.test(message) && EXCESS.test(message) && !RATE.test(message);
}
