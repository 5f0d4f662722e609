import { assert, Bug } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import type { AssetId, OrderId } from '../kernel/ids.ts';
import { casesOver } from '../life/order/cases-over.ts';
import type { Fact } from '../life/order/fact.ts';
import type { Order } from '../life/order/order.ts';
import type { Rules } from '../life/order/rules.ts';
import { transition } from '../life/order/transition.ts';
import { newsOf } from '../life/order/view/news.ts';
import { type Advanced, advance } from '../life/payment/advance.ts';
import { paymentCasesOver } from '../life/payment/cases-over.ts';
import type { PaymentFact } from '../life/payment/fact.ts';
import type { Payment } from '../life/payment/payment.ts';
import type { Orders } from '../store/orders.ts';
import type { Payments } from '../store/payments.ts';
import type { Commit } from '../store/steps.ts';
import type { SignedTransfer } from '../world/chains/chain.ts';
import { commitsInTurns } from './commits.ts';
import type { Log } from './log.ts';
import { givenUpInto, together } from './together.ts';

/** What is committed together with a fact. */
export interface Together {
  /** The instruction that this fact completes. */
  readonly completes?: string;
  readonly attempt?: SignedTransfer;
  /** The order as it was read for this work. */
  readonly read?: Order;
  /** The version that the fact was judged from: of an order that has moved on it says nothing. */
  readonly asOf?: number;
}

export type Submitted = 'taken' | 'ignored' | 'seen' | 'outdated' | { readonly shortOf: AssetId };

/** A fact that keeps losing against others for the same order is a bug, not load. */
const MOST_TRIES = 50;

/** The only writer of orders and payments. */
export function openSubmit(orders: Orders, payments: Payments, rules: Rules, clock: Clock, log?: Log) {
  // What customers and operators ask for is checked by itself, one by one.
  const commit = orders.writer === 'api' ? orders.commit : commitsInTurns(orders, givenUpInto(log, 'steps'));
  const findPlaced = together(
    (ids: readonly OrderId[]) => orders.findAll([...new Set(ids)]),
    ({ order }) => order.id,
    { givenUp: givenUpInto(log, 'reads') },
  );
  const find = async (id: OrderId): Promise<Order | undefined> => (await findPlaced(id))?.order;

  /** Tells the order a fact. `key` makes it the same fact however often it is told. */
  async function submit(id: OrderId, key: string, fact: Fact, together: Together = {}): Promise<Submitted> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      // What the caller read may have moved on meanwhile; then the commit says so and it is read again.
      const order = (tries === 0 ? together.read : undefined) ?? (await find(id));
      assert(order, `no order ${id}`);
      if (together.asOf !== undefined && order.version !== together.asOf) return 'outdated';
      const step = transition(order, fact, rules);
      if (step === 'ignore' && order === together.read) continue;
      if (step === 'ignore') return 'ignored';
      const { order: after, postings, cases } = step;
      const result = await commit({
        owner: id,
        key,
        at: fact.at,
        order: { after, from: order.version, fact },
        news: newsOf(order, after, rules),
        postings,
        payments: changed(order, after),
        effects: step.effects.map((effect, index) => ({ key: `${id}:${after.version}:${index}`, effect })),
        cases,
        over: casesOver(after),
        ...signed(fact, together),
      });
      if (result === 'ok') return 'taken';
      if (result !== 'stale') return result;
    }
    throw new Bug(`${id}: ${fact.fact} could not be committed`);
  }

  /** The same for payments of the house's own: there is no order to move, only the payment and the ledger. */
  async function submitHouse(key: string, fact: PaymentFact, together: Together = {}): Promise<Submitted> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const payment = await payments.find(fact.payment);
      assert(payment, `no payment ${fact.payment}`);
      const advanced = advance(payment, fact);
      if (advanced === 'ignore') return 'ignored';
      const result = await commit({ ...houseWork(key, advanced), at: fact.at, ...signed(fact, together) });
      if (result === 'ok') return 'taken';
      if (result !== 'stale') return result;
    }
    throw new Bug(`${fact.payment}: ${fact.fact} could not be committed`);
  }

  /** Work of the house, done once per key. */
  async function commitHouse(work: Pick<Commit, 'key'> & Partial<Commit>) {
    const nothing = { postings: [], payments: [], effects: [], cases: [], over: [] };
    const result = await commit({ owner: 'treasury', at: clock.now(), ...nothing, ...work });
    assert(result !== 'stale', 'new work of the house has no version to be behind of');
    return result;
  }

  /** A payment of the house's own, with its money set apart. */
  const openHouse = (opened: Advanced, together: Pick<Together, 'attempt'> = {}) =>
    commitHouse({ ...houseWork(`plan:${opened.payment.id}`, opened), ...attempted(opened.payment, together) });

  return { submit, submitHouse, commitHouse, openHouse, find };
}

export type Submit = ReturnType<typeof openSubmit>;

const changed = (before: Order, after: Order): readonly Payment[] =>
  after.payments.filter((one) => !before.payments.includes(one));

function houseWork(key: string, { payment, effects, postings, cases, heard }: Advanced): Omit<Commit, 'at'> {
  const refused = heard.flatMap((one) =>
    one.heard === 'unpaid' ? [{ case: 'house_payment_refused', payment: payment.id, reason: one.reason } as const] : [],
  );
  return {
    owner: 'treasury',
    key,
    postings,
    payments: [payment],
    effects: effects.map((effect, index) => ({ key: `${key}:${index}`, effect })),
    cases: [...cases, ...refused],
    over: paymentCasesOver(payment),
  };
}

function signed(fact: Fact, { completes, attempt }: Together): Pick<Commit, 'completes' | 'attempt'> {
  return {
    ...(completes === undefined ? {} : { completes }),
    ...(attempt && 'payment' in fact ? { attempt: { ...attempt, payment: fact.payment } } : {}),
  };
}

const attempted = ({ id }: Payment, { attempt }: Pick<Together, 'attempt'>): Pick<Commit, 'attempt'> =>
  attempt ? { attempt: { ...attempt, payment: id } } : {};
