import { hexToBytes } from '@noble/hashes/utils.js';
import { atoms } from '../../../kernel/amount.ts';
import { txHash } from '../../../kernel/ids.ts';
import { SCAN_TRIES_PER_TURN } from '../../../kernel/limits.ts';
import { nextTurn } from '../../outbound/next-turn.ts';
import type { Sighting } from '../chain.ts';
import { addressOf, type ViewKeys } from './codec.ts';
import type { FoundTx } from './daemon.ts';
import { type Opening, type OwnedOutput, openReceived, openUnread } from './output-codec.ts';
import { isKey } from './point-codec.ts';
import { XMR_ASSET } from './rules.ts';
import { tagFilter } from './tag-filter.ts';

/** What a transaction pays under the view key, wherever it stands. Whether it is ours, its address tells. */
export interface Opened {
  readonly paid: readonly Omit<Sighting, 'block'>[];
  /** Paid in a form that the signer's wallet does not see, so that it cannot be spent from there. */
  readonly unread: readonly Omit<Sighting, 'block'>[];
}

export interface OpenOutputs {
  /** Others of the process have their turn meanwhile: a stranger may make it long. */
  of(found: FoundTx): Promise<Opened>;
  /** Whether it was opened before, and what came of it is still known. */
  isOpened(hash: string): boolean;
  /** What is listed now, in the pool or in the blocks of a page, is not forgotten, however much it is. */
  keep(listed: ReadonlySet<string>): void;
  /** Whether it was opened before and pays nobody under the view key: its hash fixes that, so it need not be asked for again. */
  paysNobody(hash: string): boolean;
}

/** Beside those that are listed: more than are on their way to finality at once, in some megabytes. */
const MOST_UNLISTED = 20_000;
const NOTHING: Opened = { paid: [], unread: [] };
const isNothing = ({ paid, unread }: Opened): boolean => paid.length + unread.length === 0;

/**
 * A transaction is seen many times: while it is in the pool, in its block, and when its deposit is credited. Its hash fixes what
 * is in it (`daemon.ts` checks that), so each is opened once.
 */
export function openingOnce(keys: ViewKeys): OpenOutputs {
  const filterFor = tagFilter(keys.viewKey);
  const opened = new Map<string, Opened>();
  let listed: ReadonlySet<string> = new Set();
  const forgetUnlisted = () => {
    for (const hash of opened.keys()) if (!listed.has(hash)) opened.delete(hash);
  };
  return {
    async of(found) {
      const known = opened.get(found.hash);
      if (known) return known;
      // Nothing ties bytes of such a form to the hash that the node gave for them: a lie is forgotten, and asked for again.
      if (found.tx.isOutdated) return NOTHING;
      const outputs = await open(found, keys, filterFor);
      if (opened.size >= MOST_UNLISTED + listed.size) forgetUnlisted();
      opened.set(found.hash, isNothing(outputs) ? NOTHING : outputs);
      return outputs;
    },
    isOpened: (hash) => opened.has(hash),
    keep(now) {
      listed = now;
    },
    paysNobody: (hash) => opened.get(hash) === NOTHING,
  };
}

/** Whose public spend key it is, shows in the address that follows from it. */
const WHOSE_EVER = { get: (spend: string) => spend };

async function open(
  { tx, hash }: FoundTx,
  { viewKey, publicSpend }: ViewKeys,
  filterFor: ReturnType<typeof tagFilter>,
): Promise<Opened> {
  const told = (output: OwnedOutput<string>) => {
    const spend = hexToBytes(output.owner);
    // A sender may make it of a key that nobody has.
    if (!isKey(spend)) return [];
    const address = addressOf({ viewKey, publicSpend }, spend);
    const paid = { key: output.key, address, asset: XMR_ASSET.id, atoms: atoms(output.atoms) };
    return [{ ...paid, txHash: txHash(hash), sender: undefined }];
  };
  const mayShare = filterFor([...tx.publicKeys, ...tx.additionalKeys, ...tx.unreadKeys]);
  const paid = await inTurns(openReceived(tx, viewKey, WHOSE_EVER, mayShare));
  const unread = await inTurns(openUnread(tx, viewKey, WHOSE_EVER, mayShare));
  return { paid: paid.flatMap(told), unread: unread.flatMap(told) };
}

async function inTurns<Owner>(opening: Opening<Owner>): Promise<readonly OwnedOutput<Owner>[]> {
  for (let tries = 0; ; tries += 1) {
    if (tries > 0 && tries % SCAN_TRIES_PER_TURN === 0) await nextTurn();
    const { done, value } = opening.next();
    if (done) return value;
  }
}
