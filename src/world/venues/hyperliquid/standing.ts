import {
  type Amount,
  type Atoms,
  add,
  amount,
  atLeast,
  isZero,
  smaller,
  subtract,
  zero,
} from '../../../kernel/amount.ts';
import { type Instant, instant } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Address, AssetId } from '../../../kernel/ids.ts';
import type { Sighting } from '../../chains/chain.ts';
import type { Arrival, Desk } from './desk.ts';
import { VENUE } from './reply.ts';

interface Credit {
  readonly key: string;
  readonly atoms: Atoms;
}

/** The venue takes nothing back, so what one of its servers does not show yet, the others do within this time. */
const SERVERS_AGREE_WITHIN_MS = 600_000;

/** Rows that are still in the history, as far as what the account has, or has sent on, covers them. */
export async function standingSightings(desk: Desk, sightings: readonly Sighting[]): Promise<readonly Credit[]> {
  const byAddress = new Map<Address, Sighting[]>();
  for (const one of sightings) {
    if (one.block) byAddress.set(one.address, [...(byAddress.get(one.address) ?? []), one]);
  }
  const credits: Credit[] = [];
  for (const [address, asked] of byAddress) credits.push(...(await creditsTo(desk, address, asked)));
  return credits;
}

async function creditsTo(desk: Desk, address: Address, asked: readonly Sighting[]): Promise<readonly Credit[]> {
  const heights = asked.map(({ block }) => block?.height ?? 0);
  const [since, until] = [instant(Math.min(...heights)), instant(Math.max(...heights))];
  const rows = await arrivalsBetween(desk, address, since, until);
  const shown = new Map(rows.map((row) => [row.key, row]));
  // The hot account spends at all times, so its balance proves nothing about a row.
  const left = address === desk.hot ? undefined : await coverOf(desk, address, asked);
  return asked.flatMap((one) => {
    const row = shown.get(one.key);
    const said = amount(one.asset, one.atoms);
    const claimed = row?.asset === one.asset ? smaller(said, amount(row.asset, row.atoms)) : zero(one.asset);
    const rest = left ? (left.get(one.asset) ?? zero(one.asset)) : claimed;
    const credit = smaller(claimed, rest);
    if (!atLeast(credit, said)) expectTime(desk, one);
    left?.set(one.asset, subtract(rest, credit));
    return isZero(credit) ? [] : [{ key: one.key, atoms: credit.atoms }];
  });
}

/**
 * What is in the account; and where that is less than came, what it has sent on as well: nobody but us can, and a database from the past
 * does not know that we did. What it sent on of other rows proves nothing of these.
 */
async function coverOf(desk: Desk, address: Address, asked: readonly Sighting[]): Promise<Map<AssetId, Amount>> {
  const cover = sumsOf((await desk.holdings(address)).map(({ asset, total }) => amount(asset, total)));
  const came = sumsOf(asked.map(({ asset, atoms }) => amount(asset, atoms)));
  const sumIn = (sums: ReadonlyMap<AssetId, Amount>, asset: AssetId) => sums.get(asset) ?? zero(asset);
  if ([...came.values()].every((sum) => atLeast(sumIn(cover, sum.asset), sum))) return cover;
  const keys = new Set(asked.map(({ key }) => key));
  const { came: all, sent } = await desk.whole(address);
  const others = sumsOf(all.filter(({ key }) => !keys.has(key)).map(({ asset, atoms }) => amount(asset, atoms)));
  for (const sum of sumsOf(sent).values()) {
    const { asset } = sum;
    cover.set(asset, add(sumIn(cover, asset), subtract(sum, smaller(sum, sumIn(others, asset)))));
  }
  return cover;
}

function sumsOf(amounts: readonly Amount[]): Map<AssetId, Amount> {
  const sums = new Map<AssetId, Amount>();
  for (const one of amounts) sums.set(one.asset, add(sums.get(one.asset) ?? zero(one.asset), one));
  return sums;
}

/** A few pages of what the scanner reads one page of at a time: anyone may fill the hot account's history. */
const MOST_PAGES = 10;

/** Of the hot account page by page, past an instant that is flooded; whatever was seen there was on its first page. */
async function arrivalsBetween(
  desk: Desk,
  address: Address,
  since: Instant,
  until: Instant,
): Promise<readonly Arrival[]> {
  if (address !== desk.hot) return desk.arrivals(address, since, { until });
  const rows: Arrival[] = [];
  let at = since;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page = await desk.arrivalPage(address, at);
    rows.push(...page.rows);
    if (page.isEnd || page.next > until) return rows;
    at = page.next;
  }
  throw new Fault('transient', VENUE, `more came to ${address} than is looked at in one go`);
}

/** A server that lags must not make us write off a deposit. */
function expectTime({ clock }: Desk, { key, block }: Sighting): void {
  if (clock.now() < (block?.height ?? 0) + SERVERS_AGREE_WITHIN_MS)
    throw new Fault('transient', VENUE, `the venue does not show all of ${key} now`);
}
