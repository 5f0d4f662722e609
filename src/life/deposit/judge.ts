import { type Amount, amount, isZero } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import { type AssetId, chainOf } from '../../kernel/ids.ts';
import { scaleInt } from '../../kernel/ratio.ts';
import { type UsdMicros, usdValue } from '../../kernel/usd.ts';
import type { Depth, Tier } from '../../world/chains/chain.ts';
import type { Fact } from '../order/fact.ts';
import { isFull } from '../order/machine/claim.ts';
import { isSpeck } from '../order/machine/deposit.ts';
import type { Order } from '../order/order.ts';
import type { Rules } from '../order/rules.ts';
import type { KeptSighting } from '../order/sighting.ts';
import { depositAccount } from '../order/step.ts';
import { sentBy, totalOf, withoutSpecks } from './senders.ts';

/**
 * Deposits are judged by the value of all that is in blocks; bridges always wait for the deeper finality (D62). Whoever can
 * take back one block can take back all that is in it: where what is at stake on the chain is much, small ones wait as well.
 * Beside that, what is in no block does not count, for it costs nothing to have a large sum seen there; where nothing is in a block
 * yet, nothing is final by either depth, and the customer is told how deep it will have to be.
 */
export function tierOf(order: Order, sightings: readonly KeptSighting[], rules: Rules, stake: UsdMicros): Tier {
  if (order.product === 'bridge' || stake >= rules.largeStake) return 'large';
  const all = sightings.filter((one) => one.asset === order.from.id);
  const inBlocks = all.filter(({ state }) => state === 'mined' || state === 'final');
  const counted = amount(order.from.id, sum(inBlocks.length > 0 ? inBlocks : all));
  return usdValue(counted, order.route.fromPrice) >= rules.largeFrom ? 'large' : 'small';
}

/** By what sightings are judged: depths on the chain, its assets that are in the catalog, and the numbers of the house. */
export interface Measures {
  readonly depthOf: (height: number) => Depth;
  readonly listed: ReadonlySet<AssetId>;
  readonly rules: Rules;
}

/** What the chain shows of one order now, as facts; nothing where it shows nothing new. */
export function judge(
  order: Order,
  sightings: readonly KeptSighting[],
  measures: Measures,
  at: Instant,
): readonly Fact[] {
  const main = sightings.filter((one) => one.asset === order.from.id).map(asDeposit);
  const observed = main.length > 0 ? observe(order, main, measures, at) : undefined;
  return [
    ...(observed ? [observed] : []),
    ...straysOf(order, sightings, measures).flatMap((asset) => stray(order, asset, sightings, measures, at)),
    ...rewards(order, sightings, at),
  ];
}

/** What is a reward only shows when it is deep; until then it looked like a deposit, which is now gone. */
const asDeposit = (one: KeptSighting): KeptSighting => (one.isReward ? { ...one, state: 'gone' } : one);

function observe(
  order: Order,
  main: readonly KeptSighting[],
  { depthOf, rules }: Measures,
  at: Instant,
): Fact | undefined {
  const present = main.filter((one) => one.state !== 'gone');
  const first = present[0] ?? main[0];
  if (!first) return undefined;
  const { have, need } = shallowest(order, present, depthOf);
  const seen = amount(order.from.id, sum(present));
  const confirmed = amount(
    order.from.id,
    present.reduce((total, one) => total + (one.state === 'final' ? one.credited : 0n), 0n),
  );
  const { funds } = order;
  const isNews =
    seen.atoms !== funds.seen.atoms ||
    confirmed.atoms !== funds.confirmed.atoms - (funds.missing?.atoms ?? 0n) ||
    have !== funds.have ||
    need !== funds.need;
  if (!isNews) return undefined;
  return {
    fact: 'deposit_observed',
    seen,
    confirmed,
    firstSeenAt: first.firstSeenAt,
    txHash: first.txHash,
    ...sendersOf(order, present, rules),
    have,
    need,
    at,
  };
}

/** Progress is that of the transfer with the longest way to go. */
function shallowest(order: Order, present: readonly KeptSighting[], depthOf: (height: number) => Depth): Depth {
  const depths = present
    .filter((one) => one.state !== 'final')
    .map((one) => (one.height === undefined ? undefined : depthOf(one.height)));
  const known = depths.filter((depth) => depth !== undefined);
  const need = known[0]?.need ?? (depths.length > 0 ? depthOf(0).need : order.funds.need);
  if (present.length === 0 || depths.length > known.length) return { have: 0, need };
  const have = known.reduce((least, depth) => Math.min(least, depth.have), need);
  return { have: Math.min(have, need), need };
}

