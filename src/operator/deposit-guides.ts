import { CLOSE, type Guide } from './guide.ts';

/** About money that came where the desk does not look for it. */
export const DEPOSIT_GUIDES: { readonly [K in 'deposit_out_of_reach']: Guide<K> } = {
  deposit_out_of_reach: {
    reason: ({ asset, atoms, address, txHash, sender = 'somebody' }) =>
      `${sender} sent ${atoms} atoms of ${asset} to the perpetual side of ${address} by ${txHash}`,
    meaning:
      'A customer paid to the side of a venue account that the desk does not use (usdSend, or sendAsset to the perpetual side). It is not credited, and the desk cannot move it.',
    urgency: 'today',
    actions: [
      'find the order by its deposit address, and tell the customer: the same sum sent to the spot side is credited as ever',
      'what was sent belongs to the sender: give it back from other funds, or move it with the key of that account, which is derived from the seed',
      CLOSE,
    ],
  },
};
