import { type OrderId, parseSessionId, type SessionId } from '../kernel/ids.ts';
import { isRefusal, type Refusal, refuse } from '../kernel/refusal.ts';
import { keyedHash } from '../kernel/secret.ts';
import type { Generation } from '../life/order/order.ts';
import type { Placed } from '../store/orders.ts';
import { type Caller, hashKeysOf } from './caller.ts';
import { type Identity, newOrderId, newSession, type OrderKind, type PlacedWithSession } from './create-order.ts';
import type { ApiDeps } from './deps.ts';
import { inField } from './field-refusals.ts';
import { isOwner } from './ownership.ts';

/** A creation, as far as it is known before its body is read. */
export interface NamedCreation {
  /** The header Idempotency-Key, if there was one. */
  readonly key: string | undefined;
  readonly generation: Generation;
  readonly caller: Caller;
}

export interface Creation extends NamedCreation {
  readonly kind: OrderKind;
  readonly body: object;
}

export interface CreatedOnce extends PlacedWithSession {
  /** The order had been created before. */
  readonly isReplay: boolean;
}

/**
 * Creates the order once for each key (D74). The id follows from the key, and the session from key and body, under a secret
 * of ours: a repeat finds the order, is told the same session without its being stored, and another body is known by its
 * other session. Within one integration or network the key is thus as good as the session, so it must be one that nobody guesses.
 */
export async function createdOnce(
  creation: Creation,
  deps: ApiDeps,
  create: (identity: Identity | undefined) => Promise<PlacedWithSession | Refusal>,
): Promise<CreatedOnce | Refusal> {
  const { key, kind, body } = creation;
  if (key === undefined) return asNew(await create(undefined));
  const uuid = uuidOf(key);
  if (!uuid) return inField(HEADER, refuse('invalid_request', 'Idempotency-Key must be a UUID v4.'));
  if ('sessionId' in body) {
    const message = 'An order with an Idempotency-Key has a session of its own: omit sessionId.';
    return inField('sessionId', refuse('invalid_request', message));
  }
  const scope = [kind, ...scopeOf(creation), uuid] as const;
  const identityUnder = (keys: Keys) => ({ id: orderIdOf(scope, keys), session: sessionOf(scope, body, keys) });
  for (const hashKey of hashKeysOf(deps)) {
    const before = identityUnder({ hashKey });
    const known = await deps.desk.find(before.id);
    if (known) return again(known, before, deps);
  }
  const identity = identityUnder(deps);
  try {
    return asNew(await create(identity));
  } catch (error) {
    // Of two that come together one fails; and a failure may hide that the order was saved.
    const saved = await deps.desk.find(identity.id);
    if (!saved) throw error;
    return again(saved, identity, deps);
  }
}

const HEADER = 'Idempotency-Key';

const asNew = (made: PlacedWithSession | Refusal): CreatedOnce | Refusal =>
  isRefusal(made) ? made : { ...made, isReplay: false };

function again(placed: Placed, { session }: Identity, deps: ApiDeps): CreatedOnce | Refusal {
  return isOwner(placed, session, deps)
    ? { ...placed, session, isReplay: true }
    : refuse('idempotency_mismatch', 'This Idempotency-Key was used for another request.');
}

/** Whether an order of one of these kinds was created under this key. */
export async function isKnownCreation(
  creation: NamedCreation,
  kinds: readonly OrderKind[],
  deps: ApiDeps,
): Promise<boolean> {
  const uuid = creation.key === undefined ? undefined : uuidOf(creation.key);
  if (!uuid) return false;
  const ids = hashKeysOf(deps).flatMap((hashKey) =>
    kinds.map((kind) => orderIdOf([kind, ...scopeOf(creation), uuid], { hashKey })),
  );
  const found = await Promise.all(ids.map((id) => deps.desk.find(id)));
  return found.some((placed) => placed !== undefined);
}

/** Some clients send the key in quotes, as the draft of the header has it. */
const uuidOf = (key: string): string | undefined => parseSessionId(key.replace(/^"(.*)"$/, '$1'));

/**
 * A key is good within its integration, or within the network of a caller that has none; both generations are apart.
 */
const scopeOf = ({ generation, caller }: NamedCreation): readonly [string, string, string] =>
  caller.partner
    ? [generation, 'integration', caller.partner.integrationId]
    : [generation, 'network', caller.clientHash];

type Scope = readonly [OrderKind, ...string[]];

type Keys = Pick<ApiDeps, 'hashKey'>;
const bytesOf = (parts: readonly string[], { hashKey }: Keys): Buffer =>
  Buffer.from(keyedHash(hashKey, 'creation', ...parts), 'hex');

const orderIdOf = (scope: Scope, deps: Keys): OrderId =>
  newOrderId(scope[0], (length) => bytesOf(scope, deps).subarray(0, length));

const sessionOf = (scope: Scope, body: object, deps: Keys): SessionId =>
  newSession((length) => bytesOf([...scope, canonical(body)], deps).subarray(0, length));

/** Bodies that differ in the order of their fields only have the same text. */
const canonical = (body: object): string =>
  JSON.stringify(body, (_, value: unknown) => (isPlain(value) ? sorted(value) : value));

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sorted = (value: object): object =>
  Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
