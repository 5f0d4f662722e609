import { amount, subtract, zero } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import type { Address, OrderId } from '../../kernel/ids.ts';
import { type UsdMicros, usd, usdValue } from '../../kernel/usd.ts';
import type { Heads } from '../../world/chains/chain.ts';
import type { Fact, Of } from '../order/fact.ts';
import { isSpeck, withSpecks } from '../order/machine/deposit.ts';
import type { Order } from '../order/order.ts';
import type { KeptSighting } from '../order/sighting.ts';
import { believed, judge, tierOf } from './judge.ts';
import { prove } from './prove.ts';
import type { Scanning } from './scanning.ts';
import { settle, type Troubles } from './settle.ts';
import { unclaimedOf } from './unclaimed.ts';

/** Addresses judged per round; the rest follow in the next one. */
const ADDRESSES_PER_ROUND = 500;

/** One address of which something could not be judged or told. It is looked at again, and keeps no other from its turn. */
export interface Trouble {
  readonly address: Address;
  readonly orderId: OrderId | undefined;
  readonly error: Error;
}

export interface Told {
  /** Addresses that were looked at without trouble. */
  readonly judged: readonly Address[];
  readonly troubles: readonly Trouble[];
  /** Something that was credited is not on the chain any more. */
  readonly somethingLeft: boolean;
  /** Where the next round begins; undefined: at the first address. */
  readonly next: Address | undefined;
}

/**
 * Tells every order what the chain now shows of it. Anybody can send anything to an address that he was given, so each
 * order, each thing that is told to it and each transfer is taken by itself: what is poisoned harms itself only.
 */
export async function tellAll(
  scanning: Scanning,
  heads: Heads,
  now: Instant,
  after: Address | undefined,
): Promise<Told> {
  const live = await scanning.books.live(scanning.chain.facts.id, ADDRESSES_PER_ROUND, after);
  const byAddress = new Map<Address, KeptSighting[]>();
  for (const one of live) {
    const known = byAddress.get(one.address);
    if (known) known.push(one);
    else byAddress.set(one.address, [one]);
  }
  const stake = await stakeOn(scanning, heads, live);
  const turns = scanning.unsettled.turns(live);
  const judged: Address[] = [];
  const troubles: Trouble[] = [];
  let somethingLeft = false;
  for (const [address, sightings] of byAddress) {
    const orderId = sightings[0]?.orderId;
    const found = troublesOf();
    if (orderId)
      await found.alone(async () => {
        if (await tellOrder(scanning, { heads, stake, turns, found }, orderId, sightings, now)) somethingLeft = true;
      });
    else {
      const what = { scanning, heads, sightings, found, turns };
      await found.alone(() => (address === scanning.chain.hotAddress ? takeInventory(what) : setAside(what, address)));
    }
    const [error] = found.errors;
    if (error) troubles.push({ address, orderId, error });
    else judged.push(address);
  }
  const isAll = byAddress.size < ADDRESSES_PER_ROUND;
  return { judged, troubles, somethingLeft, next: isAll ? undefined : lastOf([...byAddress.keys()]) };
}

const lastOf = (addresses: readonly Address[]): Address | undefined =>
  addresses.reduce<Address | undefined>((last, one) => (last === undefined || one > last ? one : last), undefined);

function troublesOf(): Troubles {
  const errors: Error[] = [];
  return {
    errors,
    async alone(work) {
      try {
        await work();
        return true;
      } catch (error) {
        errors.push(error as Error);
        return false;
      }
    },
  };
}

/** What is worth all that came to orders in blocks of this chain and is not final by the deeper rule, with what is new in this round. */
async function stakeOn(scanning: Scanning, heads: Heads, live: readonly KeptSighting[]): Promise<UsdMicros> {
  const { chain, books, telling } = scanning;
  if (live.every(({ orderId }) => orderId === undefined)) return usd(0);
  const changed = live.filter((one) => one.changed);
  const orders = new Map<OrderId, Order>();
  for (const id of new Set(changed.map(({ orderId }) => orderId))) {
    // What cannot be read here is told of when its order's turn comes.
    const order = id && (await telling.order(id).catch(() => undefined));
    if (order) orders.set(order.id, order);
  }
  const worth = new Map<string, UsdMicros>();
  for (const one of changed) {
    const order = one.orderId && orders.get(one.orderId);
    if (order && one.asset === order.from.id) worth.set(one.key, usdValue(one, order.route.fromPrice));
  }
  await books.value(chain.facts.id, worth);
  return books.stake(chain.facts.id, settledBelow(chain, heads));
}

/** The highest block that is final by the deeper rule; depth only falls as height grows. */
function settledBelow(chain: Scanning['chain'], heads: Heads): number {
  let [low, high] = [-1, heads.tip];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const { have, need } = chain.depositDepth(middle, heads, 'large');
    if (have >= need) low = middle;
    else high = middle - 1;
  }
  return low;
}

const listedOn = ({ facts }: Scanning['chain']) => new Set(facts.assets.map(({ id }) => id));

interface OneAddress {
  readonly heads: Heads;
  readonly found: Troubles;
  /** What failed before and is tried again in this round. */
  readonly turns: ReadonlySet<string>;
}

