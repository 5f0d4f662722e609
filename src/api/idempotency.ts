import { parseSessionId } from '../kernel/ids.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import { keyedHash } from '../kernel/secret.ts';
import type { Placed } from '../store/orders.ts';
import type { Caller } from './caller.ts';
import { type Identity, newOrderId, newSession, type OrderKind, type PlacedWithSession } from './create-order.ts';
import type { ApiDeps } from './deps.ts';
import { isOwner } from './ownership.ts';

export interface Creation {
  /** The header Idempotency-Key, if there was one. */
  readonly key: string | undefined;
  readonly kind: OrderKind;
  readonly body: object;
  readonly caller: Caller;
}

/**
 * Creates the order once for each key. The id follows from the key, and the session from key and body, under a secret of
 * ours: a repeat finds the order, is told the same session without its being stored, and another body is known by its
 * other session. Within one integration the key is thus as good as the session, so it must be one that nobody guesses.
 */
export async function createdOnce(
  { key, kind, body, caller }: Creation,
  deps: ApiDeps,
  create: (identity: Identity | undefined) => Promise<PlacedWithSession | Refusal>,
): Promise<PlacedWithSession | Refusal> {
  if (key === undefined) return create(undefined);
  const uuid = parseSessionId(key.replace(/^"(.*)"$/, '$1'));
  if (!uuid) return refuse('invalid_request', 'Idempotency-Key must be a UUID v4.');
  if ('sessionId' in body) {
    return refuse('invalid_request', 'An order with an Idempotency-Key has a session of its own: omit sessionId.');
  }
  const identity = identityOf([kind, caller.partner?.integrationId ?? '', uuid], body, deps);
  const known = await deps.desk.find(identity.id);
  if (known) return again(known, identity, deps);
  try {
    return await create(identity);
  } catch (error) {
    // Of two that come together one fails; and a failure may hide that the order was saved.
    const saved = await deps.desk.find(identity.id);
    if (!saved) throw error;
    return again(saved, identity, deps);
  }
}

function again(placed: Placed, { session }: Identity, deps: ApiDeps): PlacedWithSession | Refusal {
  return isOwner(placed, session, deps)
    ? { ...placed, session }
    : refuse('idempotency_mismatch', 'This Idempotency-Key was used for another request.');
}

function identityOf([kind, ...name]: readonly [OrderKind, ...string[]], body: object, { hashKey }: ApiDeps): Identity {
  const bytes = (...parts: readonly string[]) => Buffer.from(keyedHash(hashKey, 'creation', kind, ...parts), 'hex');
  return {
    id: newOrderId(kind, (length) => bytes(...name).subarray(0, length)),
    session: newSession((length) => bytes(...name, canonical(body)).subarray(0, length)),
  };
}

/** The same for bodies that differ in the order of their fields only. */
const canonical = (body: object): string => JSON.stringify(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1)));
