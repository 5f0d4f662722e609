import type { Account } from '../../../kernel/account.ts';
import { type Amount, smaller, subtract } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import { type LedgerAccount, move } from '../../payment/posting.ts';
import type { Destination, Order } from '../order.ts';
import { accountOf, enter, type Step, stay, then, withPostings } from '../step.ts';
import { openClaim } from './claim.ts';

export interface GivenBack {
  readonly amount: Amount;
  readonly from: Account;
  readonly reason: string;
  /** The desk is why it goes back, so it bears what that costs. */
  readonly isOurs?: boolean;
  /** Where this very sum goes, before whatever was named for the order. */
  readonly to?: Destination;
}

/** Gives back what there is as the order's own outcome: the deposit, or what became of it on the way. */
export function giveBack(order: Order, given: GivenBack): Step {
  return then(
    then(feesBack(order, given.isOurs ?? false), (now) => giveBackPart(now, given)),
    (now) =>
      enter(now, { phase: 'refunding', claim: present(now.claims.at(-1), 'claim').number, reason: given.reason }),
  );
}

/**
 * Whoever gets his money back pays no integration, which is not paid for it either. He pays the desk for the part of the way
 * that worked, unless the desk is why it ends there: a destination that refuses must not be a way to be served for nothing.
 */
function feesBack(order: Order, isOurs: boolean): Step {
  const { earned = [] } = order;
  const goesBack = ({ to }: { readonly to: LedgerAccount }): boolean => isOurs || to !== 'fees';
  const without: Order = { ...order, earned: earned.filter((one) => !goesBack(one)), feeEarned: undefined };
  return earned.filter(goesBack).reduce(
    (step, { amount, to }) =>
      withPostings(
        then(step, (now) => giveBackPart(now, { amount, from: 'hot', reason: FEE_BACK, isOurs })),
        move(to, accountOf(order), amount),
      ),
    stay(without),
  );
}

const FEE_BACK = 'the fee of an order that was not carried out';

/** Gives back what is not carried out, beside the outcome of the rest. */
export function giveBackPart(order: Order, { amount, from, reason, to: wished, isOurs = false }: GivenBack): Step {
  // An address that the customer named goes before the one that the chain shows.
  const to = [wished, order.refundTo, order.sender].find((known) => known?.asset === amount.asset);
  const used = amount.asset === order.from.id ? subtract(order.used, smaller(order.used, amount)) : order.used;
  return openClaim({ ...order, used }, { kind: 'source', amount, from, to, reason, isOurs });
}
