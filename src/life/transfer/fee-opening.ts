import { type Amount, amount, atLeast, scale } from '../../kernel/amount.ts';
import { ratio } from '../../kernel/ratio.ts';
import { type Chain, coinOf, type Refused, type Terms } from '../../world/chains/chain.ts';
import type { Order } from '../order/order.ts';
import type { Payment } from '../payment/payment.ts';
import type { TransferStage } from './stage.ts';

/**
 * Why no account is opened for whoever is to be paid. Whether there is one is up to him: who closes it before each payment would be given
 * what opens it every time. A fee must be worth that; of what an order pays its customer bears it, where he was told of it.
 */
export async function openingRefused(
  { inAsset }: Pick<TransferStage, 'inAsset'>,
  { facts }: Pick<Chain, 'facts'>,
  payment: Payment,
  order: Order | undefined,
  terms: Terms | Refused,
): Promise<Refused | undefined> {
  if ('refused' in terms || !terms.opening) return undefined;
  const { purpose, amount: paid } = payment;
  const isListed = facts.assets.some(({ id }) => id === paid.asset);
  const opening = () => inAsset(amount(coinOf(facts).id, terms.opening ?? 0n), paid.asset);
  if (purpose.for === 'integrator_fee') return smallerThan(await opening(), paid);
  if (purpose.for === 'payout') return order && wasOpen(order, paid) ? { refused: CLOSED_SINCE } : undefined;
  if (purpose.for !== 'refund' || !order || !isListed) return undefined;
  return (await isBorne(order, purpose.claim, opening)) ? undefined : { refused: CLOSED_SINCE };
}

/** It stays owed, and is paid once the account is open. */
function smallerThan(opening: Amount, fee: Amount): Refused | undefined {
  if (atLeast(fee, opening)) return undefined;
  return {
    refused: `the account of its address is not open, and opening it costs ${opening.atoms}, more than the fee of ${fee.atoms}`,
  };
}

/**
 * When the deposit was final nothing had to be opened for what was asked for, so nobody was charged for it. What the order yielded goes back
 * to the same address if its customer wants that, and the opening is deducted then.
 */
const wasOpen = ({ to, route }: Order, { asset }: Amount): boolean =>
  to.id === asset && !route.fees.some(({ type }) => type === 'activation');

/** Prices move between asking and signing, by less than this. */
const MOST_OF_PRICE = ratio(2n, 1n);

/** By what was deducted from the claim, or by the desk: where it is why the money goes back, and where a person decided that it does. */
async function isBorne({ claims }: Order, number: number, opening: () => Promise<Amount>): Promise<boolean> {
  const claim = claims.find((one) => one.number === number);
  if (!claim || claim.isOurs || claim.isDecided) return true;
  return claim.charged !== undefined && atLeast(scale(claim.charged.amount, MOST_OF_PRICE, 'up'), await opening());
}

const CLOSED_SINCE = 'its account was open when this was priced, and was closed since';
