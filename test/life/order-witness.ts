import assert from 'node:assert/strict';
import { type Amount, add, isZero, scale, subtract } from '../../src/kernel/amount.ts';
import type { AssetId } from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import { offVenue } from '../../src/life/order/machine/exchange.ts';
import { budgetAt } from '../../src/life/order/machine/fees.ts';
import { type Claim, collectionPayment, netOf, type Order, refundPayment } from '../../src/life/order/order.ts';
import type { Rules } from '../../src/life/order/rules.ts';
import { type Execution, NEXT, type Phase } from '../../src/life/order/state.ts';
import { accountAt, leftOf, type Outcome, type Step, unclaimed } from '../../src/life/order/step.ts';
import { transition } from '../../src/life/order/transition.ts';
import { isPaid, type Payment } from '../../src/life/payment/payment.ts';
import type { LedgerAccount, Posting } from '../../src/life/payment/posting.ts';

/** Inventory that no story can use up, so that only the order's own money can run short. */
const OPENING = 10n ** 40n;
const UNSETTLED: ReadonlySet<Phase> = new Set(['awaiting_deposit', 'confirming', 'below_minimum']);

/** The ledger as the database keeps it: every posting moves something, and no account but the world's goes below zero. */
function openLedger() {
  const balances = new Map<string, bigint>();
  const keyOf = (account: LedgerAccount, asset: AssetId) => `${account} ${asset}`;
  const balance = (account: LedgerAccount, asset: AssetId): bigint =>
    balances.get(keyOf(account, asset)) ?? (account === 'treasury' || account === 'gas' ? OPENING : 0n);
  const change = (account: LedgerAccount, asset: AssetId, by: bigint) =>
    balances.set(keyOf(account, asset), balance(account, asset) + by);
  return {
    balance,
    post(postings: readonly Posting[]): void {
      for (const { from, to, amount } of postings) {
        assert.ok(from !== to && amount.atoms > 0n, `a posting of nothing: ${from} to ${to}`);
        change(from, amount.asset, -amount.atoms);
        change(to, amount.asset, amount.atoms);
      }
      for (const [account, left] of balances) {
        assert.ok(left >= 0n || account.startsWith('world '), `${account} is at ${left}`);
      }
    },
  };
}

/**
 * Stands beside an order, applies facts through `transition` as the engine would, and holds every step against the
 * invariants of money: the map, what is written once, the ledger, and what may leave.
 */
