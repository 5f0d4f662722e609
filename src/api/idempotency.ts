import { inField } from '../kernel/field-refusals.ts';
import { type OrderId, parseSessionId, type SessionId } from '../kernel/ids.ts';
import { isRefusal, type Refusal, refuse } from '../kernel/refusal.ts';
import { keyedHash } from '../kernel/secret.ts';
import type { Generation } from '../life/order/order.ts';
import type { Placed } from '../store/orders.ts';
import { type Caller, hashKeysOf, sessionHashes } from './caller.ts';
import {
  type Identity,
  newOrderId,
  newSession,
  ORDER_KINDS,
  type OrderKind,
  type PlacedWithSession,
} from './create-order.ts';
import type { ApiDeps } from './deps.ts';
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
 * other session, or by `askedAs` where the body chose one. Within one integration or network key and body are thus as good as the session.
 */
export async function createdOnce(
  creation: Creation,
  deps: ApiDeps,
  create: (identity: Identity | undefined) => Promise<PlacedWithSession | Refusal>,
): Promise<CreatedOnce | Refusal> {
  const { key, kind, body } = creation;
  if (key === undefined) return asNew(await create(undefined));
  const name = nameOf(key, creation);
  if (name === undefined)
    return inField(HEADER, refuse('invalid_request', 'Idempotency-Key takes 1 to 255 characters, and no comma.'));
  if (isTooDeep(body)) return refuse('invalid_request', 'The body is nested too deep.');
  const scope = [kind, ...scopeOf(creation), name] as const;
  const identityUnder = (keys: Keys) => ({ id: orderIdOf(scope, keys), session: sessionOf(scope, body, keys) });
  for (const hashKey of hashKeysOf(deps)) {
    const before = identityUnder({ hashKey });
    const known = await deps.desk.find(before.id);
    if (known) return again(known, before, body, deps);
  }
  if (await isKnownCreation(creation, deps)) return mismatch();
  const identity = identityUnder(deps);
  const made = await create(identity).catch((error: unknown) => ({ error }));
  if (!isRefusal(made) && !('error' in made)) return asNew(made);
  // Of two that come together to two processes one fails, or finds that the other has the last room; and a failure may hide that the
  // order was saved.
  const saved = await deps.desk.find(identity.id);
  if (saved) return again(saved, identity, body, deps);
  if ('error' in made) throw made.error;
  return made;
}

const HEADER = 'Idempotency-Key';

const asNew = (made: PlacedWithSession | Refusal): CreatedOnce | Refusal =>
  isRefusal(made) ? made : { ...made, isReplay: false };

/** A body that chose its session chose the same one again, or it is another body. */
function again(placed: Placed, { session }: Identity, body: object, deps: ApiDeps): CreatedOnce | Refusal {
  const { askedAs } = placed.order;
  const isSame =
    askedAs === undefined ? isOwner(placed, session, deps) : sessionHashes(session, deps).includes(askedAs);
  const chosen = 'sessionId' in body ? parseSessionId(`${body.sessionId}`) : undefined;
  return isSame ? { ...placed, session: chosen ?? session, isReplay: true } : mismatch();
}

const mismatch = (): Refusal => refuse('idempotency_mismatch', 'This Idempotency-Key was used for another request.');

/** What creations under one key have in common before their bodies are read; undefined where there is no key. */
export function sharedName(creation: NamedCreation, deps: ApiDeps): OrderId | undefined {
  const name = creation.key === undefined ? undefined : nameOf(creation.key, creation);
  return name === undefined ? undefined : orderIdOf([ORDER_KINDS[0], ...scopeOf(creation), name], deps);
}

/** Whether an order was created under this key, by whichever call. */
export async function isKnownCreation(creation: NamedCreation, deps: ApiDeps): Promise<boolean> {
  const name = creation.key === undefined ? undefined : nameOf(creation.key, creation);
  if (name === undefined) return false;
  const ids = hashKeysOf(deps).flatMap((hashKey) =>
    ORDER_KINDS.map((kind) => orderIdOf([kind, ...scopeOf(creation), name], { hashKey })),
  );
  const found = await Promise.all(ids.map((id) => deps.desk.find(id)));
  return found.some((placed) => placed !== undefined);
}

/** Two of them in one request come with a comma between. */
const KEY = /^[ -+\--~]{1,255}$/;

/**
 * Nobody with a public key of the same integration can say a name that its server uses, but for names that nobody guesses. Some clients send the
 * key in quotes, as the draft of the header has it.
 */
function nameOf(key: string, { caller }: NamedCreation): string | undefined {
  const name = key.replace(/^"(.*)"$/, '$1');
  if (!KEY.test(name)) return undefined;
  return parseSessionId(name) ?? (caller.partner?.kind === 'server' ? `server ${name}` : name);
}

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

/** Deeper than anything that an order is asked with. */
const DEEPEST = 32;

function isTooDeep(body: object): boolean {
  let level: readonly unknown[] = [body];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}

/** Bodies that differ in the order of their fields only have the same text. */
const canonical = (body: object): string =>
  JSON.stringify(body, (_, value: unknown) => (isPlain(value) ? sorted(value) : value));

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sorted = (value: object): object =>
  Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
