import { amount } from '../../kernel/amount.ts';
import { type Address, type AssetId, chainOf, type OrderId } from '../../kernel/ids.ts';
import { type UsdMicros, usdValue } from '../../kernel/usd.ts';
import type { Screen } from '../../world/screening/screen.ts';
import type { ClaimBound } from '../order/claim-bound.ts';
import type { Part } from '../order/fact.ts';
import { isSpeck } from '../order/machine/deposit.ts';
import { type Claim, type Destination, netOf, type Order } from '../order/order.ts';
import type { Rules } from '../order/rules.ts';
import type { KeptSighting } from '../order/sighting.ts';
import { aboveZero, mostFirst, type Sent, sentBefore, totalOf, withoutSpecks } from './senders.ts';

export interface OriginParts {
  /** All that came to the order's address of one asset and was proven. */
  readonly sent: (order: Order, asset: AssetId) => Promise<readonly KeptSighting[]>;
  /** Binds a sender as a place to refund to. */
  readonly bindRefund: (order: OrderId, asset: AssetId, address: Address) => Destination;
  readonly screen: Screen;
  /** undefined where nobody names a price. */
  readonly worth: (of: Part['amount']) => Promise<UsdMicros | undefined>;
  readonly rules: Rules;
}

/** Who sent what an order has, and so where it may go back to. */
export function openOrigins({ sent, bindRefund, screen, worth, rules }: OriginParts) {
  const worthMore = async (order: Order, asset: AssetId, all: Sent): Promise<Sent> => {
    const total = totalOf(all);
    if (total === 0n) return [];
    const whole = amount(asset, total);
    const value = asset === order.from.id ? usdValue(whole, order.route.fromPrice) : await worth(whole);
    // Of what nobody can say the worth, nothing is next to nothing.
    const isNothing = (sum: bigint): boolean =>
      value !== undefined && isSpeck(order, ((value * sum) / total) as UsdMicros, rules);
    return withoutSpecks(all, isNothing);
  };

  const listedOf = async (asset: AssetId, accounts: readonly Address[]): Promise<readonly Address[]> => {
    const isHit = async (some: readonly Address[]) => (await screen(chainOf(asset), some)) !== 'clear';
    if (accounts.length === 0 || !(await isHit(accounts))) return [];
    const listed: Address[] = [];
    for (const one of accounts) if (await isHit([one])) listed.push(one);
    return listed.length > 0 ? listed : accounts;
  };

  return {
    /** What each plain account sent of what the order uses, those of the most first; specks are nobody's. */
    async partsOf(order: Order): Promise<readonly Part[]> {
      const { id, used, from } = order;
      const { first } = sentBefore(await sent(order, from.id), used.atoms);
      const counted = await worthMore(order, from.id, first);
      return counted
        .slice(0, rules.mostSenders)
        .flatMap(([sender, sum]) =>
          sender === undefined ? [] : [{ to: bindRefund(id, from.id, sender), amount: amount(from.id, sum) }],
        );
    },

    /**
     * Money that came late, in surplus or astray was screened by nobody when it came. What an order has used and what goes back to its
     * sender by another claim is not what this one is about; and specks are anybody's, so that a stranger can bind nothing with one.
     */
    async boundOf(order: Order, claim: Claim): Promise<ClaimBound> {
      const { asset } = claim.amount;
      const used = asset === order.from.id ? order.used.atoms : 0n;
      const left = withoutReturned(order, claim, sentBefore(await sent(order, asset), used).after);
      const counted = await worthMore(order, asset, left);
      const specks = totalOf(left) - totalOf(counted);
      const covers = (address: Address): boolean => {
        const own = counted.find(([sender]) => sender === address)?.[1] ?? 0n;
        return own > 0n && netOf(claim).atoms <= own + specks;
      };
      if (claim.to && covers(claim.to.address)) return { goes: 'back' };
      const listed = await listedOf(asset, counted.flatMap(([sender]) => sender ?? []).slice(0, rules.mostSenders));
      if (listed.length === 0) return { goes: 'anywhere' };
      const reason = `it came from ${listed.join(', ')}, which did not pass screening, and goes to nobody else`;
      const [only] = counted.length === 1 ? listed : [];
      if (only !== undefined && covers(only))
        return { goes: 'to_sender', sender: bindRefund(order.id, asset, only), reason };
      return { goes: 'nowhere', reason: `a part of ${reason}` };
    },
  };
}

/** Without what other claims give back to the very account that sent it. */
function withoutReturned({ claims }: Order, { number, amount: { asset } }: Claim, all: Sent): Sent {
  const others = claims.filter(
    (one) => one.number !== number && one.stage !== 'replaced' && one.amount.asset === asset,
  );
  const left = all.map(([sender, sum]) => {
    const back = others.filter(({ to }) => to !== undefined && to.address === sender);
    return [sender, back.reduce((rest, one) => rest - one.amount.atoms, sum)] as const;
  });
  return mostFirst(aboveZero(left));
}
