import { type Atoms, atoms } from '../../../kernel/amount.ts';
import { type Address, type AssetId, chainOf } from '../../../kernel/ids.ts';
import { larger } from '../../../kernel/ratio.ts';
import { bundled } from '../bundled.ts';
import type { BlockRef, ChainFacts, Sighting } from '../chain.ts';
import { blockAt, mustStillStand } from '../following.ts';
import { evmContractOf } from './codec.ts';
import { coinMovements, coinsSent } from './coins.ts';
import { innerKey } from './inner.ts';
import { type EvmNode, type NodeBlock, type NodeLog, whereKept } from './node.ts';
import { type Movement, partiesOf, tokenMovements } from './transfers.ts';
import { unlistedCredits } from './unlisted.ts';

interface Credit {
  readonly key: string;
  readonly atoms: Atoms;
}

interface Place {
  readonly block: BlockRef;
  readonly address: Address;
  readonly asset: AssetId;
  readonly asked: Sighting[];
}

/**
 * What each sighting really brought: logs only claim, the balance before and after the block tells. All that came to the
 * address in that block shares the difference, in the order of the chain, whichever of them is asked for; what is left of
 * the network's own coin came by inner calls. A node that has not kept the states around the block leaves other proof of all
 * but those.
 */
export async function standingSightings(
  node: EvmNode,
  facts: ChainFacts,
  sightings: readonly Sighting[],
): Promise<readonly Credit[]> {
  const places = new Map<string, Place>();
  for (const sighting of sightings) {
    const { block, address, asset } = sighting;
    if (!block) continue;
    const name = `${block.hash}:${address}:${asset}`;
    const place = places.get(name) ?? { block, address, asset, asked: [] };
    places.set(name, place);
    place.asked.push(sighting);
  }
  const listed = new Set(facts.assets.map(({ id }) => id));
  const credits: Credit[] = [];
  for (const { block, address, asset, asked } of places.values()) {
    const contract = evmContractOf(asset);
    if (contract && !listed.has(asset)) credits.push(...(await unlistedCredits(node, block, address, contract, asked)));
    else {
      const keys = new Set(asked.map(({ key }) => key));
      const found = await creditsTo(node, block, address, asset, keys);
      credits.push(...found.filter(({ key }) => keys.has(key)));
    }
  }
  return credits;
}

async function creditsTo(
  node: EvmNode,
  { height, hash }: BlockRef,
  address: Address,
  asset: AssetId,
  asked: ReadonlySet<string>,
): Promise<readonly Credit[]> {
  const block = await node.block(height);
  if (!block) throw node.fault(`the node has no block ${height}`);
  if (block.hash !== hash) return [];
  const contract = evmContractOf(asset);
  const arrived = await arrivals(node, block, address, asset);
  const rise = await whereKept(riseIn(node, block, address, contract));
  if ((await node.hashAt(height)) !== hash) throw node.fault(`the chain moved under block ${height}`);
  if (rise === undefined) {
    const isProven = contract
      ? await isBorneOut(node, block, address, contract, arrived)
      : !asked.has(innerKey(block, address));
    if (!isProven)
      throw node.fault(`the states around block ${height} are gone, and nothing else proves what came to ${address}`);
    return withBundles(arrived);
  }
  let rest = rise;
  const shares = arrived.map((one): Movement => {
    const credit = one.atoms < rest ? one.atoms : larger(rest, 0n);
    rest -= credit;
    return { ...one, atoms: atoms(credit) };
  });
  const credits = withBundles(shares).filter((one) => one.atoms > 0n);
  return contract || rest <= 0n ? credits : [...credits, { key: innerKey(block, address), atoms: atoms(rest) }];
}

/** By itself and in its bundle: what was sighted before there were bundles is asked for by its own key, and never by both. */
function withBundles(movements: readonly Movement[]): readonly Credit[] {
  const arrivals = movements.map(({ to, ...rest }) => ({ ...rest, address: to, sender: undefined }));
  return [...arrivals, ...bundled(arrivals).rest].map(({ key, atoms: credit }) => ({ key, atoms: credit }));
}

/** By how much the block raised the balance, had nothing left the address in it. */
async function riseIn(
  node: EvmNode,
  block: NodeBlock,
  address: Address,
  contract: Address | undefined,
): Promise<bigint> {
  const [before, after, sent] = await Promise.all([
    node.balance(address, contract, block.height - 1),
    node.balance(address, contract, block.height),
    contract ? sentTokens(node, block, address, contract) : coinsSent(node, block, address),
  ]);
  return after + sent - before;
}

/**
 * A successful transaction moves the coins that it names. A token's own word is taken where it bears itself out: what it keeps for the
 * address now, with all that left since, covers all that it says came since.
 */
async function isBorneOut(
  node: EvmNode,
  { height }: BlockRef,
  address: Address,
  contract: Address,
  arrived: readonly Movement[],
): Promise<boolean> {
  const tip = await blockAt(node, await node.tip());
  const [now, came, went] = await Promise.all([
    node.balance(address, contract, tip.height),
    node.transferLogsBetween(height, tip.height, { contracts: [contract], to: address }),
    node.transferLogsBetween(height, tip.height, { contracts: [contract], from: address }),
  ]);
  await mustStillStand(node, tip);
  const since = sumOf(came);
  // For a range of heights a node may say "none" of blocks that it does not have.
  if (since < arrived.reduce((sum, one) => sum + one.atoms, 0n)) return false;
  return now + sumOf(went) >= since;
}

const sumOf = (logs: readonly NodeLog[]): bigint => logs.reduce((sum, log) => sum + (partiesOf(log)?.atoms ?? 0n), 0n);

async function arrivals(
  node: EvmNode,
  block: NodeBlock,
  address: Address,
  asset: AssetId,
): Promise<readonly Movement[]> {
  const [chain, contract, { transactions }] = [chainOf(asset), evmContractOf(asset), block];
  const paying = transactions.filter(({ to }) => to === address);
  if (!contract) return coinMovements(node, chain, block, paying);
  const logs = await node.transferLogs(block.hash, { contracts: [contract], to: address });
  return tokenMovements(chain, transactions, logs, new Set([address]));
}

/** What left the address in the same block would otherwise hide what came. */
async function sentTokens(node: EvmNode, block: BlockRef, address: Address, contract: Address): Promise<bigint> {
  const logs = await node.transferLogs(block.hash, { contracts: [contract], from: address });
  const moved = logs.map(partiesOf).filter((parties) => parties?.to !== address);
  return moved.reduce((sum, parties) => sum + (parties?.atoms ?? 0n), 0n);
}