export function witness(first: Order, rules: Rules, watch: (before: Order, now: Order, fact: Fact) => void = () => {}) {
  const ledger = openLedger();
  /** Payments whose money has left, as far as the chain says now. */
  const paid = new Set<string>();
  /** What came back from deals that the order had left behind; a person sorts it out. */
  const stranded: Amount[] = [];
  let order = first;

  function tell(fact: Fact): Outcome {
    const outcome = transition(order, fact, rules);
    if (outcome === 'ignore') return outcome;
    const before = order;
    order = outcome.order;
    checkMove(before, order);
    for (const payment of order.payments) {
      const known = before.payments.find(({ id }) => id === payment.id);
      if (known) checkSame(known, payment);
      else checkPayment(before, order, payment);
    }
    checkEffects(outcome);
    ledger.post(outcome.postings);
    noteLeaving(before, outcome);
    checkMoney();
    watch(before, order, fact);
    return outcome;
  }

  function noteLeaving(before: Order, { cases }: Step): void {
    for (const payment of order.payments) {
      const wasPaid = before.payments.some((known) => known.id === payment.id && isPaid(known));
      if (isPaid(payment)) paid.add(payment.id);
      else if (wasPaid) paid.delete(payment.id);
      if (wasPaid)
        assert.ok(
          isPaid(payment) || payment.state.state === 'refused',
          `${payment.id} was paid and is again under way`,
        );
      const isStranded = cases.some((one) => one.case === 'deal_unpaid_late');
      if (wasPaid && !isPaid(payment) && isStranded) stranded.push(payment.amount);
    }
  }

  /** Its money is set apart or has left. */
  const hasLeft = (claim: Claim): boolean => {
    const refund = refundPayment(order, claim);
    return refund !== undefined && refund.state.state !== 'refused';
  };
  /** What could not be collected lies where it lay, until it is owed. */
  const uncollected = (): readonly Amount[] =>
    order.payments
      .filter(({ purpose }) => purpose.for === 'collection' && !purpose.forHouse)
      .slice(-1)
      .filter(({ state }) => state.state === 'refused')
      .filter(() => order.state.phase !== 'failed' || !isZero(order.used))
      .map(({ amount }) => amount);

  /** What lies on the deposit address and is ours: costs that were taken there, and what was paid for ahead and is not fetched yet. */
  function checkLeft(): void {
    const charged = order.claims
      .filter(({ stage }) => stage !== 'replaced')
      .flatMap(({ charged }) => (charged?.to === leftOf(order) ? [charged.amount] : []));
    const ahead = order.payments.filter(({ purpose }) => purpose.for === 'collection' && purpose.forHouse).slice(-1);
    const expected = sumByAsset([...charged, ...ahead.filter((one) => !isPaid(one)).map(({ amount }) => amount)]);
    for (const asset of assetsOf(order))
      assert.equal(ledger.balance(leftOf(order), asset), expected.get(asset) ?? 0n, `ours of ${asset} is still there`);
  }

  /** The ledger says of the order exactly what its state says. */
  function checkMoney(): void {
    const sources = order.claims
      .filter(({ kind, amount, stage }) => kind === 'source' && stage !== 'replaced' && amount.asset === order.from.id)
      .map(({ amount }) => amount);
    const rest = unclaimed(order);
    const split = [order.used, rest, ...sources].reduce(add);
    assert.deepEqual(split, order.funds.confirmed, 'what was confirmed is used, claimed, or neither yet');
    if (!UNSETTLED.has(order.state.phase)) assert.ok(isZero(rest), 'a settled order left money aside');
    const owed = order.claims.filter((one) => one.stage !== 'replaced' && !hasLeft(one)).map(netOf);
    const expected = sumByAsset([...held(order), ...owed, ...uncollected(), ...stranded]);
    for (const asset of assetsOf(order)) {
      const accounts = [accountAt(order, 'hot'), accountAt(order, { deposit: order.depositIndex })];
      const has = accounts.reduce((sum, account) => sum + ledger.balance(account, asset), 0n);
      assert.equal(has, expected.get(asset) ?? 0n, `${order.state.phase}: the order's balance of ${asset}`);
    }
    checkLeft();
    checkOutflow();
  }

  /** Nothing leaves but what came in, and what was paid out is not given back as well. */
  function checkOutflow(): void {
    const payouts = order.payments.filter(({ purpose, id }) => purpose.for === 'payout' && paid.has(id));
    const undone = order.payments.filter(({ purpose, state }) => purpose.for === 'payout' && state.state === 'refused');
    const refunds = order.claims.filter((claim) => paid.has(refundPayment(order, claim)?.id ?? ''));
    const refunded = sumByAsset(refunds.map(({ amount }) => amount));
    const strayed = sumByAsset(refunds.filter(({ kind }) => kind === 'wrong_chain').map(({ amount }) => amount));
    for (const stray of order.strays) assert.ok((strayed.get(stray.asset) ?? 0n) <= stray.atoms);
    const isOver = order.state.phase === 'completed';
    assert.ok(payouts.length === (isOver ? 1 : 0) || (isOver && undone.length > 0), 'completed means paid once');
    const carriedOut = payouts.length > 0 ? order.used.atoms : 0n;
    const returned = refunded.get(order.from.id) ?? 0n;
    assert.ok(returned + carriedOut <= order.funds.confirmed.atoms, 'more left than came in');
    if (order.state.phase !== 'completed' || payouts.length === 0) return;
    assert.ok(carriedOut > 0n);
    const { traded, state, route } = order;
    if (traded) assert.ok(traded.spent.atoms <= traded.total.atoms);
    if (traded && route.legs.at(-1)?.leg === 'venue')
      assert.ok(state.out.atoms <= offVenue(order, route.legs.length, traded.got).atoms);
  }

  return {
    tell,
    paid,
    balance: ledger.balance,
    get order() {
      return order;
    },
  };
}

export type Witness = ReturnType<typeof witness>;

const GROWS: ReadonlySet<Claim['stage']> = new Set(['address_required', 'kept', 'pricing']);

function checkMove(before: Order, now: Order): void {
  const [was, is] = [before.state.phase, now.state.phase];
  assert.ok(was === is || NEXT[was].includes(is), `${was} to ${is} is not on the map`);
  assert.equal(now.version, before.version + 1);
  assert.deepEqual(now.destination, before.destination);
  if (before.replacement) assert.deepEqual(now.replacement, before.replacement);
  if (before.refundTo) assert.deepEqual(now.refundTo, before.refundTo);
  for (const claim of before.claims) {
    const later = now.claims.find(({ number }) => number === claim.number);
    // More may be joined with it until its refund is set apart, and nothing after that.
    assert.ok(later && later.amount.asset === claim.amount.asset);
    assert.ok(claim.isSpeck || later.amount.atoms >= claim.amount.atoms);
    if (!GROWS.has(claim.stage)) assert.deepEqual(later.amount, claim.amount);
    if (claim.to) assert.deepEqual(later?.to, claim.to);
    if (claim.stage === 'completed') assert.ok(later?.stage === 'completed' || later?.stage === 'blocked');
    if (claim.stage === 'replaced') assert.equal(later?.stage, 'replaced');
  }
}

