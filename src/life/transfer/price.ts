import { type Amount, type Atoms, amount, atLeast, atoms, zero } from '../../kernel/amount.ts';
import { later } from '../../kernel/clock.ts';
import { type AssetId, chainOf } from '../../kernel/ids.ts';
import { type Chain, coinOf, type Terms } from '../../world/chains/chain.ts';
import type { Done, Job } from '../order/handling.ts';
import { isWaiting } from '../order/machine/claim.ts';
import { feeDue } from '../order/machine/fees.ts';
import { type Claim, netOf, type Order } from '../order/order.ts';
import { chainOfPayment, type Payment } from '../payment/payment.ts';
import type { PaymentBooks } from './books.ts';
import { type GasPayer, gasSignedBefore, gasThere } from './gas.ts';
import { refusedByScreening } from './screened.ts';
import { named, type TransferStage } from './stage.ts';
import { asTransfer, wantedOf } from './wanted.ts';

/** How long a fee is kept back while its transfer costs more than it comes to, and how often that is looked at. */
const FEE_PATIENCE_MS = 24 * 60 * 60_000;
const FEE_LOOK_MS = 10 * 60_000;

/** What the transfer costs, and what its account must get before it can pay that. */
export async function price(stage: TransferStage, job: Job<'price_payment'>, order: Order): Promise<Done> {
  const { chain, books, clock } = stage;
  const payment = await named(stage, job.effect.payment, order);
  const on = chain(chainOfPayment(payment));
  const coin = coinOf(on.facts).id;
  const [signed] = await books.attempts(payment.id);
  // A restored database prices anew what was paid long ago: its account may be empty by now, and that is no refusal.
  if (signed) {
    const isDelegated = (await books.adopted(signed))?.delegated !== undefined || payment.isDelegated === true;
    return {
      fact: {
        ...{ fact: 'payment_priced', payment: payment.id, gas: zero(coin), cost: zero(coin), at: clock.now() },
        ...(isDelegated ? { isDelegated } : {}),
      },
    };
  }
  const wanted = { ...wantedOf(payment, 'main'), isDelegated: await mayDelegate(books, payment) };
  const asked = { ...asTransfer(wanted), ...(mayBorrow(payment) ? { mayBorrow: true } : {}) };
  const terms = (await refusedByScreening(stage, wanted, order)) ?? (await on.terms(asked));
  const about = { payment: payment.id, at: clock.now() };
  if ('refused' in terms) {
    return { fact: { fact: 'payment_refused', part: 'main', reason: terms.refused, ...about } };
  }
  const cost = amount(coin, terms.usual);
  const ahead = await gasSignedBefore(books, payment);
  if (terms.delegated && !ahead)
    return { fact: { fact: 'payment_priced', gas: zero(coin), cost, isDelegated: true, ...about } };
  if (ahead) return { fact: { fact: 'payment_priced', cost, ...ahead, ...about } };
  const payer = { ...payment, others: order.payments.filter(({ id }) => id !== payment.id) };
  const missing = await missingCoins(books, on, payer, terms, coinsThatGo(order, payment, coin));
  // Coins go first: nobody can lend to an account that is not open.
  const { borrows } = terms;
  if (missing === 0n && borrows !== undefined)
    return { fact: { fact: 'payment_priced', gas: amount(coin, borrows), cost, isLent: true, ...about } };
  return { fact: { fact: 'payment_priced', gas: amount(coin, missing), cost, ...about } };
}

/** Once, for the first collection: what a loan could not do is done with coins, and no two loans are open for one account. */
const mayBorrow = ({ purpose, gas, back }: Payment): boolean =>
  purpose.for === 'collection' && !purpose.again && !gas?.isLent && !back;

/** Only what is collected. Whose nonce it uses is settled when it has one: the signer may have used that already. */
async function mayDelegate(books: PaymentBooks, { id, purpose, isDelegated = false }: Payment): Promise<boolean> {
  if (purpose.for !== 'collection') return false;
  return isDelegated || !(await books.hasNonce(id));
}

/** What the account must still get before it can pay for its transfer without touching coins that go elsewhere. */
async function missingCoins(
  books: PaymentBooks,
  on: Chain,
  payer: GasPayer,
  { cost }: Terms,
  goes: bigint,
): Promise<bigint> {
  if (payer.from === 'hot') return 0n;
  // Where the hot account pays the fee, the terms ask only for what the chain would miss here afterwards.
  if (on.facts.feePayer === 'hot') return cost;
  const there = await gasThere(books, on, payer, goes);
  return cost > there ? cost - there : 0n;
}

/** Coins on the deposit address that are collected or owed, and so pay for nothing. */
function coinsThatGo(order: Order, { purpose, amount: { asset, atoms } }: Payment, coin: AssetId): bigint {
  const owed = coinsOwed(order, coin);
  return purpose.for === 'collection' && asset === coin ? owed + atoms : owed;
}

