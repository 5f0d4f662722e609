import { amount, atoms } from '../../kernel/amount.ts';
import { usd } from '../../kernel/usd.ts';
import type { OutOfReach, ScanPage, Sighting } from '../../world/chains/chain.ts';
import type { Rules } from '../order/rules.ts';
import type { Scanning } from './scanning.ts';

/**
 * Whoever has an address can send specks to it for ever, and all that came to an address is read whenever one thing there is in motion.
 * So beyond a number that no customer comes near only what is worth something is kept; of the rest a person is told, once of each address.
 * What is kept already stays, wherever it is mined again. The hot account is no stranger's, and has its own in motion alone read.
 */
export async function withoutCrowds(scanning: Scanning, page: ScanPage): Promise<ScanPage> {
  const { chain, books, rules } = scanning;
  const paid = groupsOf(
    page.sightings.filter(({ address }) => address !== chain.hotAddress),
    ({ address }) => address,
  );
  if (paid.size === 0) return page;
  const kept = await books.keptAt([...paid.keys()], rules.mostTransfers);
  const left = new Set<Sighting>();
  const outOfReach: OutOfReach[] = [];
  for (const [address, sightings] of paid) {
    const room = rules.mostTransfers - (kept.get(address) ?? 0);
    if (sightings.length <= room) continue;
    const known = await books.known(
      chain.facts.id,
      sightings.map(({ key }) => key),
    );
    const specks = await specksOf(scanning, sightings.filter(({ key }) => !known.has(key)).slice(room));
    for (const one of specks) left.add(one);
    outOfReach.push(...told(specks, rules));
  }
  if (left.size === 0) return page;
  const sightings = page.sightings.filter((one) => !left.has(one));
  return { ...page, sightings, outOfReach: [...(page.outOfReach ?? []), ...outOfReach] };
}

/** A token that nobody listed is worth nothing here; a listed one of which nobody can say the price is no speck. What moves nothing always is. */
async function specksOf({ chain, worth, rules }: Scanning, some: readonly Sighting[]): Promise<readonly Sighting[]> {
  const listed = new Set(chain.facts.assets.map(({ id }) => id));
  const specks = some.filter(({ atoms: value }) => value === 0n);
  const worthy = some.filter(({ atoms: value }) => value > 0n);
  for (const [asset, ones] of groupsOf(worthy, (one) => one.asset)) {
    const sum = sumOf(ones);
    const value = listed.has(asset) ? (await worth(amount(asset, sum)))?.value : usd(0);
    if (value !== undefined) specks.push(...ones.filter((one) => value * one.atoms < rules.speckBelow * sum));
  }
  return specks;
}

function told(specks: readonly Sighting[], { mostTransfers }: Rules): readonly OutOfReach[] {
  const mined = specks.filter(({ block, atoms: value }) => block !== undefined && value > 0n);
  const [first] = mined;
  if (!first) return [];
  const { address, asset, txHash } = first;
  const sum = sumOf(mined.filter((one) => one.asset === asset));
  const why = `${mostTransfers} transfers came to this address, and of what comes after them nothing that is next to nothing is credited`;
  return [{ key: `crowd:${address}`, address, asset, atoms: atoms(sum), txHash, sender: undefined, why }];
}

const sumOf = (some: readonly Sighting[]): bigint => some.reduce((sum, one) => sum + one.atoms, 0n);

function groupsOf<K>(some: readonly Sighting[], by: (one: Sighting) => K): ReadonlyMap<K, readonly Sighting[]> {
  const groups = new Map<K, Sighting[]>();
  for (const one of some) {
    const group = groups.get(by(one));
    if (group) group.push(one);
    else groups.set(by(one), [one]);
  }
  return groups;
}
