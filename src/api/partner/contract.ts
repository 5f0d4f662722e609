import { STATUS_CODES } from 'node:http';
import type { TSchema } from '@sinclair/typebox';
import { type RefusalKind, refuse } from '../../kernel/refusal.ts';
import { speak } from '../refusals.ts';
import { ErrorV2 } from '../wire-schemas.ts';
import { COOKIE, type PartnerEndpoint } from './partner-endpoint.ts';

type Json = Readonly<Record<string, unknown>>;

/** OpenAPI 3.1, whose schemas are JSON Schema, as ours are. Reporting and endpoints by server key have the same shapes. */
export function partnerContract(endpoints: readonly PartnerEndpoint[], named: Readonly<Record<string, TSchema>>): Json {
  const names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]));
  const paths: Record<string, Record<string, Json>> = {};
  for (const one of endpoints) {
    const path = one.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: operation(one, names) };
  }
  const { $id: _, ...Refused } = ErrorV2;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Wherry for partners',
      version: '1',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description:
        'What partners do for themselves after signing in with Ethereum. With a server key, reports are also at /v2/integrator/me and /v2/integrator/orders, and endpoints at /v2/integrator/webhooks, in the same shapes.',
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { ...named, Error: Refused },
      securitySchemes: { member: { type: 'apiKey', in: 'cookie', name: COOKIE } },
    },
  };
}

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
type Names = ReadonlyMap<TSchema, string>;

function operation(one: PartnerEndpoint, names: Names): Json {
  const { params, query, body } = one.input;
  const parameters = [...parametersOf('path', params), ...parametersOf('query', query)];
  return {
    operationId: one.name,
    summary: one.summary,
    ...(one.needs === 'member' ? { security: [{ member: [] }] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: body } } } } : {}),
    responses: { ...success(one, names), ...refusals(one) },
  };
}

interface Properties {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[] | undefined;
}

const parametersOf = (place: 'path' | 'query', of: Properties | undefined): readonly Json[] =>
  Object.entries(of?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: place,
    required: of?.required?.includes(name) ?? false,
    schema,
  }));

function success({ status = 200, output, csv }: PartnerEndpoint, names: Names): Json {
  const description = STATUS_CODES[status] ?? '';
  if (status === 204) return { 204: { description } };
  const text = csv ? { 'text/csv': { schema: { type: 'string' } } } : {};
  const name = names.get(output);
  return { [status]: { description, content: { 'application/json': { schema: name ? ref(name) : output }, ...text } } };
}

const EVERYBODY: readonly RefusalKind[] = ['invalid_request', 'rate_limited', 'unavailable'];

function refusals({ method, needs, isSignIn, input }: PartnerEndpoint): Json {
  const kinds: RefusalKind[] = [...EVERYBODY];
  if (needs === 'member') kinds.push('not_signed_in');
  if (isSignIn) kinds.push('sign_in_refused');
  if (method !== 'GET') kinds.push('forbidden', 'payload_too_large', 'unsupported_media_type');
  if (input.params) kinds.push('not_found');
  if (input.query) kinds.push('invalid_cursor');
  if (input.params && method !== 'GET') kinds.push('last_owner', 'action_not_available');
  if (needs === 'member' && input.body) kinds.push('invalid_address', 'address_refused', 'fee_too_high');
  const codes = new Map<number, string[]>();
  for (const kind of kinds) {
    const { status, body } = speak(refuse(kind, ''), 'v2');
    codes.set(status, [...(codes.get(status) ?? []), String(body.code)]);
  }
  const answers = [...codes].map(([status, names]) => [
    status,
    {
      description: `${STATUS_CODES[status]}: ${names.join(', ')}`,
      content: { 'application/json': { schema: ref('Error') } },
    },
  ]);
  return Object.fromEntries(answers);
}
