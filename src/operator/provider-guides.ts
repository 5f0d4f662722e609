import { CLOSE, type Guide, LOOK } from './guide.ts';

type ProviderCase =
  | 'provider_failed'
  | 'provider_delivered_other'
  | 'provider_delivered_less'
  | 'provider_delivered_more';

/** About those who swap for the desk. */
export const PROVIDER_GUIDES: { readonly [K in ProviderCase]: Guide<K> } = {
  provider_failed: {
    reason: ({ provider, deal, reason }) => `provider ${provider} failed order ${deal}: ${reason}`,
    meaning: 'A provider took our money and shows neither delivery nor refund.',
    urgency: 'now',
    actions: [
      LOOK,
      'ask the provider about its order; what it delivers or returns is taken up by itself',
      'open the breaker provider:<name> if it repeats: it gets nothing new, and what it has is followed to its end',
    ],
  },
  provider_delivered_other: {
    reason: ({ provider, asset }) => `${provider} delivered ${asset} in place of what was agreed`,
    meaning:
      'A provider delivered another asset than was agreed; it is paid as it is, or owed to an address of the customer.',
    urgency: 'today',
    actions: [LOOK, 'ask the provider why; open the breaker provider:<name> if it repeats', CLOSE],
  },
  provider_delivered_less: {
    reason: ({ provider, deal, asset, atoms }) => `${provider} delivered ${atoms} of ${asset} too little for ${deal}`,
    meaning:
      'A provider delivered less than the least that it agreed to: the customer is paid what came, without a service fee. Or it gave back clearly less than it was paid, and what is left goes on.',
    urgency: 'today',
    actions: [
      LOOK,
      'ask the provider for the rest; what it sends is counted as inventory',
      'after the second time its breaker provider:<name> opens by itself; close it when the provider has explained itself',
      CLOSE,
    ],
  },
  provider_delivered_more: {
    reason: ({ provider, deal, asset, atoms }) =>
      `${atoms} of ${asset} came beyond what ${provider} agreed to for ${deal}`,
    meaning:
      'The transfer that a provider calls its own brought more than was agreed. The order has what was agreed, and the rest is the treasury’s: the transfer may be somebody else’s, which the provider only names.',
    urgency: 'now',
    actions: [
      LOOK,
      'look up who sent the transfer: another provider, a top-up of your own, or this provider by mistake',
      'where it was not this provider, open the breaker provider:<name> and ask for what it was paid; another deal may wait for this very transfer',
      'where it was, and the rest belongs to the customer or to the provider, pay it by hand and record why',
      'after the second time its breaker provider:<name> opens by itself',
      CLOSE,
    ],
  },
};
