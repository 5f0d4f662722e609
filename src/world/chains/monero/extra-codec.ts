import { ByteReader } from '../../../kernel/byte-reader.ts';
import { Fault } from '../../../kernel/fault.ts';

/**
 * The keys in what a sender writes beside a transaction. Money may be credited only where the signer's wallet sees it too, so this reads
 * what wallets read (tx_extra.h, parse_tx_extra and process_new_transaction of release 0.18), and no more: they take the fields one after
 * another, stop at the first that they cannot read, and keep what came before it. Pure.
 */
export interface ExtraKeys {
  /** Transaction public keys. Each is tried on every output. */
  readonly publicKeys: readonly Uint8Array[];
  /** One more for each output where the transaction has several kinds of payees. */
  readonly additionalKeys: readonly Uint8Array[];
  /** Keys where no wallet looks for them: what they open is ours and cannot be spent by a wallet as it is. */
  readonly unreadKeys: readonly Uint8Array[];
}

const PADDING = 0x00;
const PUBLIC_KEY = 0x01;
const NONCE = 0x02;
const MERGE_MINING = 0x03;
const ADDITIONAL_KEYS = 0x04;
const MINERGATE = 0xde;

const KEY_BYTES = 32;
const NONCE_BYTES_MOST = 255;
/** Nodes pass on no transaction with room for more: its extra has 1,060 bytes at most. Only a miner could put in more. */
const KEYS_MOST = 32;

const unreadable = (what: string): Fault => new Fault('permanent', 'chain:0', `unreadable Monero extra: ${what}`);

/** The sender may write anything here; what cannot be read ends the reading and harms nobody. */
export function readExtra(extra: Uint8Array): ExtraKeys {
  const publicKeys: Uint8Array[] = [];
  const unreadKeys: Uint8Array[] = [];
  let additional: readonly Uint8Array[] | undefined;
  const reader = new ByteReader(extra, unreadable);
  /** Whether a wallet still reads here. */
  let isRead = true;
  try {
    while (reader.left > 0) {
      const tag = reader.byte();
      if (tag === PADDING) {
        // Only more of it may follow, up to the end.
        isRead = false;
      } else if (tag === PUBLIC_KEY) {
        (isRead ? publicKeys : unreadKeys).push(reader.take(KEY_BYTES));
      } else if (tag === ADDITIONAL_KEYS) {
        const count = length(reader);
        isRead &&= count.isCanonical;
        const keys = reader.list(count.value, () => reader.take(KEY_BYTES));
        // The first such field is the one that counts, an empty one included.
        if (isRead && !additional) additional = keys;
        else unreadKeys.push(...keys);
      } else {
        isRead &&= skipsBlob(reader, tag);
      }
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
  // Without a transaction public key a wallet does not look at the others.
  const isSeen = publicKeys.length > 0;
  return {
    publicKeys: publicKeys.slice(0, KEYS_MOST),
    additionalKeys: isSeen ? (additional ?? []) : [],
    unreadKeys: [...(isSeen ? [] : (additional ?? [])), ...unreadKeys].slice(0, KEYS_MOST),
  };
}

/** Whether a wallet gets over this field as well. What nobody knows the length of ends the reading. */
function skipsBlob(reader: ByteReader, tag: number): boolean {
  if (tag !== NONCE && tag !== MERGE_MINING && tag !== MINERGATE) throw unreadable(`field ${tag}`);
  const { value, isCanonical } = length(reader);
  const blob = reader.take(value);
  if (!isCanonical) return false;
  if (tag === NONCE) return blob.length <= NONCE_BYTES_MOST;
  return tag === MINERGATE || isMergeMining(blob);
}

/** A depth and a hash, and nothing behind them. */
function isMergeMining(blob: Uint8Array): boolean {
  const reader = new ByteReader(blob, unreadable);
  try {
    const depth = length(reader);
    return depth.isCanonical && reader.left === KEY_BYTES;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

/** A wallet takes no number that could be written shorter, or that has more than 64 bits. */
function length(reader: ByteReader): { readonly value: bigint; readonly isCanonical: boolean } {
  const from = reader.at;
  const value = reader.varint();
  const isShortest = reader.at - from === 1 || reader.bytes[reader.at - 1] !== 0;
  return { value, isCanonical: isShortest && value < 1n << 64n };
}
