import { assert } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import { type AssetId, intentId, type OrderId } from '../kernel/ids.ts';
import type { Fact } from '../life/order/fact.ts';
import type { Order } from '../life/order/order.ts';
import type { Rules } from '../life/order/rules.ts';
import { transition } from '../life/order/transition.ts';
import { treasuryStep } from '../life/order/treasury.ts';
import { newsOf } from '../life/order/view/news.ts';
import type { Commit, Orders } from '../store/orders.ts';
import type { SignedTransfer } from '../world/chains/chain.ts';

/** What is committed together with a fact. */
export interface Together {
  /** The instruction that this fact completes. */
  readonly completes?: string;
  readonly attempt?: SignedTransfer;
  /** The order as it was read for this work. */
  readonly read?: Order;
}

export type Submitted = 'taken' | 'ignored' | 'seen' | { readonly shortOf: AssetId };

/** A fact that keeps losing against others for the same order is a bug, not load. */
const MOST_TRIES = 50;

const INTENT_STATES = {
  intent_signed: 'signed',
  intent_sent: 'inflight',
  intent_final: 'final',
  intent_refused: 'held',
} as const;

/** The only writer of orders. */
export function openSubmit(orders: Orders, rules: Rules, clock: Clock) {
  /** Tells the order a fact. `key` makes it the same fact however often it is told. */
  async function submit(id: OrderId, key: string, fact: Fact, together: Together = {}): Promise<Submitted> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      // What the caller read may have moved on meanwhile; then the commit says so and it is read again.
      const order = (tries === 0 ? together.read : undefined) ?? (await find(id));
      assert(order, `no order ${id}`);
      const step = transition(order, fact, rules);
      if (step === 'ignore' && order === together.read) continue;
      if (step === 'ignore') return 'ignored';
      const effects = step.effects.map((effect, index) => ({ key: `${id}:${step.order.version}:${index}`, effect }));
      const result = await orders.commit({
        owner: id,
        key,
        at: fact.at,
        order: { after: step.order, from: order.version, fact },
        news: newsOf(order, step.order),
        postings: step.postings,
        intents: step.intents,
        effects,
        ...intentStateOf(id, fact),
        ...together,
      });
      if (result === 'ok') return 'taken';
      if (result !== 'stale') return result;
    }
    throw new Error(`${id}: ${fact.fact} could not be committed`);
  }

  /** The same for payments of the house's own; there is no order to move, only the ledger. */
  async function submitTreasury(key: string, fact: Fact, together: Together = {}): Promise<Submitted> {
    const step = treasuryStep(fact);
    if (step === 'ignore') return 'ignored';
    const effects = step.effects.map((effect, index) => ({ key: `${key}:${index}`, effect }));
    const { postings } = step;
    const result = await commitHouse({ key, postings, effects, ...intentStateOf('treasury', fact), ...together });
    return result === 'ok' ? 'taken' : result;
  }

  /** Work of the house, done once per key. */
  async function commitHouse(work: Pick<Commit, 'key'> & Partial<Commit>) {
    const nothing = { postings: [], intents: [], effects: [] };
    const result = await orders.commit({ owner: 'treasury', at: clock.now(), ...nothing, ...work });
    assert(result !== 'stale', 'the treasury has no version to be behind of');
    return result;
  }

  const find = async (id: OrderId): Promise<Order | undefined> => (await orders.find(id))?.order;

  return { submit, submitTreasury, commitHouse, find };
}

export type Submit = ReturnType<typeof openSubmit>;

function intentStateOf(owner: OrderId | 'treasury', fact: Fact): Pick<Commit, 'intentState'> {
  if (!('intent' in fact)) return {};
  return { intentState: { id: intentId(owner, fact.intent.kind, fact.intent.leg), state: INTENT_STATES[fact.fact] } };
}
