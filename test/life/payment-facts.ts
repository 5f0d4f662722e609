import { type Amount, amount } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import type { Instant } from '../../src/kernel/clock.ts';
import { assetId, chainOf, type TokenId, type TxHash, txHash } from '../../src/kernel/ids.ts';
import type { Part } from '../../src/kernel/transfer-part.ts';
import type { Order } from '../../src/life/order/order.ts';
import type { PaymentFact } from '../../src/life/payment/fact.ts';
import type { Payment, PurposeName } from '../../src/life/payment/payment.ts';

/** The newest payment of that purpose. */
export const paymentOf = (order: Order, purpose: PurposeName): Payment =>
  present(
    order.payments.findLast((one) => one.purpose.for === purpose),
    `${purpose} of ${order.id}`,
  );

/** The bytes that stories sign for a payment. */
export const hashOf = ({ id }: Payment, part: Part = 'main'): TxHash =>
  txHash(`0x${id}${part === 'gas' ? ' gas' : ''}`);

/** Gas is paid in the coin of the chain that the money is on. */
export const coin = ({ asset }: Amount, value: bigint): Amount =>
  amount(assetId(chainOf(asset), 'COIN' as TokenId), value);

/** What may happen to a payment, told at one time. */
export function newsOf(payment: Payment, at: Instant, part: Part = 'main') {
  const about = { payment: payment.id, part, at } as const;
  const hash = hashOf(payment, part);
  const mined = { ...about, txHash: hash, cost: coin(payment.amount, 2n) };
  return {
    priced: (gas: bigint): PaymentFact => ({
      ...{ fact: 'payment_priced', payment: payment.id, at },
      ...{ gas: coin(payment.amount, gas), cost: coin(payment.amount, 2n) },
    }),
    refused: { fact: 'payment_refused', reason: 'the chain says no', ...about },
    refusedDead: { fact: 'payment_refused', reason: 'the chain says no', afterDead: hash, ...about },
    signed: { fact: 'transfer_signed', txHash: hash, ...about },
    signedAnew: { fact: 'transfer_signed', txHash: txHash(`${hash} anew`), ...about },
    sent: { fact: 'transfer_sent', ...about },
    confirmed: { fact: 'transfer_confirmed', ...mined },
    settled: { fact: 'transfer_settled', worked: true, ...mined },
    failed: { fact: 'transfer_settled', worked: false, ...mined },
    stuck: { fact: 'transfer_stuck', txHash: hash, replaceable: true, reason: 'no block', ...about },
    overdue: { fact: 'transfer_stuck', txHash: hash, replaceable: false, reason: 'no block', ...about },
    misnamed: { fact: 'settlement_refused', txHash: hash, reason: 'it pays nothing', ...about },
    dead: { fact: 'transfer_dead', txHash: hash, proof: 'its nonce is used', ...about },
  } as const satisfies Record<string, PaymentFact | ((gas: bigint) => PaymentFact)>;
}

/** Everything that happens to a payment which nothing goes wrong with. */
export function wayOf(payment: Payment, at: Instant): readonly PaymentFact[] {
  const { priced, signed, sent, confirmed } = newsOf(payment, at);
  return [...(payment.state.state === 'due' ? [priced(0n)] : []), signed, sent, confirmed];
}
