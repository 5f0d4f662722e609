import { amount, zero } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import type { AssetId } from '../../kernel/ids.ts';
import { type Chain, coinOf, type Terms } from '../../world/chains/chain.ts';
import type { Done, Job } from '../order/handling.ts';
import type { Order } from '../order/order.ts';
import { chainOfPayment, type Payment } from '../payment/payment.ts';
import { refusedByScreening } from './screened.ts';
import type { TransferStage } from './stage.ts';
import { asTransfer, wantedOf } from './wanted.ts';

/** Gas prices move between pricing and sending; what is too much stays on the address for next time. */
const GAS_MARGIN = 2n;

/** What the transfer costs, and what its account must get before it can pay that. */
export async function price(
  { chain, screen, books, clock }: TransferStage,
  job: Job<'price_payment'>,
  order: Order,
): Promise<Done> {
  const payment = present(await books.find(job.effect.payment), job.effect.payment);
  const on = chain(chainOfPayment(payment));
  const coin = coinOf(on.facts).id;
  const isSigned = (await books.attempts(payment.id)).length > 0;
  // A restored database prices anew what was paid long ago: its account may be empty by now, and that is no refusal.
  if (isSigned)
    return {
      fact: { fact: 'payment_priced', payment: payment.id, gas: zero(coin), cost: zero(coin), at: clock.now() },
    };
  const wanted = wantedOf(payment, 'main');
  const terms = (await refusedByScreening(screen, wanted, order)) ?? (await on.terms(asTransfer(wanted)));
  const about = { payment: payment.id, at: clock.now() };
  if ('refused' in terms) {
    return { fact: { fact: 'payment_refused', part: 'main', reason: terms.refused, ...about } };
  }
  const gas = amount(coin, await missingCoins(on, payment, order, coin, terms));
  return { fact: { fact: 'payment_priced', gas, cost: amount(coin, terms.usual), ...about } };
}

/** What the account must still get before it can pay for its transfer without touching coins that go elsewhere. */
async function missingCoins(
  on: Chain,
  payment: Payment,
  order: Order,
  coin: AssetId,
  { cost }: Terms,
): Promise<bigint> {
  if (payment.from === 'hot') return 0n;
  // Where the hot account pays the fee, the terms ask only for what the chain would miss here afterwards.
  if (on.facts.feePayer === 'hot') return cost;
  const { spendable } = await on.balance(payment.from, coin);
  const missing = cost * GAS_MARGIN + coinsThatGo(order, payment, coin) - spendable;
  return missing > 0n ? missing : 0n;
}

/** Coins on the deposit address that are collected or owed, and so pay for nothing. */
function coinsThatGo(order: Order, { purpose, amount: { asset, atoms } }: Payment, coin: AssetId): bigint {
  const owed = order.claims
    .filter(
      (claim) =>
        claim.amount.asset === coin &&
        claim.from !== 'hot' &&
        claim.stage !== 'completed' &&
        claim.stage !== 'replaced',
    )
    .reduce((total, claim) => total + claim.amount.atoms, 0n);
  return purpose.for === 'collection' && asset === coin ? owed + atoms : owed;
}
