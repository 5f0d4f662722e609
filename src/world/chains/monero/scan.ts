import { Fault } from '../../../kernel/fault.ts';
import type { Address } from '../../../kernel/ids.ts';
import { SCAN_BLOCKS_PER_PAGE } from '../../../kernel/limits.ts';
import type { BlockRef, Heads, OutOfReach, ScanCursor, ScanPage, Sighting, Watched } from '../chain.ts';
import { follow, mustStillStand, sightedBy } from '../following.ts';
import { parseMoneroAddress } from './codec.ts';
import type { Daemon, FoundTx } from './daemon.ts';
import { isLockedTooLong, LEAST_TOLD, lockedWords } from './lock.ts';
import type { OpenOutputs } from './open-outputs.ts';
import { AT_MONERO, type Reply, records, text, whole } from './reply.ts';
import type { WalletCall } from './wallet-rpc.ts';

/**
 * The view wallet says which transactions concern us; the daemon says what is in them and where they stand, and the view
 * key opens them. An output is keyed by its one-time public key, in the pool as in a block.
 */
export interface MoneroScan {
  readonly daemon: Daemon;
  readonly wallet: WalletCall;
  readonly open: OpenOutputs;
  heads(tip: BlockRef): Heads;
}

/** Blocks may come between two questions; more often than this in a row is a node in trouble. */
const ATTEMPTS = 3;

export async function scanPage(deps: MoneroScan, cursor: ScanCursor | undefined, watched: Watched): Promise<ScanPage> {
  const { daemon } = deps;
  const tip = await syncedTip(deps);
  const { start, first, last, after } = await follow(daemon, tip.height, cursor, SCAN_BLOCKS_PER_PAGE);
  const blocks = await daemon.blocks(first, last);
  const { found, locked } = await received(deps, start.height, last, blocks, tip.height);
  await mustStillStand(daemon, tip);
  const ours = await sightedBy(watched, [...found, ...locked.values()]);
  return {
    ...after(blocks),
    pool: ours.pool,
    sightings: ours.sightings.filter(({ key }) => !locked.has(key)),
    outOfReach: ours.sightings.flatMap(({ key }) => locked.get(key) ?? []).filter(({ atoms }) => atoms >= LEAST_TOLD),
    heads: deps.heads(tip),
  };
}

/**
 * A tip up to which the wallet has followed the daemon; it may be further by now. A wallet that has seen a longer chain than
 * the daemon has does not follow it until it is longer again: what it says in the meantime is about blocks that are gone.
 */
async function syncedTip({ daemon, wallet }: MoneroScan): Promise<BlockRef> {
  const blocksSeen = async () => whole(await wallet('get_height'), 'height');
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const tip = await daemon.tip();
    const before = await blocksSeen();
    await wallet('refresh');
    if (before <= tip.height + 1 && (await blocksSeen()) > tip.height) return tip;
  }
  throw new Fault('transient', AT_MONERO, 'the wallet does not follow the node');
}

interface Received {
  readonly found: readonly Sighting[];
  /** By key: what is in a block and locked for so long that no order waits for it. */
  readonly locked: ReadonlyMap<string, Sighting & OutOfReach>;
}

async function received(
  { daemon, wallet, open }: MoneroScan,
  above: number,
  upTo: number,
  blocks: readonly BlockRef[],
  tip: number,
): Promise<Received> {
  const range = { filter_by_height: true, min_height: above, max_height: upTo };
  const transfers = await wallet('get_transfers', { in: true, pool: true, account_index: 0, ...range });
  const mined = records(transfers, 'in');
  const payees = payeesByTx([...mined, ...records(transfers, 'pool')]);
  const transactions = await daemon.transactions([...payees.keys()]);
  const byHeight = new Map(blocks.map((block) => [block.height, block]));
  expectAll(mined, transactions, byHeight);
  const seen = new Map<string, Sighting>();
  const locked = new Map<string, Sighting & OutOfReach>();
  for (const found of transactions.toSorted(byAge)) {
    const block = found.height === undefined ? undefined : byHeight.get(found.height);
    // In a block outside this page (that page will tell), or in a pool where another transaction contests it.
    if (found.height === undefined ? found.doubleSpendSeen : !block) continue;
    const isLocked = isLockedTooLong(found.tx, block?.height ?? tip);
    // Whoever uses a one-time key again can spend one of the outputs only: the first is the deposit.
    for (const output of open(found, payees.get(found.hash) ?? [])) {
      if (seen.has(output.key) || locked.has(output.key)) continue;
      if (!isLocked) seen.set(output.key, { ...output, block });
      else if (block) locked.set(output.key, { ...output, block, why: lockedWords(found.tx) });
    }
  }
  return { found: [...seen.values()], locked };
}

const heightOf = ({ height }: FoundTx): number => height ?? Number.MAX_SAFE_INTEGER;
const byAge = (one: FoundTx, other: FoundTx): number => heightOf(one) - heightOf(other);

/** The page is not read again: what the wallet saw in its blocks must be shown by the daemon, or the page is not taken. */
function expectAll(
  mined: readonly Reply[],
  transactions: readonly FoundTx[],
  byHeight: ReadonlyMap<number, BlockRef>,
): void {
  const shown = new Set(transactions.filter((found) => byHeight.has(heightOf(found))).map(({ hash }) => hash));
  const missing = mined.map((row) => text(row, 'txid')).find((hash) => !shown.has(hash));
  if (missing) throw new Fault('transient', AT_MONERO, `the wallet saw ${missing}, and the node does not show it`);
}

/** The wallet tells one row for each address that a transaction pays. */
function payeesByTx(rows: readonly Reply[]): ReadonlyMap<string, readonly Address[]> {
  const payees = new Map<string, Address[]>();
  for (const row of rows) {
    const hash = text(row, 'txid');
    const address = parseMoneroAddress(text(row, 'address'));
    if (!address) throw new Fault('transient', AT_MONERO, `the wallet names an odd address in ${hash}`);
    payees.set(hash, [...(payees.get(hash) ?? []), address]);
  }
  return payees;
}
