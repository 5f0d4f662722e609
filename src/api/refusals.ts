import type { FastifyReply } from 'fastify';
import type { Refusal, RefusalKind } from '../kernel/refusal.ts';
import type { Generation } from '../life/order/order.ts';

/**
 * A sentence here replaces the refusal's own. v2 says one thing for what is missing and for what is somebody else's.
 */
interface Answer {
  readonly v1: readonly [status: number, sentence?: string];
  readonly v2: readonly [status: number, code: string, sentence?: string];
}

const HIDDEN = [404, 'not_found', 'Not found.'] as const;

const ANSWERS = {
  invalid_request: { v1: [400], v2: [400, 'invalid_request'] },
  invalid_amount: { v1: [400], v2: [400, 'invalid_amount'] },
  exactly_one_amount: { v1: [400], v2: [400, 'exactly_one_amount'] },
  invalid_address: { v1: [400], v2: [400, 'invalid_address'] },
  address_refused: { v1: [400], v2: [400, 'address_refused'] },
  unsupported_chain: { v1: [400], v2: [400, 'unsupported_chain'] },
  unsupported_token: { v1: [400], v2: [400, 'unsupported_token'] },
  unsupported_pair: { v1: [400], v2: [400, 'unsupported_pair'] },
  amount_below_minimum: { v1: [400], v2: [400, 'amount_below_minimum'] },
  amount_above_maximum: { v1: [400], v2: [400, 'amount_above_maximum'] },
  fee_too_high: { v1: [400], v2: [400, 'fee_too_high'] },
  invalid_cursor: { v1: [400], v2: [400, 'invalid_cursor'] },
  invalid_end_user_ip: { v1: [400], v2: [400, 'invalid_end_user_ip'] },
  unsupported_funding_provider: { v1: [400], v2: [400, 'unsupported_funding_provider'] },
  key_in_query: { v1: [401], v2: [401, 'key_in_query'] },
  invalid_key: { v1: [401, 'Missing or invalid API key'], v2: [401, 'invalid_key'] },
  missing_key: { v1: [401, 'Missing or invalid API key'], v2: [401, 'invalid_key'] },
  not_signed_in: { v1: [401], v2: [401, 'not_signed_in'] },
  sign_in_refused: { v1: [401], v2: [401, 'sign_in_refused'] },
  forbidden: { v1: [403], v2: [403, 'forbidden'] },
  end_user_ip_not_allowed: { v1: [403], v2: [403, 'end_user_ip_not_allowed'] },
  server_key_required: { v1: [403], v2: [403, 'server_key_required'] },
  not_found: { v1: [404], v2: HIDDEN },
  proof_missing: { v1: [400], v2: HIDDEN },
  not_yours: { v1: [403, 'Unauthorized'], v2: HIDDEN },
  deposit_wait_not_open: { v1: [400], v2: [409, 'deposit_wait_not_open'] },
  action_not_available: { v1: [400, 'Order is not awaiting refund address'], v2: [409, 'action_not_available'] },
  address_already_set: { v1: [400, 'Refund address already submitted'], v2: [409, 'address_already_set'] },
  last_owner: { v1: [400], v2: [409, 'last_owner'] },
  refund_address_required: { v1: [400, 'Refund address required'], v2: [400, 'invalid_request'] },
  refund_address_already_submitted: {
    v1: [400, 'Refund address already submitted'],
    v2: [409, 'address_already_set'],
  },
  not_awaiting_refund_address: {
    v1: [400, 'Order is not awaiting refund address'],
    v2: [409, 'action_not_available'],
  },
  payload_too_large: { v1: [413], v2: [413, 'payload_too_large'] },
  unsupported_media_type: { v1: [415], v2: [415, 'unsupported_media_type'] },
  method_not_allowed: { v1: [405], v2: [405, 'method_not_allowed'] },
  upgrade_required: { v1: [426], v2: [426, 'upgrade_required'] },
  idempotency_mismatch: { v1: [422], v2: [422, 'idempotency_mismatch'] },
  rate_limited: { v1: [429, 'Rate limit exceeded'], v2: [429, 'rate_limited'] },
  unavailable: { v1: [503], v2: [503, 'unavailable'] },
} as const satisfies Record<RefusalKind, Answer>;

export const REFUSAL_KINDS = Object.keys(ANSWERS) as readonly RefusalKind[];

/** v2 has the codes of the table, and one for our own failure. */
export const V2_CODES: readonly string[] = [
  ...new Set([...Object.values(ANSWERS).map(({ v2: [, code] }) => code), 'internal_error']),
];

export interface Spoken {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export function speak(refusal: Refusal, generation: Generation): Spoken {
  const answer: Answer = ANSWERS[refusal.refusal];
  const headers = headersOf(refusal);
  if (generation === 'v1') {
    const [status, sentence] = answer.v1;
    return { status, headers, body: { error: sentence ?? refusal.message } };
  }
  const [status, code, sentence] = answer.v2;
  const body = { error: sentence ?? refusal.message, code };
  return { status, headers, body: sentence === undefined ? { ...body, ...detailsOf(refusal) } : body };
}

/** v2 names every wrong field at once, each with the code that it would have alone. */
function detailsOf({ details, fields }: Refusal): { details?: Readonly<Record<string, unknown>> } {
  const errors = fields?.map(({ field, refusal, message }) => ({ field, code: ANSWERS[refusal].v2[1], message }));
  return details || errors ? { details: { ...details, ...(errors ? { errors } : {}) } } : {};
}

export function speakFailure(generation: Generation): Spoken {
  const error = 'Internal server error';
  const body = generation === 'v1' ? { error } : { error, code: 'internal_error' };
  return { status: 500, headers: {}, body };
}

/** What is away is mostly back by then; a switch takes longer, and costs one more question. */
const UNAVAILABLE_RETRY_S = '10';

function headersOf({ refusal, details }: Refusal): Record<string, string> {
  switch (refusal) {
    case 'rate_limited':
      return {
        'retry-after': String(details?.retryAfter ?? 1),
        'x-ratelimit-resource': String(details?.resource ?? 'requests'),
      };
    case 'unavailable':
      return { 'retry-after': UNAVAILABLE_RETRY_S };
    case 'method_not_allowed':
      return { allow: String(details?.allow ?? '') };
    case 'upgrade_required':
      return { connection: 'Upgrade', upgrade: 'websocket' };
    default:
      return {};
  }
}

export function sendSpoken(reply: FastifyReply, { status, headers, body }: Spoken): FastifyReply {
  return reply.code(status).headers(headers).send(body);
}

/** Partner calls answer as v2 does. What a path outside both generations answers has the older, plainer shape. */
export const generationOf = (url: string): Generation => (/^\/(?:v2|partner)(?:[/?]|$)/.test(url) ? 'v2' : 'v1');
