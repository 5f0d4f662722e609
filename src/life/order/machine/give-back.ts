import type { Account } from '../../../kernel/account.ts';
import { type Amount, add, isZero, smaller, subtract } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import { usdValue } from '../../../kernel/usd.ts';
import { type LedgerAccount, move } from '../../payment/posting.ts';
import type { Part } from '../fact.ts';
import type { Destination, Order } from '../order.ts';
import type { Rules } from '../rules.ts';
import { accountOf, enter, type Step, stay, then, withPostings } from '../step.ts';
import { openClaim, roomFor } from './claim.ts';
import { isSpeck } from './deposit.ts';

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
 * Gives back to several accounts what each of them sent, by a claim of its own; the first is the order's outcome. What nobody is known
 * for, or there is no room for, goes where all else does; where that is no more than a speck it is not worth the asking, and goes with the last.
 */
export function giveBackInParts(order: Order, given: GivenBack, parts: readonly Part[], rules: Rules): Step {
  const known = within(given.amount, parts.slice(0, roomFor(order, rules)));
  const rest = known.reduce((left, part) => subtract(left, part.amount), given.amount);
  const isLittle = isSpeck(order, usdValue(rest, order.route.fromPrice), rules);
  const last = known.length - 1;
  const whole = known.map((part, at) => (isLittle && at === last ? { ...part, amount: add(part.amount, rest) } : part));
  const all = isZero(rest) || (isLittle && last >= 0) ? whole : [...whole, { amount: rest }];
  const [first = given, ...others] = all;
  const step = giveBack(order, { ...given, ...first });
  return others.reduce((so, part) => then(so, (now) => giveBackPart(now, { ...given, ...part })), step);
}

/** No more than there is, whatever a worker says that was sent. */
function within(most: Amount, parts: readonly Part[]): readonly Part[] {
  const taken: Part[] = [];
  let left = most;
  for (const { to, amount } of parts) {
    const part = smaller(amount, left);
    left = subtract(left, part);
    if (!isZero(part)) taken.push({ to, amount: part });
  }
  return taken;
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
