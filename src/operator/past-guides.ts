import type { CaseKind } from '../life/case/case.ts';
import { CLOSE, type Guide } from './guide.ts';

type PastKind = Extract<
  CaseKind,
  'database_behind' | 'journal_unwritable' | 'order_forgotten' | 'deposit_without_order'
>;

/** About the journal, and a database that was restored from the past. */
export const PAST_GUIDES: { readonly [K in PastKind]: Guide<K> } = {
  database_behind: {
    reason: ({ reason }) => reason,
    meaning:
      'The database and the signer do not know the same past: one of them was restored from a backup. Nothing is signed and no order is taken.',
    urgency: 'now',
    actions: [
      'if the database was restored, run wherry restore once: it burns addresses, takes up what was signed, and reports; then everything goes on',
      "if the signer's journal was replaced by an older copy, stop the signer and give it the newest one; never run restore on an old journal",
      'if no copy is left, stop the signer, wait until every payment is settled and begin a new one with wherry journal new',
    ],
  },
  journal_unwritable: {
    reason: ({ reason }) => reason,
    meaning:
      'The signer cannot write down what it signs, mostly because its disk is full. Nothing is signed and no order is taken; what was signed is followed to its end.',
    urgency: 'now',
    actions: [
      "make room on the disk of the signer's journal (more than 16 MB); never shorten the journal itself",
      'nothing else is to be done: the case closes and orders are taken again by themselves within seconds',
    ],
  },
  order_forgotten: {
    reason: ({ order, signed }) => `${order} is not in this database, and was signed for: ${signed.join(', ')}`,
    meaning:
      'An order was made after the backup that the database was restored from. What was signed for it is followed to its end.',
    urgency: 'now',
    actions: [
      'look whether a payout or a refund is among what was signed: if it is, its customer has been paid, or will be by the payment treasury:forgotten:<line>',
      'where a case instruction_failed of open_adopted names its transaction, the books lack what it paid: book what came in since (a case drift), or bring stock',
      'if none is, the deposit is in the treasury or on its address (a case deposit_without_order): return it by hand when its owner asks',
      CLOSE,
    ],
  },
  deposit_without_order: {
    reason: ({ asset, atoms, address, txHash }) =>
      `${atoms} atoms of ${asset} came to ${address} by ${txHash}, and no order has that address`,
    meaning:
      'Somebody paid a deposit address that no order in this database has: its order was made after the backup that the database was restored from.',
    urgency: 'now',
    actions: [
      'compare with the cases order_forgotten: where its order was paid out, the money is ours; say so and close the case',
      'otherwise it is owed to whoever paid it: return it by hand from that address when its owner asks, with the transaction as proof',
      CLOSE,
    ],
  },
};
