import { CLOSE, type Guide } from './guide.ts';

/** About money that came where the desk does not look for it. */
export const DEPOSIT_GUIDES: { readonly [K in 'deposit_out_of_reach']: Guide<K> } = {
  deposit_out_of_reach: {
    reason: ({ asset, atoms, address, txHash, sender = 'somebody', why = 'the desk cannot take it from there' }) =>
      `${sender} sent ${atoms} atoms of ${asset} to ${address} by ${txHash}: ${why}`,
    meaning:
      'A customer paid one of our deposit addresses at a place, or in a form, from which the desk cannot take it: on the perpetual side of a venue account (usdSend, or sendAsset to that side), locked by its sender, written so that the wallet does not see it, in outputs that cost too much to spend, or in specks after hundreds of other transfers to the same address. It is not credited.',
    urgency: 'today',
    actions: [
      'find the order by its deposit address, and tell the customer: the same sum sent in the usual way is credited as ever',
      'what was sent belongs to the sender: give it back from other funds, or move it with the key of that account, which is derived from the seed',
      CLOSE,
    ],
  },
};
