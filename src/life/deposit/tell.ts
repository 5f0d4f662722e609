import { amount, atoms } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import type { Address, OrderId } from '../../kernel/ids.ts';
import type { Depth, Heads, Sighting } from '../../world/chains/chain.ts';
import type { Fact } from '../order/fact.ts';
import type { KeptSighting } from '../order/sighting.ts';
import { judge, tierOf } from './judge.ts';
import type { Scanning } from './scanning.ts';

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
  const judged: Address[] = [];
  const troubles: Trouble[] = [];
  let somethingLeft = false;
  for (const [address, sightings] of byAddress) {
    const orderId = sightings[0]?.orderId;
    const found = troublesOf();
    if (orderId)
      await found.alone(async () => {
        if (await tellOrder(scanning, heads, orderId, sightings, now, found)) somethingLeft = true;
      });
    else if (address === scanning.chain.hotAddress)
      await found.alone(() => takeInventory(scanning, heads, sightings, found));
    const [error] = found.errors;
    if (error) troubles.push({ address, orderId, error });
    else judged.push(address);
  }
  const isAll = byAddress.size < ADDRESSES_PER_ROUND;
  return { judged, troubles, somethingLeft, next: isAll ? undefined : lastOf([...byAddress.keys()]) };
}

const lastOf = (addresses: readonly Address[]): Address | undefined =>
  addresses.reduce<Address | undefined>((last, one) => (last === undefined || one > last ? one : last), undefined);

interface Troubles {
  readonly errors: readonly Error[];
  /** Carries it out; what goes wrong is noted, and whoever asked goes on. False where it went wrong. */
  alone(work: () => Promise<void>): Promise<boolean>;
}

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

/** True where less of what was credited stands on the chain than did. */
async function tellOrder(
  scanning: Scanning,
  heads: Heads,
  orderId: OrderId,
  sightings: readonly KeptSighting[],
  now: Instant,
  found: Troubles,
): Promise<boolean> {
  const { chain, telling, rules, books } = scanning;
  const order = await telling.order(orderId);
  if (!order) return false;
  const tier = tierOf(order, sightings, rules);
  const depthOf = (height: number) => chain.depositDepth(height, heads, tier);
  const deep = sightings.filter((one) => one.state === 'mined' && isDeep(one, depthOf));
  const settled = await settle(scanning, deep, found);
  for (const one of settled.values()) await books.settle(chain.facts.id, one.key, one.credited, one.isReward);
  const latest = sightings.map((one) => settled.get(one.key) ?? one);
  const listed = new Set(chain.facts.assets.map(({ id }) => id));
  let isTold = true;
  let isLess = false;
  for (const [index, fact] of judge(order, latest, { depthOf, listed, rules }, now).entries()) {
    const key = `deposit:${chain.facts.id}:${order.version + index}:${digest(fact)}`;
    isTold = (await found.alone(() => telling.tell(orderId, key, fact))) && isTold;
    isLess ||= fact.fact === 'deposit_observed' && fact.confirmed.atoms < order.funds.confirmed.atoms;
  }
  if (isTold)
    await books.reported(
      chain.facts.id,
      sightings.map((one) => one.key),
    );
  return isLess;
}

/** Keeps apart what the same order is told twice at one version. */
const digest = (fact: Fact): string =>
  fact.fact === 'deposit_observed'
    ? `${fact.seen.atoms}/${fact.confirmed.atoms}/${fact.have}/${fact.need}`
    : fact.fact === 'stray_observed' || fact.fact === 'reward_observed'
      ? `${fact.fact}/${fact.total.asset}/${fact.total.atoms}`
      : fact.fact;

const isDeep = (one: KeptSighting, depthOf: (height: number) => Depth): boolean => {
  if (one.height === undefined) return false;
  const { have, need } = depthOf(one.height);
  return have >= need;
};

/** Asks about all of them at once; where that fails, about each by itself, so that one bad token hides no good deposit. */
async function settle(
  scanning: Scanning,
  deep: readonly KeptSighting[],
  found: Troubles,
): Promise<ReadonlyMap<string, KeptSighting>> {
  const settled = new Map<string, KeptSighting>();
  const take = async (some: readonly KeptSighting[]) => {
    for (const one of await standing(scanning, some)) settled.set(one.key, one);
  };
  try {
    await take(deep);
  } catch {
    for (const one of deep) await found.alone(() => take([one]));
  }
  return settled;
}

/**
 * Asks the chain again about what is deep enough, and keeps what can really be spent of it.
 * What we sent ourselves (gas, sweeps, change) is no news and counts nothing.
 */
async function standing({ chain, books }: Scanning, deep: readonly KeptSighting[]): Promise<readonly KeptSighting[]> {
  if (deep.length === 0) return [];
  const { id } = chain.facts;
  const ours = await books.ours(
    id,
    deep.map((one) => one.txHash),
  );
  const foreign = deep.filter((one) => !ours.has(one.txHash));
  const stands = foreign.length > 0 ? await chain.standing(foreign.map(asSighting)) : [];
  const spendable = new Map(stands.map((one) => [one.key, one.atoms]));
  const fallen = foreign.filter((one) => !spendable.has(one.key));
  const rewards = new Set(fallen.length > 0 ? await chain.rewards?.(fallen.map(asSighting)) : []);
  return deep.map((one): KeptSighting => {
    const credited = spendable.get(one.key) ?? atoms(0n);
    return { ...one, state: 'final', credited, isReward: rewards.has(one.key) };
  });
}

function asSighting(one: KeptSighting): Sighting {
  const { key, address, asset, txHash, sender } = one;
  const block =
    one.height === undefined || one.blockHash === undefined ? undefined : { height: one.height, hash: one.blockHash };
  return { key, address, asset, atoms: one.atoms, txHash, sender, block };
}

/** The hot account's income from outside is inventory; it is posted before the sighting is closed. */
async function takeInventory(
  scanning: Scanning,
  heads: Heads,
  sightings: readonly KeptSighting[],
  found: Troubles,
): Promise<void> {
  const { chain, books, telling } = scanning;
  const { id } = chain.facts;
  const depthOf = (height: number) => chain.depositDepth(height, heads, 'large');
  const deep = sightings.filter((one) => one.state === 'mined' && isDeep(one, depthOf));
  for (const one of (await settle(scanning, deep, found)).values())
    await found.alone(async () => {
      if (one.credited > 0n) await telling.inflow(`inflow:${id}:${one.key}`, amount(one.asset, one.credited));
      await books.settle(id, one.key, one.credited, one.isReward);
    });
  await books.reported(
    id,
    sightings.map((one) => one.key),
  );
}
