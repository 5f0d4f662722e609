import type { FastifyRequest } from 'fastify';
import type { OrderId } from '../kernel/ids.ts';
import type { ApiDeps } from './deps.ts';
import { REQUEST_DEADLINE_MS } from './limits.ts';
import { ownMemory } from './own-memory.ts';

/** The last of each name; whoever comes next waits for it. */
const lastOf = ownMemory(() => new Map<OrderId, Promise<void>>());
const ends = new WeakMap<FastifyRequest, () => void>();

/**
 * Creations of one name go one after another in this process, so that a repeat is known as one before it is counted. Nobody waits longer
 * than a whole request may take to come in: a sender that is slow holds up its own repeats, and not for ever.
 */
export async function awaitTurn(request: FastifyRequest, name: OrderId, deps: ApiDeps): Promise<void> {
  const last = lastOf(deps);
  const before = last.get(name);
  let end = () => {};
  const mine = new Promise<void>((resolve) => {
    end = resolve;
  });
  last.set(name, mine);
  ends.set(request, () => {
    if (last.get(name) === mine) last.delete(name);
    end();
  });
  if (before) await withinDeadline(before);
}

/** The next one goes on. Whoever has no turn ends none. */
export function endTurn(request: FastifyRequest): void {
  ends.get(request)?.();
  ends.delete(request);
}

function withinDeadline(before: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, REQUEST_DEADLINE_MS);
  });
  return Promise.race([before, deadline]).finally(() => clearTimeout(timer));
}
