import { type Amount, atLeast, convert, equal, scale, smaller, subtract } from '../../kernel/amount.ts';
import { oneMoreThan } from '../../kernel/ratio.ts';
import type { ProviderOrder } from '../../world/providers/provider.ts';
import type { ProviderLeg } from '../quote/quote.ts';
import type { Rules } from './rules.ts';

/** What a provider agrees to may be worse than what it offered, or something else. */
export const promises = ({ output, least }: ProviderOrder, wanted: Amount): boolean =>
  output.asset === wanted.asset && least.asset === wanted.asset && atLeast(least, wanted);

/** For this budget, and for no less of the leg's output than the order's own bound leaves. */
export const isAsBound = (terms: ProviderOrder, budget: Amount, { output, worstRate }: ProviderLeg): boolean =>
  terms.input.asset === budget.asset &&
  equal(terms.input, budget) &&
  promises(terms, convert(budget, output.asset, worstRate, 'up'));

/** The most that is a deal's by itself. A provider names the transfer that is to be its own, and may name somebody else's. */
export const mostDelivered = ({ output }: ProviderOrder, { deliveredBeyond }: Pick<Rules, 'deliveredBeyond'>): Amount =>
  scale(output, oneMoreThan(deliveredBeyond), 'down');

/** What is the deal's of all that came, and what stays the treasury's. */
export function parted(came: Amount, most: Amount): { readonly got: Amount; readonly beyond: Amount } {
  const got = smaller(came, most);
  return { got, beyond: subtract(came, got) };
}

/** Less than the least that was agreed. */
export const isShort = (got: Amount, { least }: ProviderOrder): boolean =>
  got.asset === least.asset && !atLeast(got, least);

/** Networks cost something; whoever gives back less than that explains has kept it. */
export const leastBack = ({ input }: ProviderOrder, { givenBack }: Pick<Rules, 'givenBack'>): Amount =>
  scale(input, givenBack, 'down');

export const isKeptBack = (got: Amount, terms: ProviderOrder, rules: Pick<Rules, 'givenBack'>): boolean =>
  !atLeast(got, leastBack(terms, rules));
