import type { CaseKind } from '../life/case/case.ts';
import { CLOSE, type Guide, LOOK } from './guide.ts';

type PaymentKind = Extract<CaseKind, 'signed_after_refusal' | 'payment_dead' | 'payment_stuck' | 'settlement_refused'>;

/** About bytes that were signed for a payment. */
export const PAYMENT_GUIDES: { readonly [K in PaymentKind]: Guide<K> } = {
  signed_after_refusal: {
    reason: ({ payment, chain, txHash }) =>
      `${txHash} on chain ${chain} was signed for ${payment}, which is refused: its money went back, and these bytes are not sent`,
    meaning:
      'Somebody asked for these bytes, stood still, and the payment was refused meanwhile. They would pay what was given back. The nonce or the outputs that they spend stay theirs: the signer gives them to nobody else.',
    urgency: 'now',
    actions: [
      'where bytes expire on that chain and spend no outputs, nothing is to be done: nothing waits for them',
      'a nonce keeps later payments of its account waiting, which say so (instruction_failed); outputs only lie idle, with the change that they would give',
      'nothing frees either but these bytes in a block. If you can bear that what they pay is paid at the expense of the desk, send attempt.raw of that tx_hash in the database by a node of the chain, then adopt the case drift that shows what left',
      'before that read GET /operator/orders/{id} of its order: where the customer was paid or given back since, he has it twice then',
      CLOSE,
    ],
  },
  payment_dead: {
    reason: ({ payment, part, txHash, proof }) => `${payment} (${part}) can never be paid by ${txHash}: ${proof}`,
    meaning:
      'What was signed for a payment can never take effect, and the signer refuses to sign anything in its place.',
    urgency: 'now',
    actions: [
      LOOK,
      'if the signer names a limit, nothing need be done: it is asked again every minute, and this closes by itself once there is room',
      'if the signer says buried_too_often, look on two other nodes that the transaction is in no block; then name an approver (signer.approval) and restart the signer: it asks for a second yes, as the case approval_awaited',
      'find out which transaction used the nonce or the output: it may be this very payment, forgotten by a restored database',
      'if it paid, POST /operator/cases/{id}/settle { txHash, by, reason }: the transaction is checked on the chain',
      'if it did not, the money stays set apart for this payment, and nothing else may be signed for it: tell the customer',
    ],
    calls: ['settle'],
  },
  payment_stuck: {
    reason: ({ payment, part, txHash, reason }) => `${payment} (${part}) by ${txHash} is not mined: ${reason}`,
    meaning: 'A payment waits for a block longer than its chain usually takes, and its fee is not raised any further.',
    urgency: 'now',
    actions: [
      LOOK,
      'POST /operator/cases/{id}/send-again sends the same bytes again',
      "raise the signer's cost limit of that chain, then POST /operator/cases/{id}/raise-fee",
      'compare the fee with what the chain takes now; nothing is lost by waiting',
      'if another transaction paid it, POST /operator/cases/{id}/settle { txHash, by, reason }',
    ],
    calls: ['send-again', 'raise-fee', 'settle'],
  },
  settlement_refused: {
    reason: ({ payment, part, txHash, reason }) => `${txHash} did not settle ${payment} (${part}): ${reason}`,
    meaning:
      'A transaction was named that is to have paid this, and the chain does not confirm it. Nothing was changed.',
    urgency: 'today',
    actions: [LOOK, 'name the right one with POST /operator/cases/{id}/settle { txHash, by, reason }', CLOSE],
    calls: ['settle'],
  },
};
