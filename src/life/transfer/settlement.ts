import { amount } from '../../kernel/amount.ts';
import type { TxHash } from '../../kernel/ids.ts';
import { coinOf } from '../../world/chains/chain.ts';
import type { Done } from '../order/handling.ts';
import type { Order } from '../order/order.ts';
import type { PaymentEffect } from '../payment/effect.ts';
import { chainOfPayment, intentOf } from '../payment/payment.ts';
import { named, type TransferStage } from './stage.ts';
import { asTransfer, wantedOf } from './wanted.ts';

type CheckSettlement = Extract<PaymentEffect, { readonly effect: 'check_settlement' }>;

/** What is in a block and not final yet is asked again at the pace of blocks. */
const NOT_FINAL_MS = 10_000;

/**
 * Somebody says that a transaction which our books do not know paid this. The chain decides: it must be final and make
 * exactly this transfer, it must not be what paid another, and nothing that we signed for it may still pay it again.
 */
export async function checkSettlement(
  stage: TransferStage,
  { payment: id, part, txHash: told, byHand }: CheckSettlement,
  order: Order | undefined,
): Promise<Done> {
  const { chain, books, clock } = stage;
  const payment = await named(stage, id, order);
  const on = chain(chainOfPayment(payment));
  const about = { payment: id, part };
  const refused = (txHash: TxHash, reason: string): Done => ({
    fact: { fact: 'settlement_refused', txHash, reason, ...about, at: clock.now() },
  });
  const paid = await on.paidBy(asTransfer(wantedOf(payment, part)), told);
  if ('refused' in paid) return refused(told, paid.refused);
  const { txHash, settled } = paid;
  if (!settled) return { againInMs: NOT_FINAL_MS };
  for (const own of await books.attempts(intentOf(payment, part)))
    if (own.txHash !== txHash && (await on.status(own)).state !== 'dead')
      return refused(txHash, `${own.txHash} was signed for it and may still be mined`);
  const isFree = await books.claimTransaction(intentOf(payment, part), on.facts.id, txHash);
  if (!isFree) return refused(txHash, 'this transaction is known as another payment');
  const cost = amount(coinOf(on.facts).id, paid.cost);
  return { fact: { fact: 'transfer_settled', worked: true, txHash, cost, byHand, ...about, at: clock.now() } };
}
