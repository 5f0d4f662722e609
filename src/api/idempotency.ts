import type { SessionId } from '../kernel/ids.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import { keyedHash, sameText } from '../kernel/secret.ts';
import type { Generation } from '../life/order/order.ts';
import type { Placed } from '../store/orders.ts';
import type { Caller } from './caller.ts';
import { type Identity, newOrderId, newSession, type OrderKind, type PlacedWithSession } from './create-order.ts';
import type { ApiDeps } from './deps.ts';

export interface Creation {
  /** The header Idempotency-Key, if there was one. */
  readonly key: string | undefined;
  readonly generation: Generation;
  readonly kind: OrderKind;
  readonly body: object;
  readonly caller: Caller;
  /** The session that the caller chose for the order, if any. */
  readonly session?: SessionId | undefined;
  /** Told when the order was there before. */
  onReplay(): void;
}

/**
 * Creates the order once for each key (D74). The id follows from the key, and the session from key and body, under a secret
 * of ours: a repeat finds the order and is told the same session without its being stored. The order keeps a hash of what
 * was asked, by which another body is known.
 */
export async function createdOnce(
  creation: Creation,
  deps: ApiDeps,
  create: (identity: Identity | undefined) => Promise<PlacedWithSession | Refusal>,
): Promise<PlacedWithSession | Refusal> {
  const { key, kind, body } = creation;
  if (key === undefined) return create(undefined);
  const name = readKey(key);
  if (name === undefined) return refuse('invalid_request', 'Idempotency-Key must be 1 to 255 visible characters.');
  const identity = identityOf(kind, nameOf(creation, name), body, deps);
  const known = await deps.desk.find(identity.id);
  if (known) return again(known, identity, creation);
  try {
    return await create(identity);
  } catch (error) {
    // Of two that come together one fails; and a failure may hide that the order was saved.
    const saved = await deps.desk.find(identity.id);
    if (!saved) throw error;
    return again(saved, identity, creation);
  }
}

/** Whether such a creation was made before: then it is no creation for the limits. */
export async function isReplay(
  key: string | undefined,
  kinds: readonly OrderKind[],
  who: Pick<Creation, 'generation' | 'caller'>,
  deps: ApiDeps,
): Promise<boolean> {
  const name = key === undefined ? undefined : readKey(key);
  if (name === undefined) return false;
  const found = await Promise.all(kinds.map((kind) => deps.desk.find(orderIdOf(kind, nameOf(who, name), deps))));
  return found.some(Boolean);
}

/** A structured header's quotes are not part of the key. */
const readKey = (text: string): string | undefined =>
  /^"?([\x21\x23-\x7e][\x20\x21\x23-\x7e]{0,254})"?$/.exec(text)?.[1];

/**
 * A key is good within the integration that used it. Anybody may hold a public key, and nobody holds one who has none, so
 * for these it is good within the network of the caller as well: a key that is easily guessed opens nothing elsewhere.
 */
const nameOf = ({ generation, caller }: Pick<Creation, 'generation' | 'caller'>, key: string): readonly string[] => [
  generation,
  caller.partner?.integrationId ?? '',
  caller.partner?.kind === 'server' ? '' : caller.clientHash,
  key,
];

function again(placed: Placed, { session, requestHash }: Identity, creation: Creation): PlacedWithSession | Refusal {
  if (requestHash === undefined || !sameText(placed.order.requestHash ?? '', requestHash))
    return refuse('idempotency_mismatch', 'This Idempotency-Key was used for another request.');
  creation.onReplay();
  return { ...placed, session: creation.session ?? session };
}

const bytesOf = (kind: OrderKind, parts: readonly string[], { hashKey }: ApiDeps) =>
  Buffer.from(keyedHash(hashKey, 'creation', kind, ...parts), 'hex');

const orderIdOf = (kind: OrderKind, name: readonly string[], deps: ApiDeps) =>
  newOrderId(kind, (length) => bytesOf(kind, name, deps).subarray(0, length));

function identityOf(kind: OrderKind, name: readonly string[], body: object, deps: ApiDeps): Identity {
  const request = canonical(body);
  return {
    id: orderIdOf(kind, name, deps),
    session: newSession((length) => bytesOf(kind, [...name, request], deps).subarray(0, length)),
    requestHash: keyedHash(deps.hashKey, 'request', ...name, request),
  };
}

/** The same for bodies that differ in the order of their fields only. */
const canonical = (body: object): string => JSON.stringify(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1)));
