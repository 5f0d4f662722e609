import { type Amount, type Atoms, add, amount, isZero, zero } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import { type AssetId, chainOf } from '../../kernel/ids.ts';
import { type Chain, coinOf } from '../../world/chains/chain.ts';
import type { CostsNow } from '../order/fact.ts';
import type { Order } from '../order/order.ts';
import { transfersAt } from '../quote/fee-terms.ts';
import { payoutPrice } from '../quote/payout-price.ts';
import type { FeeTerm } from '../quote/quote.ts';
import type { TransferStage } from './stage.ts';

interface Parts extends Pick<TransferStage, 'chain' | 'inAsset'> {
  /** Between accounts of our own: it is the same for every order of a moment. */
  transferCost(chain: Chain): Promise<Atoms | undefined>;
}

/** What carrying out the order costs on networks at this moment, to its real destination, beside what was reckoned with. */
export async function orderCosts(parts: Parts, order: Order): Promise<CostsNow> {
  const terms = [...(order.bridge ? [] : await onTheWay(parts, order)), ...(await atTheEnd(parts, order))];
  const fees = terms.filter(({ flat }) => !isZero(flat));
  const before = order.route.fees.flatMap((term) => (isCost(term) && term.flat ? [term.flat] : []));
  const inDeposit = (costs: readonly Amount[]) => sum(parts, order.from.id, costs);
  return {
    fees,
    now: await inDeposit(fees.map(({ flat }) => flat)),
    quoted: await inDeposit(before),
    fee: await feeCost(parts, order),
  };
}

/** The real payment to the integration, an account that is opened for it included, in what its fee is taken in. */
async function feeCost({ chain, inAsset }: Parts, { integratorFee, route }: Order): Promise<Amount | undefined> {
  const term = route.fees.find(({ type }) => type === 'integrator');
  if (!integratorFee?.to || !term) return undefined;
  const { asset, address } = integratorFee.to;
  const { facts } = chain(chainOf(asset));
  const paid = present(
    facts.assets.find(({ id }) => id === asset),
    `${asset} on ${facts.name}`,
  );
  const { usual, opening } = await payoutPrice(chain(facts.id), paid, address);
  return inAsset(amount(coinOf(facts).id, usual + opening), term.asset);
}

/** What the customer bears of what networks take. */
export const isCost = ({ type }: FeeTerm): boolean => type === 'network' || type === 'activation';

type Cost = FeeTerm & { readonly flat: Amount };

/** Collection, and what providers are sent. */
async function onTheWay({ chain, inAsset, transferCost }: Parts, { route, from }: Order): Promise<readonly Cost[]> {
  const counts = transfersAt(route.legs, chain(from.chainId).facts);
  return Promise.all(
    route.legs.map(async ({ input: { asset } }, at) => {
      const on = chain(chainOf(asset));
      const each = present(await transferCost(on), `the cost of a transfer on chain ${on.facts.id}`);
      const cost = amount(coinOf(on.facts).id, each * BigInt(counts[at] ?? 0));
      return costTerm('network', at, await inAsset(cost, asset));
    }),
  );
}

/** A bridge keeps what its settings say, which covers the payout but no account that is opened for it. */
async function atTheEnd({ chain, inAsset }: Parts, order: Order): Promise<readonly Cost[]> {
  const { to, route, destination, bridge } = order;
  const on = chain(to.chainId);
  const coin = coinOf(on.facts).id;
  const { usual, opening } = await payoutPrice(on, to, destination.address);
  const at = route.legs.length;
  const activation = costTerm('activation', at, await inAsset(amount(coin, opening), to.id));
  return bridge ? [activation] : [costTerm('network', at, await inAsset(amount(coin, usual), to.id)), activation];
}

const costTerm = (type: 'network' | 'activation', at: number, flat: Amount): Cost => ({
  ...{ type, at, asset: flat.asset, rate: undefined, flat },
});

async function sum({ inAsset }: Parts, asset: AssetId, costs: readonly Amount[]): Promise<Amount> {
  const all = await Promise.all(costs.map((cost) => inAsset(cost, asset)));
  return all.reduce(add, zero(asset));
}
