import { STATUS_CODES } from 'node:http';
import { type RefusalKind, refuse } from '../kernel/refusal.ts';
import { REFUSALS, REPLIES } from './generated/examples.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import { speak, speakFailure } from './refusals.ts';

type Json = Readonly<Record<string, unknown>>;

/** The parts of an OpenAPI operation that are read here. */
interface Shown {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly security?: readonly Json[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Json>> }>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Shown>>>>;
  readonly components: { readonly schemas: Json };
}

const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

/** What the schemas of the endpoints cannot say: names, proofs, headers, refusals and examples. */
export function complete(document: Document): Json {
  const paths = mapped(document.paths, (methods, path) =>
    mapped(methods, (shown, method) => operation(shown, method, OPERATIONS[`${method.toUpperCase()} ${path}`])),
  );
  const text = JSON.stringify(paths);
  const examples = Object.entries({ ...REPLIES, ...REFUSALS }).filter(([name]) => text.includes(`/examples/${name}"`));
  return {
    ...document,
    tags: TAGS.map((name) => ({ name })),
    paths,
    components: {
      ...document.components,
      schemas: { ...document.components.schemas, OrderEvent: FRAME },
      parameters: { EndUserIp: END_USER_IP, IntegratorRef: INTEGRATOR_REF, IdempotencyKey: IDEMPOTENCY_KEY },
      headers: HEADERS,
      examples: Object.fromEntries(examples.map(([name, value]) => [name, { value }])),
    },
  };
}

const TAGS = [...new Set(Object.values(OPERATIONS).map(({ tag }) => tag))];

const apiKey = (place: 'header' | 'query', name: string, description: string) => ({
  type: 'apiKey' as const,
  in: place,
  name,
  description,
});

export const PROOFS = {
  session: apiKey('header', 'X-Session-ID', 'The owner’s credential, from the order’s creation. Never in an address.'),
  destination: apiKey('query', 'verify', 'The order’s destination address: reads this one order.'),
  integratorKey: apiKey('header', 'X-Integrator-Key', 'Attribution, fees and the quotas of an integration.'),
  apiKey: apiKey('header', 'X-API-Key', 'Another name for X-Integrator-Key.'),
};
const KEYS: readonly Json[] = [{ integratorKey: [] }, { apiKey: [] }];

const END_USER_IP = {
  name: 'X-End-User-IP',
  in: 'header',
  description: 'The end user that an approved server speaks for: one public IPv4 or IPv6 address.',
  schema: { type: 'string' },
};

const INTEGRATOR_REF = {
  name: 'X-Integrator-Ref',
  in: 'header',
  description:
    'The public id of an integration, for whoever has no key of it, such as a page that a link led to: attribution and fees as with a public key. A key goes before it.',
  schema: { type: 'string' },
};

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A fresh name, best a UUID, good within the integration or else within the caller’s network. The same key with the same body answers with the same order again, with another body it is a 422. Keep it as private as the session: whoever shares the integration or the network, and says the same, is told the same.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -+\\--~]+$' },
};

