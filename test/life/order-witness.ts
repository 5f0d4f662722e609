import assert from 'node:assert/strict';
import { type Amount, add, isZero, subtract } from '../../src/kernel/amount.ts';
import { type AssetId, intentId } from '../../src/kernel/ids.ts';
import type { LedgerAccount, NewIntent, Posting } from '../../src/life/order/effect.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import { offVenue } from '../../src/life/order/machine/exchange.ts';
import { feesAt } from '../../src/life/order/machine/fees.ts';
import type { Claim, Order } from '../../src/life/order/order.ts';
import type { Rules } from '../../src/life/order/rules.ts';
import { NEXT, type Phase } from '../../src/life/order/state.ts';
import { accountOf, type Outcome, type Step, unclaimed } from '../../src/life/order/step.ts';
import { transition } from '../../src/life/order/transition.ts';

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
export function witness(first: Order, rules: Rules, watch: (before: Order, now: Order) => void = () => {}) {
  const ledger = openLedger();
  const intents = new Map<string, NewIntent>();
  const paid = new Set<string>();
  let order = first;

  function tell(fact: Fact): Outcome {
    const outcome = transition(order, fact, rules);
    if (outcome === 'ignore') return outcome;
    const before = order;
    order = outcome.order;
    checkMove(before, order);
    for (const intent of outcome.intents) {
      checkIntent(order, intent);
      assert.ok(!intents.has(intent.id), `${intent.id} is made twice`);
      intents.set(intent.id, intent);
    }
    checkEffects(outcome, intents);
    ledger.post(outcome.postings);
    if (fact.fact === 'intent_final') {
      const id = intentId(order.id, fact.intent.kind, fact.intent.leg);
      assert.ok(intents.has(id) && !paid.has(id), `${id} is final twice, or was never made`);
      paid.add(id);
    }
    checkMoney();
    watch(before, order);
    return outcome;
  }

  const hasRefund = (claim: Claim) => intents.has(intentId(order.id, 'refund', claim.leg));

  /** The ledger says of the order exactly what its state says. */
  function checkMoney(): void {
    const sources = order.claims
      .filter(({ kind, amount }) => kind === 'source' && amount.asset === order.from.id)
      .map(({ amount }) => amount);
    const rest = unclaimed(order);
    const split = [order.used, rest, ...sources].reduce(add);
    assert.deepEqual(split, order.funds.confirmed, 'what was confirmed is used, claimed, or neither yet');
    if (!UNSETTLED.has(order.state.phase)) assert.ok(isZero(rest), 'a settled order left money aside');
    const expected = sumByAsset([...held(order), ...order.claims.filter((c) => !hasRefund(c)).map((c) => c.amount)]);
    for (const asset of assetsOf(order)) {
      const has = ledger.balance(accountOf(order), asset);
      assert.equal(has, expected.get(asset) ?? 0n, `${order.state.phase}: the order's balance of ${asset}`);
    }
    checkOutflow();
  }

  /** Nothing leaves but what came in, and what was paid out is not given back as well. */
  function checkOutflow(): void {
    const legs = [0, 1].filter((leg) => paid.has(intentId(order.id, 'payout', leg)));
    const refunds = order.claims.filter(({ leg }) => paid.has(intentId(order.id, 'refund', leg)));
    const refunded = sumByAsset(refunds.map(({ amount }) => amount));
    const strayed = sumByAsset(refunds.filter(({ kind }) => kind === 'wrong_chain').map(({ amount }) => amount));
    for (const stray of order.strays) assert.ok((strayed.get(stray.asset) ?? 0n) <= stray.atoms);
    assert.equal(legs.length, order.state.phase === 'completed' ? 1 : 0, 'completed means paid once');
    const carriedOut = legs.length > 0 ? order.used.atoms : 0n;
    const returned = refunded.get(order.from.id) ?? 0n;
    assert.ok(returned + carriedOut <= order.funds.confirmed.atoms, 'more left than came in');
    if (order.state.phase !== 'completed') return;
    assert.ok(carriedOut > 0n);
    const { traded, state, route } = order;
    if (traded) assert.ok(traded.spent.atoms <= traded.total.atoms);
    if (traded && route.legs.at(-1)?.leg === 'venue')
      assert.ok(state.out.atoms <= offVenue(order, route.legs.length, traded.got).atoms);
  }

  return {
    tell,
    intents,
    paid,
    balance: ledger.balance,
    get order() {
      return order;
    },
  };
}

export type Witness = ReturnType<typeof witness>;

function checkMove(before: Order, now: Order): void {
  const [was, is] = [before.state.phase, now.state.phase];
  assert.ok(was === is || NEXT[was].includes(is), `${was} to ${is} is not on the map`);
  assert.equal(now.version, before.version + 1);
  assert.deepEqual(now.destination, before.destination);
  if (before.replacement) assert.deepEqual(now.replacement, before.replacement);
  if (before.refundTo) assert.deepEqual(now.refundTo, before.refundTo);
  for (const claim of before.claims) {
    const later = now.claims.find(({ leg }) => leg === claim.leg);
    assert.deepEqual(later?.amount, claim.amount);
    if (claim.to) assert.deepEqual(later?.to, claim.to);
    if (claim.stage === 'completed') assert.deepEqual(later, claim);
  }
}

/** Every payment goes where it was bound to go. */
function checkIntent(order: Order, { kind, leg, amount, to, toDeposit, binding }: NewIntent): void {
  assert.ok(amount.atoms > 0n, `${kind}:${leg} pays nothing`);
  const claim = order.claims.find((one) => one.leg === leg);
  switch (kind) {
    case 'payout': {
      const bound = leg === 0 ? (order.fallback ?? order.destination) : order.replacement;
      assert.deepEqual({ asset: amount.asset, address: to, binding }, bound);
      break;
    }
    case 'refund':
      assert.deepEqual(amount, claim?.amount);
      assert.deepEqual({ asset: amount.asset, address: to, binding }, claim?.to);
      break;
    case 'fund': {
      assert.ok(order.state.phase === 'funding' && order.state.deal.number === leg);
      const { terms, binding: known } = order.state.deal;
      assert.deepEqual([amount, to, binding], [terms.input, terms.depositAddress, known]);
      break;
    }
    case 'gas':
      assert.deepEqual([to, toDeposit], [order.depositAddress, order.depositIndex]);
      break;
    case 'sweep':
      assert.deepEqual(amount, order.used);
      break;
    default:
      assert.fail(`an order makes no ${kind}`);
  }
}

/** Nobody is told to sign, send or confirm what was never made. */
function checkEffects({ effects }: Step, intents: ReadonlyMap<string, NewIntent>): void {
  for (const effect of effects) if ('intent' in effect) assert.ok(intents.has(effect.intent), effect.intent);
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
    case 'funding_gas':
    case 'collecting':
      return [order.used];
    case 'stocking':
    case 'placing':
    case 'payout_due':
      return [state.held];
    case 'trading':
      return [feesAt(order, state.leg, state.held), subtract(state.run.total, state.run.spent), state.run.got];
    case 'funding':
    case 'swapping':
    case 'provider_failed':
      return [subtract(state.held, state.deal.terms.input)];
    case 'payout_refused':
      return [state.out];
    case 'failed':
      return state.code === 'deposit_not_collectable' ? [order.used] : [];
    default:
      return [];
  }
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
