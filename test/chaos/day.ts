import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { places } from '../../sandbox/files.ts';
import { present } from '../../src/kernel/assert.ts';
import { openSigner, unixOutbound } from '../../src/signer/client.ts';
import type { Box } from '../e2e/box.ts';
import { openBridger, PAIRS, type Pair } from '../e2e/bridger.ts';
import { assertBalanced, ENDS, openPrices } from '../e2e/routes.ts';
import { openShopper } from '../e2e/shopper.ts';
import { seeded } from '../run/seeded.ts';
import { assertSolvent, openShelter, severalAtOnce, stubborn, unlessTurnedAway } from './chaos.ts';
import { type Customer, isDoneWith, judge, nextPlan, openCustomer, type Visitor, waitsForTheEnd } from './customers.ts';

export interface Day {
  readonly seed: number;
  readonly orders: number;
  /** So many customers at a time. */
  readonly atOnce: number;
  tell(line: string): void;
}

/** What became of a day. */
export interface DayReport {
  /** How orders ended, by their last status; those that did not have a case. */
  readonly endings: Readonly<Record<string, number>>;
  readonly kinds: Readonly<Record<string, number>>;
  readonly solvencyReadings: number;
  /** What customers waited, from paying or asking to the end of all that is theirs; half of them no longer than the first. */
  readonly waitedSeconds: { readonly half: number; readonly most99: number; readonly most: number };
  /** What the desk bridged of its own, in atoms. */
  readonly levelled: readonly bigint[];
  readonly minutes: number;
}

const HOURS = 24;
const HOUR_MS = 3_600_000;
const ORDER_WITHIN_MS = 300_000;
const ASK_EVERY_MS = 1_000;
const LOOK_MS = 2_000;
/** Nobody's depth is less for it: there are as many blocks, only sooner. */
const BLOCK_MS = 250;
/** Hours in which somebody takes so much of a coin that the desk must have more of it. */
const LARGE_HOURS: ReadonlySet<number> = new Set([3, 9, 15]);
const ZEC = PAIRS.find(({ name }) => name === 'zec') as Pair;
const COIN = 10n ** 8n;
const LARGE = 2_000n * COIN;
/** The settings of the sandbox let so many dollars be bridged in a day, and at once; a ZEC is 412.3. */
const DOLLARS = { day: 5_000_000n, once: 1_000_000n, perTenCoins: 4_123n };

/**
 * A day of sandbox time, an hour after the other: customers of every kind, hostile ones among them, order and pay in each of them, those
 * who come late do so when the hour is over, and the clock goes on. At its end the chains are asked what everybody got.
 */
export async function day(box: Box, { seed, orders, atOnce, tell }: Day): Promise<DayReport> {
  const startedAt = performance.now();
  const random = seeded(seed);
  const calm = stubborn(box, openShelter());
  const shopper = openShopper(calm, ORDER_WITHIN_MS, ASK_EVERY_MS);
  const bridger = openBridger(calm);
  const amountOf = await openPrices(box);
  const hot = present(
    (await openSigner(unixOutbound(places(box.dir).signer.apiSocket)).publicKeys()).zcash,
    'keys',
  ).hot;
  const bridgedBefore = (await bridger.received(ZEC.native, hot)).transfers.length;
  const [endings, kinds]: [Record<string, number>, Record<string, number>] = [{}, {}];
  const count = (of: Record<string, number>, what: string) => {
    of[what] = (of[what] ?? 0) + 1;
  };
  let [readings, made] = [0, 0];
  const customers: Customer[] = [];
  const waited: number[] = [];

  const enter = async (): Promise<(Visitor & { readonly isLate: boolean }) | undefined> => {
    const plan = nextPlan(random);
    const visitor = await openCustomer(shopper, plan, amountOf(plan.from)).catch(unlessTurnedAway);
    made += 1;
    count(kinds, plan.kind);
    if (!visitor) count(endings, 'turned away');
    return visitor && { ...visitor, isLate: waitsForTheEnd(plan) };
  };
  const act = async (visitor: Visitor): Promise<void> => {
    const since = performance.now();
    const customer = await visitor.act();
    const { order } = customer;
    try {
      await shopper.until(order, isDoneWith(customer));
      customers.push(customer);
      waited.push((performance.now() - since) / 1_000);
    } catch (error) {
      assert.ok(await hasCase(box, order.orderId), `${order.orderId} is not over and has no case: ${error}`);
      count(endings, 'with a case');
    }
  };
  const large = async () => {
    const order = await bridger.open(ZEC, 'withdraw');
    await bridger.pay(order, LARGE);
    await bridger.completed(order, LARGE);
  };

  for (const chainId of new Set(ENDS.map((one) => one.chainId))) await shopper.rhythm(chainId, BLOCK_MS);
  const late: Visitor[] = [];
  for (let hour = 0; hour < HOURS; hour += 1) {
    const here = Math.floor(((hour + 1) * orders) / HOURS) - Math.floor((hour * orders) / HOURS);
    const visits = late.splice(0).map((visitor) => () => act(visitor));
    for (let n = 0; n < here; n += 1)
      visits.push(async () => {
        const visitor = await enter();
        if (visitor?.isLate) late.push(visitor);
        else if (visitor) await act(visitor);
      });
    if (LARGE_HOURS.has(hour)) visits.push(large);
    let isOver = false;
    const work = severalAtOnce(visits, atOnce, (visit) => visit()).finally(() => {
      isOver = true;
    });
    const watch = async () => {
      while (!isOver) {
        await assertSolvent(box);
        readings += 1;
        await pause(LOOK_MS);
      }
    };
    await Promise.all([work, watch()]);
    await shopper.passTime(HOUR_MS + 1_000);
    await assertNothingTripped(box);
    tell(`hour ${hour + 1}: ${made} orders, ${customers.length} over, ${JSON.stringify(endings)}`);
  }

  await severalAtOnce(late, atOnce, act);
  await severalAtOnce(customers, atOnce, async (customer) => count(endings, await judge(shopper, customer)));
  await assertBalanced(box);
  await assertSolvent(box);
  const { transfers } = await bridger.received(ZEC.native, hot);
  const levelled = transfers
    .slice(bridgedBefore)
    .map(({ amount }) => BigInt(amount))
    .filter((one) => one > 100n * COIN);
  assertWithinLimits(levelled);
  return {
    ...{ endings, kinds, solvencyReadings: readings, waitedSeconds: spread(waited), levelled },
    minutes: (performance.now() - startedAt) / 60_000,
  };
}

function spread(all: readonly number[]): DayReport['waitedSeconds'] {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  return { half: at(0.5), most99: at(0.99), most: at(1) };
}

function assertWithinLimits(levelled: readonly bigint[]): void {
  const dollars = (atoms: bigint): bigint => (atoms * DOLLARS.perTenCoins) / (10n * COIN);
  assert.ok(levelled.length > 0, 'nothing was levelled');
  for (const one of levelled) assert.ok(dollars(one) <= DOLLARS.once, `${one} at once`);
  assert.ok(dollars(levelled.reduce((sum, one) => sum + one, 0n)) <= DOLLARS.day, `${levelled} in a day`);
}

async function hasCase(box: Box, orderId: string): Promise<boolean> {
  const { body } = await box.operator('GET', '/operator/cases');
  return (body.cases as readonly { readonly orderId?: string }[]).some((one) => one.orderId === orderId);
}

async function assertNothingTripped(box: Box): Promise<void> {
  const { body } = await box.operator('GET', '/operator/breakers');
  assert.deepEqual(
    (body.breakers as readonly { readonly open?: boolean }[]).filter(({ open }) => open),
    [],
  );
}
