import { type Amount, type Atoms, amount, atoms } from '../../kernel/amount.ts';
import { type Instant, later } from '../../kernel/clock.ts';
import type { Address, AssetId, ChainId, OrderId, TxHash } from '../../kernel/ids.ts';
import type { Chain, Expecting, Heads, ScanCursor, ScanPage, Sighting, Watched } from '../../world/chains/chain.ts';
import type { Fact } from '../order/fact.ts';
import type { Order } from '../order/order.ts';
import type { Rules } from '../order/rules.ts';
import type { KeptSighting } from '../order/sighting.ts';
import { judge, tierOf } from './judge.ts';
import { type Unclaimed, unclaimedOf } from './unclaimed.ts';

/** What scanning keeps between pages. Saving a page moves blocks, matches and the cursor in one transaction. */
export interface DepositBooks {
  cursor(chain: ChainId): Promise<ScanCursor | undefined>;
  /** False where another scanner has moved the cursor since it was read: then nothing is saved. */
  savePage(chain: ChainId, space: string, after: ScanCursor | undefined, page: ScanPage, at: Instant): Promise<boolean>;
  watched(space: string, candidates: readonly Address[]): Promise<ReadonlySet<Address>>;
  /**
   * Where the chain's own coin may arrive: at addresses of orders that ask for it, first the open ones, then those made
   * since `since`, the newest first; and at the hot account while a provider owes it.
   */
  expecting(coin: AssetId, hot: Address, since: Instant, most: number): Promise<readonly Address[]>;
  live(chain: ChainId, mostAddresses: number): Promise<readonly KeptSighting[]>;
  settle(chain: ChainId, key: string, credited: Atoms, isReward: boolean): Promise<void>;
  reported(chain: ChainId, keys: readonly string[]): Promise<void>;
  /** Which of these transactions we made ourselves. */
  ours(chain: ChainId, hashes: readonly TxHash[]): Promise<ReadonlySet<string>>;
}

/** Where what was seen is told. Telling the same thing twice changes nothing. */
export interface Telling {
  order(id: OrderId): Promise<Order | undefined>;
  tell(id: OrderId, key: string, fact: Fact): Promise<void>;
  /** Money that came to the hot account from outside: inventory. */
  inflow(key: string, received: Amount): Promise<void>;
  /** Something came to this address although no order has it: it is given to nobody any more. */
  burn(space: string, address: Address): Promise<void>;
  /** What came there is final: a person is told, once. */
  unclaimed(unclaimed: Unclaimed): Promise<void>;
}

export interface Scanning {
  readonly chain: Chain;
  readonly books: DepositBooks;
  readonly telling: Telling;
  readonly rules: Rules;
  /** Where a first scan begins; from now where it is undefined. */
  readonly from: number | undefined;
}

/** Addresses judged per round; the rest follow in the next one. */
const ADDRESSES_PER_ROUND = 500;

/** Addresses whose balance is compared: eight calls a page at most, where there are so many. */
const ADDRESSES_EXPECTED = 2_000;
/** Whoever pays an order later than this after it was made does so by a plain transfer, or asks. */
const LATE_MS = 30 * 24 * 60 * 60 * 1000;

export interface Scanned {
  readonly more: boolean;
  /** Nothing that was seen is still to become final. */
  readonly isQuiet: boolean;
}

/** Reads the next page of blocks and tells every order what the chain now shows of it. */
export async function scanOnce(scanning: Scanning, now: Instant): Promise<Scanned> {
  const { chain, books } = scanning;
  const { id, family, assets } = chain.facts;
  const cursor = await books.cursor(id);
  const watched: Watched = async (candidates) => {
    const ours = await books.watched(family, candidates);
    return candidates.includes(chain.hotAddress) ? new Set([...ours, chain.hotAddress]) : ours;
  };
  const coin = assets.find(({ native }) => native)?.id;
  const expecting: Expecting = async () =>
    coin ? books.expecting(coin, chain.hotAddress, later(now, -LATE_MS), ADDRESSES_EXPECTED) : [];
  const page = await chain.scan(cursor ?? start(scanning.from), watched, expecting);
  if (!(await books.savePage(id, family, cursor, page, now))) return { more: true, isQuiet: false };
  const live = await tellAll(scanning, page.heads, now);
  return { more: page.more, isQuiet: live === 0 };
}

const start = (from: number | undefined): ScanCursor | undefined =>
  from === undefined ? undefined : { height: from, recent: [] };

/** How many addresses have something in motion. */
async function tellAll(scanning: Scanning, heads: Heads, now: Instant): Promise<number> {
  const live = await scanning.books.live(scanning.chain.facts.id, ADDRESSES_PER_ROUND);
  const byAddress = new Map<Address, KeptSighting[]>();
  for (const one of live) byAddress.set(one.address, [...(byAddress.get(one.address) ?? []), one]);
  for (const [address, sightings] of byAddress) {
    const orderId = sightings[0]?.orderId;
    if (orderId) await tellOrder(scanning, heads, orderId, sightings, now);
    else if (address === scanning.chain.hotAddress) await takeInventory(scanning, heads, sightings);
    else await setAside(scanning, heads, address, sightings);
  }
  return byAddress.size;
}

