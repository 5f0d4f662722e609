import { type Amount, amount, atLeast, subtract } from '../../kernel/amount.ts';
import { type Clock, type Instant, later } from '../../kernel/clock.ts';
import { oneByOne } from '../../kernel/each-by-itself.ts';
import { Fault } from '../../kernel/fault.ts';
import { type Address, type AssetId, type ChainId, chainOf } from '../../kernel/ids.ts';
import { oneMoreThan, type Ratio, ratio, times } from '../../kernel/ratio.ts';
import type { Chain } from '../../world/chains/chain.ts';
import type { Provider, ProviderOrder, ProviderStatus } from '../../world/providers/provider.ts';
import type { Case } from '../case/case.ts';
import type { Delivery } from '../order/delivery.ts';
import type { Rules } from '../order/rules.ts';
import { leastBack, mostDelivered, promises } from '../order/terms-kept.ts';
import { type Advanced, opened } from '../payment/advance.ts';
import { isPaid, newPayment, type Payment } from '../payment/payment.ts';
import { bestOffer, isCredible } from '../quote/provider-offers.ts';
import { type DeliveryBooks, statusOf, taken } from './deals.ts';
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
  /** From now on its payment is signed no more. What was signed before is followed as ever. */
  withdraw(number: number): Promise<void>;
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
  readonly rules: Pick<Rules, 'offeredBeyond' | 'deliveredBeyond' | 'givenBack'>;
  readonly clock: Clock;
}

const DEAL_LIFE_MS = 60 * 60 * 1000;
const OVERDUE_MS = 2 * 60 * 60 * 1000;

/** Each round follows what was bought, and buys what runs low: noted first, then paid once, through the gate of every payment. */
export function stockFiller(parts: FillParts): () => Promise<void> {
  const bought = parts.levels.filter(({ fill }) => fill && !fill.isTrade);
  return () =>
    oneByOne(bought, async (level) => {
      const open = await parts.fills.open(level.asset);
      if (open) await follow(parts, open);
      else if (level.fill) await buy(parts, level, level.fill);
    });
}

async function buy(parts: FillParts, level: StockLevel, fill: StockFill): Promise<void> {
  // Before the stock is read: a purchase that another engine begins and ends meanwhile takes this number, and the stock is not what was read.
  const number = (await parts.fills.last()) + 1;
  let failed: readonly string[] = [];
  const wish = await wishFor(parts, level, fill, async () => {
    const spent = await parts.fills.since(level.asset, later(parts.clock.now(), -DAY_MS));
    failed = spent.failed;
    return spent.hasFailed ? undefined : spent.usd;
  });
  if (!wish) return;
  // Whoever has taken one and brought nothing is given no other, of whatever kind.
  const providers = parts.providers.filter(({ name }) => !failed.includes(name));
  await agree({ ...parts, providers }, number, level.asset, wish, fill.mostCost);
}

async function agree(
  { providers, chain, fills, books, bind, rules, clock }: FillParts,
  number: number,
  output: AssetId,
  { input, least, fair, usd }: FillWish,
  mostCost: Ratio,
): Promise<void> {
  const ask = {
    ...{ input, output, deadline: later(clock.now(), DEAL_LIFE_MS) },
    recipient: chain(chainOf(output)).hotAddress,
    refundTo: chain(chainOf(input.asset)).hotAddress,
  };
  const most = times(ratio(fair, input.atoms), oneMoreThan(rules.offeredBeyond));
  const bounds = { least: ratio(least, input.atoms), most };
  const offer = await bestOffer(providers, ask, { perLeg: mostCost, full: mostCost }, bounds);
  if (offer === 'declined' || offer === 'unreachable') return;
  const terms = await offer.provider.open(offer.swap);
  if (!promises(terms, amount(output, least)) || !isCredible(terms, input, most)) return;
  if (terms.input.asset !== input.asset || terms.input.atoms > input.atoms) return;
  if (!(await fills.note({ number, asset: output, provider: offer.provider.name, terms, usd }))) return;
  const payment = newPayment({
    ...{ owner: 'treasury', purpose: { for: 'stock_fill', number }, from: 'hot', source: 'treasury' },
    ...{ amount: terms.input, to: terms.depositAddress, binding: bind(terms.input.asset, terms.depositAddress) },
  });
  await books.open(opened(payment));
}