/**
 * Who sent it, those of the most first; each of them is screened. Only what is final is carried out, so that once there is some, nothing else
 * counts. Specks are anybody's: who sent the least is left out as long as all that are left out sent no more than one speck. Anybody
 * can send from a thousand accounts, too: beyond so many only dust may be left, or it is a crowd that nobody can look through.
 */
function sendersOf(order: Order, present: readonly KeptSighting[], rules: Rules) {
  const final = present.filter(({ state }) => state === 'final');
  const counted = final.length > 0 ? final : present;
  const sent = sentBy(counted, worthOf);
  const worthMore = withoutSpecks(sent, (atoms) =>
    isSpeck(order, usdValue(amount(order.from.id, atoms), order.route.fromPrice), rules),
  );
  const known = worthMore.length > 0 ? worthMore : sent.slice(0, 1);
  const senders = known.flatMap(([account]) => account ?? []);
  const unseen = totalOf(known.slice(rules.mostSenders));
  const isCrowd = unseen > 0n && unseen >= scaleInt(sum(counted), rules.dust, 'up');
  return {
    sender: known.length === 1 ? known[0]?.[0] : undefined,
    senders: senders.slice(0, rules.mostSenders),
    ...(isCrowd ? { isCrowd } : {}),
  };
}

/**
 * Other assets of which something came. Whoever writes a token can have it say anything, so of those that nobody listed only
 * the first few are taken up, and none for an order that has claims enough.
 */
function straysOf(order: Order, sightings: readonly KeptSighting[], { listed, rules }: Measures): readonly AssetId[] {
  const others = [...new Set(sightings.map((one) => one.asset))].filter((asset) => asset !== order.from.id);
  const known = new Set(order.strays.map(({ asset }) => asset));
  const hasEnough = isFull(order, rules);
  // What strayed on other chains was judged there, by their own catalogs.
  const here = new Set(others.map(chainOf));
  const taken = [...known].filter((asset) => here.has(chainOf(asset)) && !listed.has(asset));
  let room = rules.mostUnlistedTokens - taken.length;
  return others.filter((asset) => {
    if (listed.has(asset)) return true;
    if (hasEnough) return false;
    if (known.has(asset)) return true;
    const isFinal = sightings.some((one) => one.asset === asset && one.state === 'final' && one.credited > 0n);
    if (isFinal) room -= 1;
    return isFinal && room >= 0;
  });
}

/** Whoever writes a token can have it say anything: of one that nobody listed no more than so much goes into the books. */
export function believed(told: Amount, { listed, rules }: Pick<Measures, 'listed' | 'rules'>): Amount {
  const isTooMuch = !listed.has(told.asset) && told.atoms > rules.mostUnlistedAtoms;
  return isTooMuch ? amount(told.asset, rules.mostUnlistedAtoms) : told;
}

/** Another asset on the order's address: only what is final counts, and only as something to give back. */
function stray(
  order: Order,
  asset: AssetId,
  sightings: readonly KeptSighting[],
  { listed, rules }: Measures,
  at: Instant,
): readonly Fact[] {
  const final = sightings.filter((one) => one.asset === asset && one.state === 'final');
  const told = final.reduce((value, one) => value + one.credited, 0n);
  const total = believed(amount(asset, told), { listed, rules });
  const known = order.strays.find((one) => one.asset === asset);
  if (isZero(total) || (known && known.atoms >= total.atoms)) return [];
  return [{ fact: 'stray_observed', total, from: { deposit: order.depositIndex }, at }];
}

function rewards(order: Order, sightings: readonly KeptSighting[], at: Instant): readonly Fact[] {
  const total = amount(
    order.from.id,
    sightings.reduce((value, one) => value + (one.isReward && one.state === 'final' ? one.atoms : 0n), 0n),
  );
  const known = order.strays.find(({ asset }) => asset === total.asset);
  if (isZero(total) || (known && known.atoms >= total.atoms)) return [];
  return [{ fact: 'reward_observed', total, from: depositAccount(order), at }];
}

/** A final sighting counts with what could really be spent of it. */
const worthOf = (one: KeptSighting): bigint => (one.state === 'final' ? one.credited : one.atoms);

function sum(sightings: readonly KeptSighting[]): bigint {
  return sightings.filter((one) => one.state !== 'gone').reduce((total, one) => total + worthOf(one), 0n);
}