/** What a payment pays, and to whom, never changes. */
function checkSame(before: Payment, now: Payment): void {
  const fixed = ({ id, owner, purpose, from, amount, to, binding, source, bearer, payer }: Payment) => ({
    ...{ id, owner, purpose, from, amount, to, binding, source, bearer, payer },
  });
  assert.deepEqual(fixed(now), fixed(before));
  assert.ok(now === before || now.version === before.version + 1);
}

/** Every payment goes where it was bound to go. */
function checkPayment(before: Order, order: Order, { purpose, amount, to, binding, version }: Payment): void {
  assert.ok(amount.atoms > 0n && version === 0, `${purpose.for} pays nothing`);
  const paid = { asset: amount.asset, address: to, ...(binding === undefined ? {} : { binding }) };
  switch (purpose.for) {
    case 'payout': {
      const bound = purpose.number === 0 ? (order.fallback ?? order.destination) : order.replacement;
      assert.deepEqual(paid, bound);
      break;
    }
    case 'refund': {
      const claim = order.claims.find(({ number }) => number === purpose.claim);
      assert.deepEqual(amount, claim && netOf(claim));
      assert.deepEqual(paid, claim?.to);
      break;
    }
    case 'provider_deal': {
      assert.ok(order.state.phase === 'swapping' && order.state.deal.number === purpose.deal);
      const { terms, binding: known } = order.state.deal;
      assert.deepEqual([amount, to, binding], [terms.input, terms.depositAddress, known]);
      break;
    }
    case 'collection':
      assert.deepEqual(amount, collectionPayment(before)?.amount ?? before.used);
      break;
    default:
      assert.fail(`an order makes no ${purpose.for}`);
  }
}

/** Nobody is told to sign, send or watch what was never made. */
function checkEffects({ effects, order }: Step): void {
  for (const effect of effects)
    if ('payment' in effect)
      assert.ok(
        order.payments.some(({ id }) => id === effect.payment),
        effect.payment,
      );
}

/** What the order holds beside its claims. */
function held(order: Order): readonly Amount[] {
  const { state } = order;
  switch (state.phase) {
    case 'awaiting_deposit':
    case 'confirming':
    case 'below_minimum':
      return [order.funds.confirmed];
    case 'screening':
      return [order.used];
    case 'stocking':
      return state.run ? inTrade(order, state, state.run) : [state.held];
    case 'placing':
    case 'payout_due':
      return [state.held];
    case 'trading':
      return inTrade(order, state, state.run);
    case 'swapping':
    case 'provider_failed':
      return [subtract(state.held, state.deal.terms.input)];
    case 'payout_refused':
      return [state.out];
    default:
      return [];
  }
}

/** Fees and what is not exchanged yet lie where the deposit does, the rest on the venue. */
function inTrade(order: Order, { leg, held: whole }: { leg: number; held: Amount }, run: Execution): readonly Amount[] {
  const { reserved, total, spent, got } = run;
  const exchanged = scale(budgetAt(order, leg, whole), ratio(reserved.atoms, total.atoms), 'down');
  return [subtract(whole, exchanged), subtract(reserved, spent), got];
}

function sumByAsset(amounts: readonly Amount[]): ReadonlyMap<AssetId, bigint> {
  const sums = new Map<AssetId, bigint>();
  for (const { asset, atoms } of amounts) sums.set(asset, (sums.get(asset) ?? 0n) + atoms);
  return sums;
}

/** What execution yielded that fees ate up stays with a failed order, for a person to look at. */
function assetsOf({ state, from, to, route, strays }: Order): readonly AssetId[] {
  const ofLegs = route.legs.flatMap((leg) => [
    leg.input.asset,
    ...(leg.leg === 'venue' ? [leg.spend] : []),
    ...(state.phase === 'failed' ? [] : [leg.output.asset, ...(leg.leg === 'venue' ? [leg.receive] : [])]),
  ]);
  const ends = state.phase === 'failed' ? [from.id] : [from.id, to.id];
  return [...ends, ...ofLegs, ...strays.map(({ asset }) => asset)];
}