const HEADERS = {
  RequestId: { description: 'Names the request; quote it to support.', required: true, schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds.', required: true, schema: { type: 'integer' } },
  LimitedResource: { description: 'The limit that is used up.', required: true, schema: { type: 'string' } },
  Limit: {
    description: 'Requests of this kind a minute, by the limit that has least left; absent where nothing is limited.',
    schema: { type: 'integer' },
  },
  Remaining: { description: 'How many of them are left now.', schema: { type: 'integer' } },
  Reset: { description: 'Seconds until one more is free.', schema: { type: 'integer' } },
  ETag: { description: 'Names these bytes; send it back as If-None-Match.', schema: { type: 'string' } },
  Replayed: {
    description: '`true` where the order had been created before under the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
};
const EVERY_REPLY = { 'X-Request-Id': ref('headers', 'RequestId') };
const SUCCESS = {
  ...EVERY_REPLY,
  'X-RateLimit-Limit': ref('headers', 'Limit'),
  'X-RateLimit-Remaining': ref('headers', 'Remaining'),
  'X-RateLimit-Reset': ref('headers', 'Reset'),
};
const UNAVAILABLE_REPLY = { ...EVERY_REPLY, 'Retry-After': ref('headers', 'RetryAfter') };
const NAMED_REPLY = { ...SUCCESS, ETag: ref('headers', 'ETag') };
const LIMITED_REPLY = {
  ...UNAVAILABLE_REPLY,
  'X-RateLimit-Resource': ref('headers', 'LimitedResource'),
};

const FRAME = {
  type: 'object',
  description: 'A text frame: the order at once, on every change, and at its end.',
  required: ['type', 'seq', 'order'],
  properties: {
    type: { type: 'string', enum: ['snapshot', 'update', 'final'] },
    seq: { type: 'integer', description: 'Counts the frames of this socket from 1.' },
    order: ref('schemas', 'SwapOrder'),
  },
};

function operation(shown: Shown, method: string, known: Operation | undefined): Json {
  // A row that is missing leaves the operation without a name, which the test of the contract does not accept.
  if (!known) return { ...shown };
  const isSocket = known.refuses.includes('upgrade_required');
  return {
    ...shown,
    operationId: known.name,
    tags: [known.tag],
    parameters: [
      ...(shown.parameters ?? []),
      ref('parameters', 'EndUserIp'),
      ref('parameters', 'IntegratorRef'),
      ...(known.repeatable ? [ref('parameters', 'IdempotencyKey')] : []),
    ],
    security: proofs(shown, known),
    responses: { ...(isSocket ? { 101: upgrade() } : replies(shown, known)), ...refusals(shown, method, known) },
  };
}

/** What opens the operation, each with and without a key. */
function proofs({ security, parameters = [] }: Shown, { creator }: Operation): Json[] {
  const byAddress = parameters.some(({ name }) => name === PROOFS.destination.name) ? [{ destination: [] }] : [];
  const opens = security ? [...security, ...byAddress] : [{}];
  return [...opens.flatMap((one) => [one, ...KEYS.map((key) => ({ ...one, ...key }))]), ...(creator ? KEYS : [])];
}

const upgrade = (): Json => ({
  description: 'Switching Protocols: every text frame after it is an OrderEvent.',
  headers: EVERY_REPLY,
  content: {
    'application/json': {
      schema: ref('schemas', 'OrderEvent'),
      example: { type: 'snapshot', seq: 1, order: REPLIES.read },
    },
  },
});

const replies = ({ responses }: Shown, known: Operation): Json => ({
  ...mapped(without(responses, 'default'), ({ content = {} }, status) => ({
    description: STATUS_CODES[status] ?? '',
    headers: headersOf(known),
    content: mapped(content, (media) => ({ ...media, examples: examplesOf(known.replies) })),
  })),
  ...(known.named ? { 304: { description: STATUS_CODES[304], headers: NAMED_REPLY } } : {}),
});

function headersOf({ repeatable, named }: Operation): Json {
  if (repeatable) return { ...SUCCESS, 'Idempotent-Replayed': ref('headers', 'Replayed') };
  return named ? NAMED_REPLY : SUCCESS;
}

const examplesOf = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, ref('examples', name)]));

const EVERYBODY: readonly RefusalKind[] = [
  'invalid_request',
  'invalid_end_user_ip',
  'key_in_query',
  'invalid_key',
  'end_user_ip_not_allowed',
  'rate_limited',
  'unavailable',
];
const SENDERS: readonly RefusalKind[] = ['payload_too_large', 'unsupported_media_type'];

/** Statuses and codes come from the table that answers with them. */
function refusals({ parameters = [] }: Shown, method: string, { refuses }: Operation): Json {
  const kinds: RefusalKind[] = [...EVERYBODY, ...refuses];
  if (method !== 'get') kinds.push(...SENDERS);
  if (parameters.some((parameter) => parameter.in === 'path')) kinds.push('not_found');
  const spoken = [...kinds.map((kind) => speak(refuse(kind, ''), 'v2')), speakFailure('v2')];
  const codes = new Map<number, string[]>();
  for (const { status, body } of spoken) codes.set(status, [...(codes.get(status) ?? []), String(body.code)]);
  return Object.fromEntries([...codes].map(([status, named]) => [status, refusal(status, named)]));
}

const refusal = (status: number, codes: readonly string[]): Json => ({
  description: `${STATUS_CODES[status]}: ${codes.join(', ')}`,
  headers: status === 429 ? LIMITED_REPLY : status === 503 ? UNAVAILABLE_REPLY : EVERY_REPLY,
  content: {
    'application/json': {
      schema: { allOf: [ref('schemas', 'Error'), { type: 'object', properties: { code: { enum: codes } } }] },
      examples: examplesOf(codes.filter((code) => code in REFUSALS)),
    },
  },
});

function mapped<T, U>(from: Readonly<Record<string, T>>, change: (value: T, key: string) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, change(value, key)]));
}

function without<T>(from: Readonly<Record<string, T>>, key: string): Record<string, T> {
  const { [key]: _, ...rest } = from;
  return rest;
}
