/** Why a caller cannot have something. A value, returned; it meets HTTP in one table (`api/refusals.ts`). */
export type RefusalKind =
  | 'invalid_request'
  | 'invalid_amount'
  | 'exactly_one_amount'
  | 'invalid_address'
  | 'address_refused'
  | 'unsupported_chain'
  | 'unsupported_token'
  | 'unsupported_pair'
  | 'amount_below_minimum'
  | 'amount_above_maximum'
  | 'fee_too_high'
  | 'invalid_cursor'
  | 'invalid_end_user_ip'
  | 'unsupported_funding_provider'
  | 'key_in_query'
  | 'invalid_key'
  | 'missing_key'
  | 'not_signed_in'
  | 'sign_in_refused'
  | 'forbidden'
  | 'end_user_ip_not_allowed'
  | 'server_key_required'
  | 'not_found'
  | 'proof_missing'
  | 'not_yours'
  | 'deposit_wait_not_open'
  | 'action_not_available'
  | 'address_already_set'
  | 'last_owner'
  | 'refund_address_required'
  | 'refund_address_already_submitted'
  | 'not_awaiting_refund_address'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'method_not_allowed'
  | 'upgrade_required'
  | 'idempotency_mismatch'
  | 'rate_limited'
  | 'unavailable';

/**
 * What is missing for the moment where something is `unavailable`, so that programs and pages can say it in words of their own.
 * `answer`: a part of the desk or of the world does not answer.
 */
export const MISSING = ['switched_off', 'deposit_address', 'prices', 'offers', 'stock', 'answer'] as const;
export type Missing = (typeof MISSING)[number];

export interface Refusal {
  readonly refusal: RefusalKind;
  /** A sentence for a person; never echoes a secret or unbounded input. */
  readonly message: string;
  readonly details?: Readonly<Record<string, string | number>>;
  /** The fields of the request that are wrong, where it is known which. */
  readonly fields?: readonly FieldRefusal[];
}

export interface FieldRefusal {
  /** Its path in the body or the query, or the name of the header. */
  readonly field: string;
  readonly refusal: RefusalKind;
  readonly message: string;
}

export function refuse(
  refusal: RefusalKind,
  message: string,
  details?: Readonly<Record<string, string | number>>,
): Refusal {
  return details ? { refusal, message, details } : { refusal, message };
}

/** Nothing is wrong with what was asked: it may be had later. */
export const unavailable = (missing: Missing, message: string): Refusal => refuse('unavailable', message, { missing });

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'refusal' in value && 'message' in value;
}
