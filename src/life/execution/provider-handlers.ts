import { type Amount, isZero, scale } from '../../kernel/amount.ts';
import { assert } from '../../kernel/assert.ts';
import { type Clock, later } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { type Address, type AssetId, type ChainId, chainOf, type OrderId, type TxHash } from '../../kernel/ids.ts';
import { oneMoreThan, type Ratio, ratio, scaleInt, times } from '../../kernel/ratio.ts';
import type { UsdMicros } from '../../kernel/usd.ts';
import type { Chain } from '../../world/chains/chain.ts';
import type { Provider, ProviderOrder, Swap } from '../../world/providers/provider.ts';
import type { Done, Handler } from '../order/handling.ts';
import { budgetAt } from '../order/machine/fees.ts';
import { legOf } from '../order/machine/leg.ts';
import { type Destination, dealPayment, type Order } from '../order/order.ts';
import type { Rules } from '../order/rules.ts';
import type { Deal, In } from '../order/state.ts';
import { isAsBound, isKeptBack, isShort, mostDelivered, parted } from '../order/terms-kept.ts';
import { txHashOf } from '../payment/payment.ts';
import { type Ask, bestOffer, isCredible, type NoOffer } from '../quote/provider-offers.ts';
import type { ProviderLeg } from '../quote/quote.ts';
import { type DeliveryBooks, providerOf, statusOf, taken } from './deals.ts';

export interface ProviderStage {
  readonly providers: readonly Provider[];
  readonly chain: (id: ChainId) => Chain;
  readonly books: DeliveryBooks;
  /** Told of every deal that brought another amount than was agreed, once or more often. */
  readonly fellShort: (provider: string, deal: string) => Promise<void>;
  /** undefined where nobody names a price. */
  readonly worth: (of: Amount) => Promise<UsdMicros | undefined>;
  /** The market's price, in output atoms for each input atom; undefined where nobody names it now. */
  readonly marketRate: (input: AssetId, output: AssetId) => Promise<Ratio | undefined>;
  readonly slippage: { readonly perLeg: Ratio; readonly full: Ratio };
  /** Binds an address that the signer is then asked to pay. */
  readonly bind: (
    purpose: 'payout' | 'fund',
    order: OrderId,
    asset: AssetId,
    address: Address,
  ) => Required<Destination>;
  readonly rules: Rules;
  readonly clock: Clock;
}

/** A deposit after this is sent back by the provider, and placed anew. */
const DEAL_LIFE_MS = 60 * 60 * 1000;

export function providerHandlers(stage: ProviderStage) {
  const placeLeg: Handler<'place_leg'> = async ({ effect }, order) => {
    const { state } = order;
    if (state.phase !== 'placing' || effect.number !== order.deals) return 'done';
    return placing(stage, order, state);
  };
  const watchLeg: Handler<'watch_leg'> = async ({ effect, tries }, order) => {
    const { state } = order;
    if (state.phase !== 'swapping' && state.phase !== 'provider_failed') return 'done';
    return effect.number === state.deal.number ? watching(stage, order, state, tries) : 'done';
  };
  return { place_leg: placeLeg, watch_leg: watchLeg };
}

/** Whoever offers most and agrees to it is chosen. Doing it twice leaves an order behind that nobody funds. */
async function placing(stage: ProviderStage, order: Order, state: In<'placing'>): Promise<Done> {
  const { chain, clock, rules } = stage;
  const leg = legOf(order, state.leg);
  assert(leg.leg === 'provider', `leg ${state.leg} of ${order.id} is not a provider's`);
  const ask: Ask = {
    input: budgetAt(order, state.leg, state.held),
    output: leg.output.asset,
    recipient: chain(chainOf(leg.output.asset)).hotAddress,
    refundTo: chain(chainOf(leg.input.asset)).hotAddress,
    deadline: later(clock.now(), DEAL_LIFE_MS),
  };
  const isOver = clock.now() >= later(state.since, rules.tradePatienceMs);
  const agreed = await agree(stage, leg, ask, isOver);
  if (agreed === 'declined') return declined(order, true, clock);
  if (agreed === 'unreachable') return isOver ? declined(order, false, clock) : { againInMs: rules.retryLegMs };
  const { provider, terms } = agreed;
  const { binding } = stage.bind('fund', order.id, terms.input.asset, terms.depositAddress);
  const at = clock.now();
  return { fact: { fact: 'leg_placed', deal: { number: order.deals, provider, terms, binding, placedAt: at }, at } };
}

/**
 * The best offer is opened; who then refuses, or agrees to less than the order's bound or to more than is believed, is left out, and the
 * others are asked. Nothing was paid, and an honest price may have moved since the offer: it counts on nobody's breaker.
 */
async function agree(
  { providers, marketRate, slippage, rules }: ProviderStage,
  leg: ProviderLeg,
  ask: Ask,
  isOver: boolean,
): Promise<Pick<Deal, 'provider' | 'terms'> | NoOffer> {
  const market = await marketRate(ask.input.asset, ask.output);
  if (!market) return 'unreachable';
  const bounds = { least: leg.worstRate, most: times(market, oneMoreThan(rules.offeredBeyond)) };
  let left = providers;
  for (;;) {
    const offer = await bestOffer(left, ask, slippage, bounds);
    if (typeof offer === 'string') return left === providers ? offer : 'declined';
    const { provider, swap } = offer;
    const terms = await openOrDecline(provider, swap, isOver);
    if (terms && isAsBound(terms, ask.input, leg) && isCredible(terms, ask.input, bounds.most))
      return { provider: provider.name, terms };
    left = left.filter((one) => one !== provider);
  }
}

