import type { Amount } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import { type ChainId, chainOf } from '../../kernel/ids.ts';
import type { Chain } from '../../world/chains/chain.ts';
import type { Provider } from '../../world/providers/provider.ts';
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

/** Whom a deal was agreed with. */
export const providerOf = ({ providers }: Pick<DealParts, 'providers'>, named: string): Provider =>
  present(
    providers.find(({ name }) => name === named),
    `provider ${named}`,
  );

/** What a provider says that it sent counts once our own account shows it. */
export function taken(
  { chain, books }: Pick<DealParts, 'chain' | 'books'>,
  wanted: Omit<Delivery, 'chain' | 'account'>,
): Promise<Amount | undefined> {
  const { facts, hotAddress: account } = chain(chainOf(wanted.told.asset));
  return books.takeDelivery({ ...wanted, chain: facts.id, account });
}
