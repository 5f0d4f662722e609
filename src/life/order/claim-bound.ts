import type { Destination } from './order.ts';

/** Where the money of a claim may go, by who sent it. */
export type ClaimBound =
  | { readonly goes: 'anywhere' }
  /** It goes back to the account that sent it, which is no dealing with that account. */
  | { readonly goes: 'back' }
  /** A listed account sent it, and nobody else may have it. */
  | { readonly goes: 'to_sender'; readonly sender: Destination; readonly reason: string }
  /** A listed account sent a part of it. */
  | { readonly goes: 'nowhere'; readonly reason: string };
