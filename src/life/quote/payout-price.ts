import { type Atoms, atoms } from '../../kernel/amount.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Address } from '../../kernel/ids.ts';
import type { Asset, Chain, Terms } from '../../world/chains/chain.ts';

/** What paying somebody costs, in the chain's own coin. */
export interface PayoutPrice {
  readonly usual: Atoms;
  /** To open an account for the payee, beside that. */
  readonly opening: Atoms;
}

type Priced = Pick<Chain, 'facts' | 'terms' | 'balance' | 'hotAddress' | 'stranger'>;

/**
 * The real payment to this address. Where nobody is named, or the chain would refuse the address, it is the dearer ordinary
 * case: somebody whom nobody has paid before.
 */
export async function payoutPrice(chain: Priced, asset: Asset, to: Address | undefined): Promise<PayoutPrice> {
  const real = to && (await priceOf(chain, asset, to));
  const price = real ?? (await priceOf(chain, asset, chain.stranger ?? chain.hotAddress));
  if (!price) throw new Fault('transient', `chain:${chain.facts.id}`, `nobody can be paid ${asset.symbol} now`);
  return price;
}

/** One atom is paid in full, as far as a chain's price goes; nothing at all is what can be asked without holding any. */
async function priceOf(chain: Priced, { id, native }: Asset, to: Address): Promise<PayoutPrice | undefined> {
  const held = native ? 0n : (await chain.balance('hot', id)).spendable;
  const terms = await chain.terms({ from: 'hot', asset: id, atoms: atoms(held > 0n ? 1n : 0n), to });
  return 'refused' in terms ? undefined : parted(terms);
}

function parted({ usual, opening = atoms(0n) }: Terms): PayoutPrice {
  return { usual: atoms(usual - opening), opening };
}

/** What the dearest transfer between accounts that have been used costs; undefined where the chain refuses to say. */
export async function ownTransferCost(chain: Priced): Promise<Atoms | undefined> {
  const asked = await Promise.all(
    chain.facts.assets.map(({ id }) => chain.terms({ from: 'hot', asset: id, atoms: atoms(0n), to: chain.hotAddress })),
  );
  const known = asked.flatMap((terms) => ('refused' in terms ? [] : [terms.usual]));
  const [first, ...rest] = known;
  return first === undefined ? undefined : rest.reduce((most, cost) => (cost > most ? cost : most), first);
}
