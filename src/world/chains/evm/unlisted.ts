import { atoms } from '../../../kernel/amount.ts';
import { type Address, type AssetId, tokenOf } from '../../../kernel/ids.ts';
import type { BlockRef, Sighting } from '../chain.ts';
import { isCanonical } from '../following.ts';
import type { EvmNode } from './node.ts';
import { isSystemAddress } from './rules.ts';
import type { Movement } from './transfers.ts';

/** Unlisted tokens of one address in one block; who sends more of them at once is no customer who erred. */
const TOKENS_PER_ADDRESS = 4;
/** The most that a token can say, however many logs say it. */
const MOST = 2n ** 256n - 1n;

/**
 * What came in tokens that are not in the catalog: one movement for each address and token, with the sum of what the logs
 * claim. Where there are too many, what somebody sent himself goes before what a contract handed out.
 */
export function unlistedMovements(
  movements: readonly Movement[],
  listed: ReadonlySet<AssetId>,
  hotAddress: Address,
): readonly Movement[] {
  const strange = movements.filter(({ asset, to }) => !listed.has(asset) && to !== hotAddress && isToken(asset));
  const found = new Map<Address, Map<AssetId, Movement>>();
  for (const one of [...strange.filter(isDirect), ...strange.filter((other) => !isDirect(other))]) {
    const tokens = found.get(one.to) ?? new Map<AssetId, Movement>();
    found.set(one.to, tokens);
    const earlier = tokens.get(one.asset);
    if (earlier) tokens.set(one.asset, together(earlier, one));
    else if (tokens.size < TOKENS_PER_ADDRESS) tokens.set(one.asset, one);
  }
  return [...found.values()].flatMap((tokens) => [...tokens.values()]);
}

const isDirect = (movement: Movement): boolean => movement.isDirect;

/** Some networks let a system contract speak as a token for their coin. */
const isToken = (asset: AssetId): boolean => !isSystemAddress(tokenOf(asset));

function together(one: Movement, other: Movement): Movement {
  const sum = one.atoms + other.atoms;
  const isAlike = one.isDirect && other.isDirect && one.from === other.from;
  return { ...one, atoms: sum > MOST ? atoms(MOST) : atoms(sum), isDirect: isAlike };
}

/**
 * No log is believed: a sighting stands with what the token says that the block added to the address, and not with more
 * than it claimed. A token that cannot say it, or says less afterwards, brought nothing.
 */
export async function unlistedCredits(
  node: EvmNode,
  block: BlockRef,
  address: Address,
  contract: Address,
  sightings: readonly Sighting[],
): Promise<readonly Pick<Sighting, 'key' | 'atoms'>[]> {
  const { height, hash } = block;
  if (!(await isCanonical(node, block))) return [];
  const [before, after] = await Promise.all([
    node.toldBalance(address, contract, height - 1),
    node.toldBalance(address, contract, height),
  ]);
  if ((await node.hashAt(height)) !== hash) throw node.fault(`the chain moved under block ${height}`);
  if (before === undefined || after === undefined) return [];
  let rest = after > before ? after - before : 0n;
  return sightings.flatMap(({ key, atoms: claimed }) => {
    const credit = claimed < rest ? claimed : atoms(rest);
    rest -= credit;
    return credit > 0n ? [{ key, atoms: credit }] : [];
  });
}