const coinsOwed = ({ claims }: Order, coin: AssetId): bigint =>
  claims
    .filter(
      ({ amount, from, stage }) =>
        amount.asset === coin && from !== 'hot' && stage !== 'completed' && stage !== 'replaced',
    )
    .reduce((sum, claim) => sum + netOf(claim).atoms, 0n);

/** What giving a claim back costs the desk, all transfers counted, before anything is set apart for it. */
export async function priceClaim(stage: TransferStage, job: Job<'price_claim'>, order: Order): Promise<Done> {
  const claim = order.claims.find(({ number }) => number === job.effect.claim);
  if (!claim || (claim.stage !== 'pricing' && claim.stage !== 'kept' && !isWaiting(claim))) return 'done';
  if (isOutdated(claim, job.effect)) return 'done';
  const bound = await stage.boundOf(order, claim);
  const sender = bound.goes === 'to_sender' ? { sender: bound.sender } : {};
  const to = bound.goes === 'to_sender' ? bound.sender : claim.to;
  if (!to) return 'done';
  const on = stage.chain(chainOf(claim.amount.asset));
  const { asset, atoms: value } = netOf(claim);
  const coin = coinOf(on.facts).id;
  const terms = await on.terms({ from: claim.from, asset, atoms: value, to: to.address });
  const told = (cost: Amount, inAsset: Amount | undefined, least?: Atoms): Done => {
    const floor = least === undefined ? {} : { least: amount(asset, least) };
    return {
      fact: { fact: 'claim_priced', claim: claim.number, cost, inAsset, ...floor, ...sender, at: stage.clock.now() },
    };
  };
  // What is refused, by the chain or by who sent it, costs nothing; the payment finds the same and says so.
  if (bound.goes === 'nowhere') return told(zero(coin), zero(asset));
  if ('refused' in terms) {
    const { tooLittle } = terms;
    if (!tooLittle) return told(zero(coin), zero(asset));
    const usual = amount(coin, tooLittle.usual);
    return told(usual, await stage.inAsset(usual, asset), tooLittle.least);
  }
  const isListed = on.facts.assets.some(({ id }) => id === asset);
  if (!isListed) return told(amount(coin, terms.cost), undefined);
  const cost = amount(coin, await refundCost(stage.books, on, order, claim, terms));
  return told(cost, await stage.inAsset(cost, asset), terms.least);
}

/** What is kept has one time at which it is priced again, however often it was asked for. */
const isOutdated = ({ kept }: Claim, { due }: Job<'price_claim'>['effect']): boolean =>
  due !== undefined && kept?.due !== undefined && due !== kept.due;

/** Coins that go back pay for themselves out of what is deducted; everything else needs gas ahead where its account lacks it. */
async function refundCost(books: PaymentBooks, on: Chain, order: Order, claim: Claim, terms: Terms): Promise<bigint> {
  if (claim.from === 'hot') return terms.usual;
  const coin = coinOf(on.facts).id;
  const isCoin = claim.amount.asset === coin;
  if (isCoin && on.facts.feePayer === 'sender' && !claim.isOurs) return terms.cost;
  const payer = { owner: order.id, from: claim.from, others: order.payments };
  const missing = await missingCoins(books, on, payer, terms, coinsOwed(order, coin));
  if (missing === 0n) return terms.usual;
  const ahead = await on.terms({ from: 'hot', asset: coin, atoms: atoms(missing), to: order.depositAddress });
  const sent = 'refused' in ahead ? 0n : ahead.usual;
  // What must stay on an account is as good as spent.
  return sent + (on.facts.feePayer === 'hot' ? terms.usual + missing : terms.usual);
}

/**
 * What paying the integration costs now, an account that is opened for it included. Networks may have become dearer since the fee was
 * taken: then it is waited for a while. After that the desk bears what its transfer costs above it, but for an account that it opens:
 * whoever signs refuses that.
 */
export async function priceFee({ chain, clock, inAsset }: TransferStage, order: Order): Promise<Done> {
  const due = feeDue(order);
  if (!due || order.state.phase !== 'completed') return 'done';
  const { asset, atoms: value } = due.paid;
  const on = chain(chainOf(asset));
  const coin = coinOf(on.facts).id;
  const terms = await on.terms({ from: 'hot', asset, atoms: value, to: due.to.address });
  // A destination that the chain refuses costs nothing; the payment finds the same and says so.
  const cost = 'refused' in terms ? zero(asset) : await inAsset(amount(coin, terms.usual), asset);
  const isWaitedFor = clock.now() < later(order.state.at, FEE_PATIENCE_MS);
  if (isWaitedFor && !atLeast(due.paid, cost)) return { againInMs: FEE_LOOK_MS };
  return { fact: { fact: 'fee_priced', cost, at: clock.now() } };
}
