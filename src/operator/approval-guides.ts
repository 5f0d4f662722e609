import { type Guide, LOOK } from './guide.ts';

/** About payments that need more than one person. */
export const APPROVAL_GUIDES: { readonly approval_awaited: Guide<'approval_awaited'> } = {
  approval_awaited: {
    reason: ({ payment, text }) => `${payment} needs a second yes: ${text}`,
    meaning:
      'The payment is above the value that one person decides on, or its bytes died again and again: then the text ends with the last transaction, and other bytes may pay twice if that one was mined. The signer pays this only when one of its approvers has signed it too; the money is set apart.',
    urgency: 'now',
    actions: [
      LOOK,
      'where the text ends with a transaction, look on two other nodes that it is in no block',
      "on the approver's own computer: wherry approve --key <file> --payment '<the text of this case>', after a look at the order",
      'POST /operator/cases/{id}/approve { approval, by, reason } with what that printed; the payment goes on at once and this closes by itself',
      'if it should not be paid, leave it and open the breaker payouts: whoever asked for it may ask for more',
    ],
    calls: ['approve', 'retry'],
  },
};