/** What came is the treasury's already: it is only noted that it came for this, and who brought another amount than was agreed. */
async function follow(parts: FillParts, fill: OpenFill): Promise<void> {
  const { books, fills, clock } = parts;
  const payment = await books.payment(fill.number);
  // Whoever noted it was ended before it was to be paid, or it was refused: nothing was spent.
  if (!payment) return fills.drop(fill.number);
  if (payment.state.state === 'refused') return fills.close(fill.number, 'void');
  // Whoever was not paid yet owes nothing.
  const isOverdue = isPaid(payment) && clock.now() > later(fill.since, OVERDUE_MS);
  const told = await statusOf(parts, fill, isOverdue).catch((error) => naming(fill, error));
  if (await isBrought(parts, fill, told)) return fills.close(fill.number, 'done');
  // What was not signed yet is never paid to a deal that is dead: it is refused, and the purchase was none.
  if (told.state === 'failed' && !isPaid(payment)) return fills.withdraw(fill.number);
  if (told.state !== 'failed' && !isOverdue) return;
  const reason = told.state === 'failed' ? told.reason : `it says "${told.state}" and nothing came`;
  await books.raise({ case: 'provider_failed', provider: fill.provider, deal: dealOf(fill), reason });
  await fills.close(fill.number, 'lost');
}

const dealOf = ({ number }: OpenFill): string => `treasury:${number}`;

function naming({ provider, number }: OpenFill, error: unknown): never {
  if (!(error instanceof Fault)) throw error;
  throw new Fault(error.kind, error.at, `purchase ${number} with ${provider}: ${error.message}`);
}

/** Whether our own account shows what it says that it sent; a refund counts only in what was paid. */
async function isBrought(parts: FillParts, fill: OpenFill, told: ProviderStatus): Promise<boolean> {
  const { terms } = fill;
  if (told.state === 'delivered') {
    const got = await arrived(parts, fill, told.output, told.txHash);
    if (got) await compare(parts, fill, got, terms.least, mostDelivered(terms, parts.rules));
    return got !== undefined;
  }
  if (told.state !== 'refunded' || told.amount.asset !== terms.input.asset) return false;
  const got = await arrived(parts, fill, told.amount, told.txHash);
  if (got) await compare(parts, fill, got, leastBack(terms, parts.rules), terms.input);
  return got !== undefined;
}

/** A person is told of what came too much, as well: it may be what another deal waits for. */
async function compare({ books }: FillParts, fill: OpenFill, got: Amount, least: Amount, most: Amount): Promise<void> {
  const about = { provider: fill.provider, deal: dealOf(fill) };
  const amiss = ((): Case | undefined => {
    if (got.asset !== least.asset)
      return { case: 'provider_delivered_other', provider: fill.provider, asset: got.asset };
    if (!atLeast(got, least)) return { case: 'provider_delivered_less', ...about, ...subtract(least, got) };
    if (!atLeast(most, got)) return { case: 'provider_delivered_more', ...about, ...subtract(got, most) };
    return undefined;
  })();
  if (!amiss) return;
  await books.fellShort(fill.provider, dealOf(fill));
  await books.raise(amiss);
}

/** It is found by its amount where its transaction goes by another name here than there. */
const arrived = async (
  parts: FillParts,
  fill: OpenFill,
  told: Amount,
  txHash: Delivery['txHash'],
): Promise<Amount | undefined> => {
  const wanted = { deal: dealOf(fill), told, since: fill.since };
  const byHash = txHash && (await taken(parts, { ...wanted, txHash }));
  return byHash ?? (await taken(parts, { ...wanted, txHash: undefined }));
};
