import type { Amount } from '../../kernel/amount.ts';
import { later } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { type ChainId, chainOf } from '../../kernel/ids.ts';
import type { Chain } from '../../world/chains/chain.ts';
import type { Provider, ProviderOrder, ProviderStatus } from '../../world/providers/provider.ts';
import type { Delivery } from '../order/delivery.ts';

/** What is kept of money that came to our hot accounts from outside. */
export interface DeliveryBooks {
  /**
   * Takes what came, for one deal and for ever: the transfer of that transaction, or of that amount where the provider names
   * none. Asking again for the same deal gives the same answer; undefined while nothing of the kind is final.
   */
  takeDelivery(wanted: Delivery): Promise<Amount | undefined>;
}

interface DealParts {
  readonly providers: readonly Provider[];
  readonly chain: (id: ChainId) => Pick<Chain, 'hotAddress' | 'facts'>;
  readonly books: DeliveryBooks;
}

/** Whom a deal was agreed with. An operator may have taken it out of the settings, and may put it back. */
export function providerOf({ providers }: Pick<DealParts, 'providers'>, named: string): Provider {
  const provider = providers.find(({ name }) => name === named);
  if (!provider) throw new Fault('transient', `provider:${named}`, 'the settings do not name it any more');
  return provider;
}

/** Once its time is over, one that cannot be asked is as silent as one that has nothing to say. */
export async function statusOf(
  parts: Pick<DealParts, 'providers'>,
  { provider, terms }: { readonly provider: string; readonly terms: ProviderOrder },
  isOverdue: boolean,
): Promise<ProviderStatus> {
  try {
    return await providerOf(parts, provider).status(terms);
  } catch (error) {
    if (isOverdue && error instanceof Fault) return { state: 'unknown' };
    throw error;
  }
}

/** The clock that a deal was agreed on by may be ahead of the one that its delivery is seen by, on another computer or set right meanwhile. */
const CLOCKS_DIFFER_MS = 5 * 60_000;

/** What a provider says that it sent counts once our own account shows it. */
export function taken(
  { chain, books }: Pick<DealParts, 'chain' | 'books'>,
  wanted: Omit<Delivery, 'chain' | 'account'>,
): Promise<Amount | undefined> {
  const { facts, hotAddress: account } = chain(chainOf(wanted.told.asset));
  return books.takeDelivery({ ...wanted, chain: facts.id, account, since: later(wanted.since, -CLOCKS_DIFFER_MS) });
}
