import { type Amount, amount, atLeast } from '../../kernel/amount.ts';
import { type Clock, type Instant, later } from '../../kernel/clock.ts';
import { type Address, type AssetId, type ChainId, chainOf } from '../../kernel/ids.ts';
import { type Ratio, ratio } from '../../kernel/ratio.ts';
import type { Chain } from '../../world/chains/chain.ts';
import type { Provider, ProviderOrder } from '../../world/providers/provider.ts';
import type { Case } from '../case/case.ts';
import type { Delivery } from '../order/delivery.ts';
import { type Advanced, opened } from '../payment/advance.ts';
import { isPaid, newPayment, type Payment } from '../payment/payment.ts';
import { bestOffer } from '../quote/provider-offers.ts';
import { type DeliveryBooks, providerOf, taken } from './deals.ts';
import { DAY_MS, type FillWish, type StockFill, type StockLevel, type WishParts, wishFor } from './stock-levels.ts';

/** One that was noted, and then paid. */
export interface OpenFill {
  readonly number: number;
  readonly provider: string;
  readonly terms: ProviderOrder;
  readonly since: Instant;
}

/** What is kept of the house's own purchases. One is open at a time for each asset. */
export interface FillBook {
  /** False where another one is open, or has this number: somebody else was faster. */
  note(fill: Omit<OpenFill, 'since'> & { readonly asset: AssetId; readonly usd: bigint }): Promise<boolean>;
  open(asset: AssetId): Promise<OpenFill | undefined>;
  /** Of one that nobody opened a payment for: from now on nobody can. */
  drop(number: number): Promise<void>;
  /** `void`: nothing was spent on it, nor ever will be. */
  close(number: number, state: 'done' | 'lost' | 'void'): Promise<void>;
  last(): Promise<number>;
  /** Millionths of a dollar that were spent on it since then, whether any of that came to nothing, and with whom anything did. */
  since(
    asset: AssetId,
    since: Instant,
  ): Promise<{ readonly usd: bigint; readonly hasFailed: boolean; readonly failed: readonly string[] }>;
}

export interface FillParts extends WishParts {
  readonly fills: FillBook;
  readonly books: WishParts['books'] &
    DeliveryBooks & {
      payment(number: number): Promise<Payment | undefined>;
      open(payment: Advanced): Promise<void>;
      raise(about: Case): Promise<void>;
      fellShort(provider: string, deal: string): Promise<void>;
    };
  readonly providers: readonly Provider[];
  readonly chain: (id: ChainId) => Pick<Chain, 'hotAddress' | 'facts'>;
  /** Tells the signer that this address was agreed on. */
  readonly bind: (asset: AssetId, address: Address) => string;
  readonly clock: Clock;
}

const DEAL_LIFE_MS = 60 * 60 * 1000;
const OVERDUE_MS = 2 * 60 * 60 * 1000;

/** Each round follows what was bought, and buys what runs low: noted first, then paid once, through the gate of every payment. */
export function stockFiller(parts: FillParts): () => Promise<void> {
  return async () => {
    for (const level of parts.levels) {
      if (!level.fill || level.fill.isTrade) continue;
      const open = await parts.fills.open(level.asset);
      if (open) await follow(parts, open);
      else await buy(parts, level, level.fill);
    }
  };
}

async function buy(parts: FillParts, level: StockLevel, fill: StockFill): Promise<void> {
  let failed: readonly string[] = [];
  const wish = await wishFor(parts, level, fill, async () => {
    const spent = await parts.fills.since(level.asset, later(parts.clock.now(), -DAY_MS));
    failed = spent.failed;
    return spent.hasFailed ? undefined : spent.usd;
  });
  if (!wish) return;
  // Whoever has taken one and brought nothing is given no other, of whatever kind.
  const providers = parts.providers.filter(({ name }) => !failed.includes(name));
  await agree({ ...parts, providers }, level.asset, wish, fill.mostCost);
}

async function agree(
  { providers, chain, fills, books, bind, clock }: FillParts,
  output: AssetId,
  { input, least, usd }: FillWish,
  mostCost: Ratio,
): Promise<void> {
  const ask = {
    ...{ input, output, deadline: later(clock.now(), DEAL_LIFE_MS) },
    recipient: chain(chainOf(output)).hotAddress,
    refundTo: chain(chainOf(input.asset)).hotAddress,
  };
  const offer = await bestOffer(providers, ask, { perLeg: mostCost, full: mostCost }, ratio(least, input.atoms));
  if (offer === 'declined' || offer === 'unreachable') return;
  const terms = await offer.provider.open(offer.swap);
  // What is agreed may be worse than what was offered, or something else.
  const isAsAsked = terms.least.asset === output && atLeast(terms.least, amount(output, least));
  if (!isAsAsked || terms.input.asset !== input.asset || terms.input.atoms > input.atoms) return;
  const number = (await fills.last()) + 1;
  if (!(await fills.note({ number, asset: output, provider: offer.provider.name, terms, usd }))) return;
  const payment = newPayment({
    ...{ owner: 'treasury', purpose: { for: 'stock_fill', number }, from: 'hot', source: 'treasury' },
    ...{ amount: terms.input, to: terms.depositAddress, binding: bind(terms.input.asset, terms.depositAddress) },
  });
  await books.open(opened(payment));
}

/** What came is the treasury's already: it is only noted that it came for this, and who brought less than was agreed. */
async function follow(parts: FillParts, fill: OpenFill): Promise<void> {
  const { books, fills, clock } = parts;
  const payment = await books.payment(fill.number);
  // Whoever noted it was ended before it was to be paid, or it was refused: nothing was spent.
  if (!payment) return fills.drop(fill.number);
  if (payment.state.state === 'refused') return fills.close(fill.number, 'void');
  const told = await providerOf(parts, fill.provider).status(fill.terms);
  if (told.state === 'delivered' && (await arrived(parts, fill, told.output, told.txHash))) {
    const { asset, atoms } = fill.terms.least;
    if (told.output.asset !== asset || told.output.atoms < atoms) await books.fellShort(fill.provider, dealOf(fill));
    return fills.close(fill.number, 'done');
  }
  if (told.state === 'refunded' && (await arrived(parts, fill, told.amount, told.txHash)))
    return fills.close(fill.number, 'done');
  // Whoever was not paid yet owes nothing.
  const isOverdue = isPaid(payment) && clock.now() > later(fill.since, OVERDUE_MS);
  if (told.state !== 'failed' && !isOverdue) return;
  const reason = told.state === 'failed' ? told.reason : `it says "${told.state}" and nothing came`;
  await books.raise({ case: 'provider_failed', provider: fill.provider, deal: dealOf(fill), reason });
  await fills.close(fill.number, 'lost');
}

const dealOf = ({ number }: OpenFill): string => `treasury:${number}`;

/** It is found by its amount where its transaction goes by another name here than there. */
const arrived = async (
  parts: FillParts,
  fill: OpenFill,
  told: Amount,
  txHash: Delivery['txHash'],
): Promise<boolean> => {
  const wanted = { deal: dealOf(fill), told, since: fill.since };
  const byHash = txHash && (await taken(parts, { ...wanted, txHash }));
  return (byHash ?? (await taken(parts, { ...wanted, txHash: undefined }))) !== undefined;
};
