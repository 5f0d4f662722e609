import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { missingNodes } from '../../sandbox/node-choice.ts';
import type { Box, Reply } from '../e2e/box.ts';
import { assertBalanced, openPrices } from '../e2e/routes.ts';
import { openShopper } from '../e2e/shopper.ts';
import { patiently } from '../run/patience.ts';
import { seeded } from '../run/seeded.ts';
import {
  type Customer,
  isDoneWith,
  judge,
  nextPlan,
  openCustomer,
  type Plan,
  type Visitor,
  waitsForTheEnd,
} from './customers.ts';
import { clear, nextMishap } from './weather.ts';

export interface Chaos {
  readonly seed: number;
  readonly orders: number;
  /** So many customers at a time. */
  readonly atOnce: number;
  /** So many things go wrong; without it, things go wrong until everybody is served. */
  readonly mishaps?: number;
  tell(line: string): void;
}

/** Real nodes, where this computer has all of them. */
export const nodesFound = (): readonly string[] => (missingNodes().length === 0 ? ['--real'] : []);

/** How orders ended, by their last status; turned away where nobody had an offer. */
export type Endings = Readonly<Record<string, number>>;

const ORDER_WITHIN_MS = 300_000;
const CALM_BETWEEN_MS = 500;
const HOUR_MS = 3_600_000;

/**
 * Customers of every kind on a whole sandbox, while one thing after another goes wrong. Then it is calm, their time passes, and what
 * each of them was promised is looked for on the chains; the books agree with those, and nobody is owed what is not there.
 */
export async function chaos(
  box: Box,
  { seed, orders, atOnce, mishaps = Number.POSITIVE_INFINITY, tell }: Chaos,
): Promise<Endings> {
  const random = seeded(seed);
  const plans = Array.from({ length: orders }, () => nextPlan(random));
  const shelter = openShelter();
  const shopper = openShopper(stubborn(box, shelter), ORDER_WITHIN_MS);
  const amountOf = await openPrices(box);
  const [patient, others] = [plans.filter(waitsForTheEnd), plans.filter((plan) => !waitsForTheEnd(plan))];
  const endings: Record<string, number> = {};
  const customers: Customer[] = [];
  const counted = (ending: string) => {
    endings[ending] = (endings[ending] ?? 0) + 1;
  };

  const enter = async (plan: Plan) => {
    const visitor = await openCustomer(shopper, plan, amountOf(plan.from)).catch(unlessTurnedAway);
    if (visitor) tell(`${plan.kind}: ${visitor.orderId} ${plan.from.name} to ${plan.to.name}`);
    else counted('turned away');
    return visitor;
  };
  const act = async (visitor: Visitor | undefined) => {
    if (!visitor) return;
    const customer = await visitor.act();
    customers.push(customer);
    await shopper.until(customer.order, isDoneWith(customer));
  };

  const sky = new AbortController();
  const weather = storm(box, seeded(seed + 1), { mishaps, shelter, over: sky.signal, tell });
  const waiting: (Visitor | undefined)[] = [];
  const all = [
    ...patient.map((plan) => async () => waiting.push(await enter(plan))),
    ...others.map((plan) => async () => act(await enter(plan))),
  ];
  await Promise.all([severalAtOnce(all, atOnce, (visit) => visit()).finally(() => sky.abort()), weather]);
  await clear(box);
  await shopper.passTime(HOUR_MS + 1_000);
  await severalAtOnce(waiting, atOnce, act);

  for (const customer of customers) counted(await judge(shopper, customer));
  await assertBalanced(box);
  await assertSolvent(box);
  return endings;
}

/**
 * A customer who pays is not in the middle of a mishap of the nodes: whether a payment of his own was made is for his wallet to know,
 * and no question to the desk.
 */
export function openShelter() {
  const inside = new Set<Promise<unknown>>();
  let outside: Promise<void> | undefined;
  return {
    async within<T>(work: () => Promise<T>): Promise<T> {
      while (outside) await outside;
      const mine = work();
      inside.add(mine);
      return mine.finally(() => inside.delete(mine));
    },
    async without(work: () => Promise<void>): Promise<void> {
      let opened = () => {};
      outside = new Promise((resolve) => {
        opened = resolve;
      });
      await Promise.allSettled(inside);
      await work().finally(() => {
        outside = undefined;
        opened();
      });
    },
  };
}
type Shelter = ReturnType<typeof openShelter>;

interface Sky {
  readonly mishaps: number;
  readonly shelter: Shelter;
  readonly over: AbortSignal;
  tell(line: string): void;
}

/** One mishap after another, until it is over. */
async function storm(box: Box, random: () => number, { mishaps, shelter, over, tell }: Sky): Promise<void> {
  for (let n = 0; n < mishaps && !over.aborted; n += 1) {
    const mishap = nextMishap(box, random);
    tell(mishap.name);
    await (mishap.isOfNodes ? shelter.without(() => mishap.befall()) : mishap.befall());
    await pause(CALM_BETWEEN_MS);
  }
}

export async function severalAtOnce<T>(
  all: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<unknown>,
): Promise<void> {
  const left = [...all];
  const walk = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, walk));
}

const AGAIN_MS = 500;
const ANSWERED_WITHIN_MS = 60_000;
/** Nobody answers, too many ask, or what is asked for is missing for the moment. */
const isPassing = ({ status }: Reply): boolean => status === 429 || status >= 500;

/** A client that asks again, as clients should: creations carry a key, so that two of them are one. */
export function stubborn(box: Box, shelter: Shelter): Box {
  const untilAnswered = (what: string, ask: () => Promise<Reply>) =>
    patiently(what, ANSWERED_WITHIN_MS, async (bound) => {
      for (;;) {
        const reply = await ask().catch(() => undefined);
        if (reply && (!isPassing(reply) || bound.isOver())) return reply;
        assert.ok(!bound.isOver(), `nobody answers ${what}`);
        await pause(AGAIN_MS);
      }
    });
  return {
    ...box,
    api(method, path, body, headers = {}) {
      const keyed = method === 'POST' ? { 'idempotency-key': randomUUID(), ...headers } : headers;
      return untilAnswered(`${method} ${path}`, () => box.api(method, path, body, keyed));
    },
    control: (method, path, body) =>
      method === 'GET'
        ? untilAnswered(path, () => box.control(method, path))
        : shelter.within(() => box.control(method, path, body)),
  };
}

/** Nobody had an offer for as long as a customer asks. */
export function unlessTurnedAway(error: Error): undefined {
  if (error instanceof assert.AssertionError && error.actual === 503) return undefined;
  throw error;
}

const FIRST_LOOK_WITHIN_MS = 60_000;

/** A desk that has just begun has not looked yet. */
export async function assertSolvent(box: Box): Promise<void> {
  const lines = await patiently('the first look at solvency', FIRST_LOOK_WITHIN_MS, async (bound) => {
    for (;;) {
      const { body } = await box.operator('GET', '/operator/solvency?hours=24');
      const found = [...(body.assets as Line[]), ...(body.history as Line[])];
      if (found.length > 0) return found;
      assert.ok(!bound.isOver(), 'nobody has looked');
      await pause(AGAIN_MS);
    }
  });
  assert.deepEqual(
    lines.filter(({ surplus }) => surplus.startsWith('-')),
    [],
  );
}
interface Line {
  readonly symbol: string;
  readonly surplus: string;
}
