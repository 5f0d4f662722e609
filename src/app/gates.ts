import type { Desk } from '../engine/desk.ts';
import type { Handlers } from '../engine/worker.ts';
import { chainOf } from '../kernel/ids.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { Done } from '../life/order/handling.ts';
import type { Quotes } from '../life/quote/quotes.ts';
import type { Breakers } from '../store/partners.ts';

/** What an open breaker holds up is tried again this soon after it closes. */
const HELD_MS = 2_000;

async function firstOpen(breakers: Breakers, scopes: readonly string[]): Promise<string | undefined> {
  for (const scope of scopes) {
    const reason = await breakers.isOpen(scope);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** While a breaker is open nothing new is signed or traded in its scope; what was signed before is followed to its end. */
export function guardHandlers(handlers: Handlers, breakers: Breakers): Handlers {
  const held = async (scopes: readonly string[], work: () => Promise<Done>): Promise<Done> =>
    (await firstOpen(breakers, scopes)) === undefined ? work() : { againInMs: HELD_MS };
  return {
    ...handlers,
    sign_intent: (job, order) => {
      const [chain] = job.effect.lane.split(':');
      return held(['payouts', `chain:${chain}`], () => handlers.sign_intent(job, order));
    },
    work_ticket: (job, order) => held(['venue'], () => handlers.work_ticket(job, order)),
  };
}

const closed = (): Refusal => refuse('unavailable', 'This is switched off for the moment. Please try again later.');

export function guardQuotes(quotes: Quotes, breakers: Breakers): Quotes {
  return {
    ...quotes,
    quote: async (request) => {
      const scopes = ['quotes', 'venue', `chain:${request.from.chainId}`, `chain:${request.to.chainId}`];
      return (await firstOpen(breakers, scopes)) === undefined ? quotes.quote(request) : closed();
    },
  };
}

export function guardDesk(desk: Desk, breakers: Breakers): Desk {
  return {
    ...desk,
    create: async (draft, owner) => {
      const scopes = ['orders', `chain:${chainOf(draft.from.id)}`, `chain:${chainOf(draft.to.id)}`];
      return (await firstOpen(breakers, scopes)) === undefined ? desk.create(draft, owner) : closed();
    },
  };
}