async function tellOrder(
  scanning: Scanning,
  heads: Heads,
  orderId: OrderId,
  sightings: readonly KeptSighting[],
  now: Instant,
): Promise<void> {
  const { chain, telling, rules, books } = scanning;
  const order = await telling.order(orderId);
  if (!order) return;
  const tier = tierOf(order, sightings, rules);
  const depthOf = (height: number) => chain.depositDepth(height, heads, tier);
  const settled = await settle(
    scanning,
    sightings.filter((one) => one.state === 'mined' && isDeep(one, depthOf)),
  );
  for (const one of settled.values()) await books.settle(chain.facts.id, one.key, one.credited, one.isReward);
  const latest = sightings.map((one) => settled.get(one.key) ?? one);
  for (const [index, fact] of judge(order, latest, depthOf, now).entries()) {
    await telling.tell(orderId, `deposit:${chain.facts.id}:${order.version + index}:${digest(fact)}`, fact);
  }
  await books.reported(
    chain.facts.id,
    sightings.map((one) => one.key),
  );
}

/** Keeps apart what the same order is told twice at one version. */
const digest = (fact: Fact): string =>
  fact.fact === 'deposit_observed'
    ? `${fact.seen.atoms}/${fact.confirmed.atoms}/${fact.have}/${fact.need}`
    : fact.fact === 'stray_observed' || fact.fact === 'reward_observed'
      ? `${fact.fact}/${fact.total.asset}/${fact.total.atoms}`
      : fact.fact;

const isDeep = (one: KeptSighting, depthOf: (height: number) => { have: number; need: number }): boolean => {
  if (one.height === undefined) return false;
  const { have, need } = depthOf(one.height);
  return have >= need;
};

/**
 * Asks the chain again about what is deep enough, and keeps what can really be spent of it.
 * What we sent ourselves (gas, sweeps, change) is no news and counts nothing.
 */
async function settle(
  { chain, books }: Scanning,
  deep: readonly KeptSighting[],
): Promise<ReadonlyMap<string, KeptSighting>> {
  if (deep.length === 0) return new Map();
  const { id } = chain.facts;
  const ours = await books.ours(
    id,
    deep.map((one) => one.txHash),
  );
  const foreign = deep.filter((one) => !ours.has(one.txHash));
  const standing = foreign.length > 0 ? await chain.standing(foreign.map(asSighting)) : [];
  const spendable = new Map(standing.map((one) => [one.key, one.atoms]));
  const fallen = foreign.filter((one) => !spendable.has(one.key));
  const rewards = new Set(fallen.length > 0 ? await chain.rewards?.(fallen.map(asSighting)) : []);
  const settled = deep.map((one): KeptSighting => {
    const credited = spendable.get(one.key) ?? atoms(0n);
    return { ...one, state: 'final', credited, isReward: rewards.has(one.key) };
  });
  return new Map(settled.map((one) => [one.key, one]));
}

function asSighting(one: KeptSighting): Sighting {
  const { key, address, asset, txHash, sender } = one;
  const block =
    one.height === undefined || one.blockHash === undefined ? undefined : { height: one.height, hash: one.blockHash };
  return { key, address, asset, atoms: one.atoms, txHash, sender, block };
}

/** Never another order's credit: the order that had this address is forgotten, or was never made. */
async function setAside(
  scanning: Scanning,
  heads: Heads,
  address: Address,
  sightings: readonly KeptSighting[],
): Promise<void> {
  const { chain, books, telling } = scanning;
  const { id, family } = chain.facts;
  await telling.burn(family, address);
  const depthOf = (height: number) => chain.depositDepth(height, heads, 'large');
  const deep = sightings.filter((one) => one.state === 'mined' && isDeep(one, depthOf));
  for (const one of (await settle(scanning, deep)).values()) {
    if (one.credited > 0n) await telling.unclaimed(unclaimedOf(one));
    await books.settle(id, one.key, one.credited, one.isReward);
  }
  await books.reported(
    id,
    sightings.map((one) => one.key),
  );
}

/** The hot account's income from outside is inventory; it is posted before the sighting is closed. */
async function takeInventory(scanning: Scanning, heads: Heads, sightings: readonly KeptSighting[]): Promise<void> {
  const { chain, books, telling } = scanning;
  const { id } = chain.facts;
  const depthOf = (height: number) => chain.depositDepth(height, heads, 'large');
  const settled = await settle(
    scanning,
    sightings.filter((one) => one.state === 'mined' && isDeep(one, depthOf)),
  );
  for (const one of settled.values()) {
    if (one.credited > 0n) await telling.inflow(`inflow:${id}:${one.key}`, amount(one.asset, one.credited));
    await books.settle(id, one.key, one.credited, one.isReward);
  }
  await books.reported(
    id,
    sightings.map((one) => one.key),
  );
}