/** True where less of what was credited stands on the chain than did. */
async function tellOrder(
  scanning: Scanning,
  { heads, stake, ...round }: OneAddress & { readonly stake: UsdMicros },
  orderId: OrderId,
  sightings: readonly KeptSighting[],
  now: Instant,
): Promise<boolean> {
  const { chain, telling, rules, books } = scanning;
  const order = await telling.order(orderId);
  const readAt = sightings[0]?.orderVersion;
  // What was seen before the order moved says nothing of it: whoever moved it may have seen more.
  if (!order || (readAt !== undefined && readAt !== order.version)) return false;
  const tier = tierOf(order, sightings, rules, stake);
  const depthOf = (height: number) => chain.depositDepth(height, heads, tier);
  const { settled, isAll } = await settle(scanning, sightings, depthOf, round);
  await books.settle(chain.facts.id, [...settled.values()]);
  // Told of a part of what is deep, an order might begin with that part.
  if (!isAll) return false;
  await prove(scanning, sightings, depthOf);
  const own = await sentByUs(scanning, order, sightings);
  const latest = sightings.filter(({ txHash }) => !own.has(txHash)).map((one) => settled.get(one.key) ?? one);
  const listed = listedOn(chain);
  let isTold = true;
  let isLess = false;
  let version = order.version;
  for (const [index, judged] of judge(order, latest, { depthOf, listed, rules }, now).entries()) {
    const fact = judged.fact === 'stray_observed' ? await weighed(scanning, order, judged) : judged;
    const key = `deposit:${chain.facts.id}:${order.version + index}:${digest(fact)}`;
    let isOutdated = false;
    const isDone = await round.found.alone(async () => {
      const told = await telling.tell(orderId, key, fact, version);
      isOutdated = told === 'outdated';
      if (told === 'taken') version += 1;
    });
    if (!isDone || isOutdated) isTold = false;
    if (!isOutdated && fact.fact === 'deposit_observed') isLess ||= fact.confirmed.atoms < order.funds.confirmed.atoms;
  }
  if (isTold) await books.reported(chain.facts.id, asTold(sightings, settled));
  return isLess;
}

/** A stray under one percent that is next to nothing, or is worth less than its own refund, shows nothing. */
async function weighed({ worth, rules }: Scanning, order: Order, fact: Of<'stray_observed'>): Promise<Fact> {
  const { asset } = fact.total;
  const known = order.strays.find((one) => one.asset === asset) ?? zero(asset);
  const found = await worth(withSpecks(order, subtract(fact.total, known)));
  if (!found) return fact;
  return found.value < found.refund || isSpeck(order, found.value, rules) ? { ...fact, isSpeck: true } : fact;
}

/** Gas that we send to an order's own address is no deposit of its customer, not even while it is fresh. */
async function sentByUs(
  { chain, books }: Scanning,
  { payments, from }: Order,
  sightings: readonly KeptSighting[],
): Promise<ReadonlySet<string>> {
  if (!from.native || payments.every(({ gas }) => gas === undefined)) return new Set();
  return books.ours(
    chain.facts.id,
    sightings.map(({ txHash }) => txHash),
  );
}

/** Keeps apart what the same order is told twice at one version. */
const digest = (fact: Fact): string =>
  fact.fact === 'deposit_observed'
    ? `${fact.seen.atoms}/${fact.confirmed.atoms}/${fact.have}/${fact.need}`
    : fact.fact === 'stray_observed' || fact.fact === 'reward_observed'
      ? `${fact.fact}/${fact.total.asset}/${fact.total.atoms}`
      : fact.fact;

/** What is nobody's credit: whatever became final of it is taken before its sighting is closed. */
async function takeUp(
  { scanning, heads, sightings, ...round }: Unordered,
  take: (final: KeptSighting) => Promise<void>,
): Promise<void> {
  const { chain, books } = scanning;
  const { id } = chain.facts;
  const depthOf = (height: number) => chain.depositDepth(height, heads, 'large');
  const { settled } = await settle(scanning, sightings, depthOf, round);
  const taken: KeptSighting[] = [];
  for (const one of settled.values())
    if (one.credited === 0n || (await round.found.alone(() => take(one)))) taken.push(one);
  await books.settle(id, taken);
  await books.reported(id, asTold(sightings, settled));
}

const asTold = (sightings: readonly KeptSighting[], settled: ReadonlyMap<string, KeptSighting>) =>
  sightings.map((one) => settled.get(one.key) ?? one);

interface Unordered extends OneAddress {
  readonly scanning: Scanning;
  readonly sightings: readonly KeptSighting[];
}

/** Never another order's credit: the order that had this address is forgotten, or was never made. */
async function setAside(what: Unordered, address: Address): Promise<void> {
  const { chain, telling, rules } = what.scanning;
  const listed = listedOn(chain);
  await telling.burn(chain.facts.family, address);
  await takeUp(what, (one) => {
    const unclaimed = unclaimedOf(one);
    return telling.unclaimed({ ...unclaimed, received: believed(unclaimed.received, { listed, rules }) });
  });
}

/** The hot account's income from outside is inventory. */
function takeInventory(what: Unordered): Promise<void> {
  const { chain, telling } = what.scanning;
  return takeUp(what, (one) =>
    telling.inflow(`inflow:${chain.facts.id}:${one.key}`, amount(one.asset, one.credited), one),
  );
}