const declined = ({ deals: number }: Order, refused: boolean, clock: Clock): Done => ({
  fact: { fact: 'leg_declined', number, refused, at: clock.now() },
});

/** One that offers for ever and never opens has declined, too. */
async function openOrDecline(provider: Provider, swap: Swap, isOver: boolean): Promise<ProviderOrder | undefined> {
  try {
    return await provider.open(swap);
  } catch (error) {
    if (error instanceof Fault && (error.kind === 'permanent' || isOver)) return undefined;
    throw error;
  }
}

/** Often at first, then at the pace of slow chains. What does not settle in days is somebody's to ask about. */
const patience = (tries: number): number => (tries < 120 ? 500 : tries < 1_000 ? 5_000 : 60_000);
const OVERDUE_MS = 60 * 60 * 1000;
/** A provider may name a transaction that is not the one on the chain; then what came in this very amount is taken. */
const TRIES_BY_HASH = 240;

async function watching(
  stage: ProviderStage,
  order: Order,
  state: In<'swapping' | 'provider_failed'>,
  tries: number,
): Promise<Done> {
  const { clock } = stage;
  const { deal } = state;
  const paid = dealPayment(order, deal);
  const txHash = paid && txHashOf(paid);
  if (tries === 1 && txHash) await hurry(stage, deal, txHash);
  const isOverdue = clock.now() > later(deal.terms.deadline, OVERDUE_MS);
  const told = await statusOf(stage, deal, isOverdue);
  const { number } = deal;
  const name = `${order.id}:${number}`;
  const take = (asked: Amount, hash: TxHash | undefined) =>
    taken(stage, {
      ...{ deal: name, told: asked, txHash: tries > TRIES_BY_HASH ? undefined : hash, since: deal.placedAt },
    });
  switch (told.state) {
    case 'delivered': {
      const got = await take(told.output, told.txHash);
      if (!got) break;
      return delivered(stage, order, state, name, got);
    }
    case 'refunded': {
      const { input } = deal.terms;
      // What it says of another asset is no refund of this.
      const got = told.amount.asset === input.asset ? await take(told.amount, told.txHash) : undefined;
      if (!got) break;
      // What was taken for the deal before it changed its mind is what the deal has.
      if (got.asset !== input.asset) return delivered(stage, order, state, name, got);
      if (isKeptBack(got, deal.terms, stage.rules) || !isZero(parted(got, input).beyond))
        await stage.fellShort(deal.provider, name);
      return { fact: { fact: 'leg_returned', number, got, at: clock.now() } };
    }
    case 'failed':
      if (state.phase === 'provider_failed') break;
      return { fact: { fact: 'leg_failed', number, reason: told.reason, at: clock.now() } };
    default:
  }
  if (state.phase === 'swapping' && isOverdue)
    return {
      fact: { fact: 'leg_failed', number, reason: `it says "${told.state}" and nothing came`, at: clock.now() },
    };
  return { againInMs: patience(tries) };
}

async function delivered(
  stage: ProviderStage,
  order: Order,
  state: In<'swapping' | 'provider_failed'>,
  name: string,
  got: Amount,
): Promise<Done> {
  const { number, provider, terms } = state.deal;
  const most = await mostOf(stage, terms, got);
  if (isShort(got, terms) || !isZero(parted(got, most).beyond)) await stage.fellShort(provider, name);
  const to = otherwise(stage, order, state, got);
  return { fact: { fact: 'leg_delivered', number, got, most, to, at: stage.clock.now() } };
}

/** Another asset than was agreed may come: then as much of it as what was agreed is worth. */
async function mostOf({ worth, rules }: ProviderStage, terms: ProviderOrder, got: Amount): Promise<Amount> {
  if (got.asset === terms.output.asset) return mostDelivered(terms, rules);
  const [came, agreed] = await Promise.all([worth(got), worth(terms.output)]);
  if (came === undefined || agreed === undefined)
    throw new Fault('transient', 'market', `nobody says what ${got.asset} is worth in ${terms.output.asset}`);
  const most = scaleInt(agreed, oneMoreThan(rules.deliveredBeyond), 'down');
  return came <= most ? got : scale(got, ratio(most, came), 'down');
}

/** Never needed, so no reason to stop. */
async function hurry(stage: ProviderStage, { provider, terms }: Deal, txHash: TxHash): Promise<void> {
  try {
    await providerOf(stage, provider).funded(terms, txHash);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
}

/** The customer's address, bound for an asset that nobody asked for. */
function otherwise(stage: ProviderStage, order: Order, { leg }: { leg: number }, got: Amount): Destination | undefined {
  if (got.asset === legOf(order, leg).output.asset || chainOf(got.asset) !== chainOf(order.to.id)) return undefined;
  return stage.bind('payout', order.id, got.asset, order.destination.address);
}
