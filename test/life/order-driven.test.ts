import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isHeld } from '../../src/life/order/hold.ts';
import { isWaiting } from '../../src/life/order/machine/claim.ts';
import type { Claim, Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { WAYS } from './market.ts';
import { drive } from './order-driver.ts';
import type { Deposit, Named, Script } from './order-script.ts';
import type { Trip } from './world.ts';

/** Less patience than in life, and more than any delay here. */
const rules = { ...RULES, tradePatienceMs: 2 * 60_000 };

const trips: fc.Arbitrary<Trip> = fc
  .record({
    way: fc.constantFrom(...WAYS),
    chunks: fc.constantFrom(1, 3),
    hasRefundTo: fc.boolean(),
    collects: fc.boolean(),
  })
  .map(({ way, collects, ...terms }) => (way.startsWith('sell') ? { way, ...terms } : { way, collects, ...terms }));

/** Before and after the deadline at 60. */
const deposits: fc.Arbitrary<Deposit> = fc.record({
  at: fc.constantFrom(1.25, 5.25, 30.25, 58.25, 59.75, 60.25, 75.25),
  part: fc.constantFrom(5n, 90n, 100n, 500n, 990n, 1_000n, 1_300n),
  isStray: fc.constantFrom(false, false, false, true),
  fate: fc.constantFrom<Deposit['fate'][]>('stays', 'stays', 'stays', 'vanishes', 'reorged', 'returns'),
});

const payments = fc.subarray<Named>(['gas', 'sweep', 'fund', 'refund', 'payout:0', 'payout:1']);
/** Most of what can go wrong goes well most of the time. */
const seldom = <T>(usual: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });

const scripts: fc.Arbitrary<Script> = fc.record({
  trip: trips,
  deposits: fc.array(deposits, { maxLength: 4 }),
  closesWaitAt: seldom<number | undefined>(undefined, fc.constantFrom(3.5, 20.5, 59.5)),
  givesRefundAddress: fc.boolean(),
  givesPayoutAddress: fc.boolean(),
  wantsItBack: fc.boolean(),
  isClear: seldom(true, fc.constant(false)),
  showsSender: fc.boolean(),
  gas: fc.constantFrom(0n, 5n),
  market: fc.constantFrom<Script['market'][]>('full', 'partial', 'slow', 'lots', 'crumbs', 'dies', 'dead'),
  offers: seldom<Script['offers']>('good', fc.constantFrom('late', 'none', 'silence')),
  deals: seldom<Script['deals']>(
    'delivered',
    fc.constantFrom('short', 'other asset', 'returned once', 'returned', 'failed', 'failed, then delivered'),
  ),
  shortages: fc.nat(2),
  refuses: seldom<readonly Named[]>([], payments),
  fails: seldom<readonly Named[]>([], payments),
  undoes: seldom<readonly Named[]>([], fc.subarray<Named>(['sweep', 'refund', 'payout:0', 'payout:1'])),
  sticks: seldom<readonly Named[]>([], payments),
  delays: fc.array(fc.constantFrom(0, 5, 700, 20_000), { minLength: 1, maxLength: 5 }),
});

test('an honest world brings every order to an end, or to a wait that has a name', () =>
  fc.assert(
    fc.property(scripts, (script) => {
      const { order, paid, toldPaid } = drive(script, rules);
      rests(order, script);
      assert.deepEqual(paid, toldPaid, 'what was paid and what the order knows of');
    }),
    { numRuns: 800, includeErrorInReport: true },
  ));

test('a queue that is lost or doubled at any step changes nothing in the outcome', () =>
  fc.assert(
    fc.property(
      scripts,
      fc.array(fc.nat(30), { maxLength: 3 }),
      fc.array(fc.nat(30), { maxLength: 3 }),
      (script, losesQueueAt, doublesQueueAt) => {
        const straight = drive(script, rules);
        const troubled = drive(script, rules, { losesQueueAt, doublesQueueAt });
        // How far an order had come when its money left for good is a matter of seconds.
        if (!isHeld(straight.order)) assert.deepEqual(outcome(troubled.order), outcome(straight.order));
        assert.deepEqual(troubled.paid, troubled.toldPaid);
      },
    ),
    { numRuns: 800, includeErrorInReport: true },
  ));

/** Nothing is queued and the world is silent: what is left waits for a person, and says so. */
function rests(order: Order, script: Script): void {
  const { state, claims } = order;
  if (isHeld(order)) {
    assert.ok(
      script.deposits.some(({ fate }) => fate === 'reorged'),
      'held though nothing left the chain',
    );
    return;
  }
  const stages: readonly Claim['stage'][] = script.givesRefundAddress
    ? ['completed', 'blocked', 'replaced']
    : ['completed', 'blocked', 'replaced', 'address_required'];
  for (const claim of claims.filter(({ isSpeck }) => !isSpeck))
    assert.ok(stages.includes(claim.stage), `a claim rests in ${claim.stage}`);
  switch (state.phase) {
    case 'completed':
    case 'refunded':
    case 'expired':
    case 'failed':
      return;
    case 'provider_failed':
      assert.equal(script.deals, 'failed');
      return;
    case 'payout_refused':
      assert.ok(!isAnswered(script) || claims.some(isWaiting), 'the customer was not asked');
      return;
    case 'refunding':
      assert.ok(
        claims.find(({ number }) => number === state.claim)?.stage !== 'completed' || claims.some(isWaiting),
        'nothing is left to be refunded',
      );
      return;
    default:
      assert.fail(`rests in ${state.phase}`);
  }
}

const isAnswered = (script: Script): boolean =>
  script.wantsItBack ? script.givesRefundAddress : script.givesPayoutAddress;

/**
 * What became of the money. An expired order is `refunded` once all it owes is paid, which a late claim may delay; so is one
 * whose own refund was undone before or after the rest was paid, or was done before or after something else came astray.
 */
function outcome({ state, claims, used }: Order) {
  const own = state.phase === 'refunding' && claims.find(({ number }) => number === state.claim)?.stage;
  const isOnlyWaitedFor = own === 'completed' && claims.some(isWaiting);
  const isOwing = (state.phase === 'expired' && claims.length > 0) || own === 'blocked' || isOnlyWaitedFor;
  const phase = isOwing ? 'refunded' : state.phase;
  const owed = claims.map(
    ({ kind, amount, stage, to }) => `${kind} ${amount.asset} ${amount.atoms} ${stage} ${to?.address}`,
  );
  return { phase, used, out: 'out' in state ? state.out : undefined, owed: owed.sort() };
}
