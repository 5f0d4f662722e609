import { inField } from '../kernel/field-refusals.ts';
import { parseOrderId, parseSessionId, type SessionId } from '../kernel/ids.ts';
import { MAX_ADDRESS_CHARS } from '../kernel/limits.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import { rememberProof, sameText } from '../kernel/secret.ts';
import type { Generation, Order, Product } from '../life/order/order.ts';
import type { Placed } from '../store/orders.ts';
import { type Caller, sessionHashes } from './caller.ts';
import type { ApiDeps } from './deps.ts';
import { ownMemory } from './own-memory.ts';

export const notFound = (): Refusal => refuse('not_found', 'Order not found');

/** An order is served by the generation that created it, and by no other. */
export async function findOrder(id: string, generation: Generation, deps: ApiDeps): Promise<Placed | undefined> {
  const orderId = parseOrderId(id);
  const placed = orderId && (await deps.desk.find(orderId));
  return placed?.order.generation === generation ? placed : undefined;
}

/** An order that is held in memory is polled by the same session until it changes. */
const sessionProofs = ownMemory((deps) =>
  rememberProof((session, { owner }: Placed) =>
    sessionHashes(session as SessionId, deps).some((hash) => sameText(owner.sessionHash, hash)),
  ),
);

export function isOwner(placed: Placed, session: SessionId | undefined, deps: ApiDeps): boolean {
  return session !== undefined && sessionProofs(deps)(session, placed);
}

/** Every spelling of the destination is accepted, and of the one that took its place. */
export function knowsDestination(order: Order, text: string | undefined, { catalog }: ApiDeps): boolean {
  if (text === undefined || text.length > MAX_ADDRESS_CHARS) return false;
  const { to, destination, replacement = destination } = order;
  const isOne = (spelt: string) => sameText(destination.address, spelt) || sameText(replacement.address, spelt);
  if (isOne(text)) return true;
  const spelt = catalog.chain(to.chainId)?.parseAddress(text);
  return spelt !== undefined && isOne(spelt);
}

/** The confidential key of the integration that created the order; a browser's key proves nothing. */
export function isCreator({ owner }: Placed, { partner }: Caller): boolean {
  return partner?.kind === 'server' && owner.integrationId === partner.integrationId;
}

/**
 * v2 takes the session or the destination as proof of ownership; what is missing and what is somebody else’s look the
 * same.
 */
export async function readable(
  id: string,
  product: Product,
  proof: { readonly session: SessionId | undefined; readonly verify: string | undefined },
  deps: ApiDeps,
): Promise<Placed | Refusal> {
  const placed = await findOrder(id, 'v2', deps);
  if (placed?.order.product !== product) return notFound();
  const isProven = isOwner(placed, proof.session, deps) || knowsDestination(placed.order, proof.verify, deps);
  return isProven ? placed : notFound();
}

/** v2 takes the session alone for what changes an order. */
export async function owned(id: string, session: SessionId | undefined, deps: ApiDeps): Promise<Placed | Refusal> {
  const placed = await findOrder(id, 'v2', deps);
  return placed && isOwner(placed, session, deps) ? placed : notFound();
}

/** A session may be joined by the integration that owns it, and by nobody else (D49). */
export async function readSession(
  text: string | undefined,
  { partner }: Caller,
  deps: ApiDeps,
): Promise<SessionId | undefined | Refusal> {
  if (text === undefined) return undefined;
  const session = parseSessionId(text);
  if (!session) return inField('sessionId', refuse('invalid_request', 'sessionId must be a UUID v4.'));
  const taken = inField('sessionId', refuse('invalid_request', 'This caller may not choose this sessionId.'));
  if (partner?.kind !== 'server') return taken;
  const hashes = sessionHashes(session, deps);
  const found = await Promise.all([deps.desk.bySession(hashes, 'v2', 1), deps.desk.bySession(hashes, 'v1', 1)]);
  return found.flat().every(({ owner }) => owner.integrationId === partner.integrationId) ? session : taken;
}
