import { bytesToHex } from '@noble/hashes/utils.js';
import { present } from '../../../src/kernel/assert.ts';
import type { Address } from '../../../src/kernel/ids.ts';
import {
  decodeAddress,
  subaddress,
  subaddressSpendKey,
  type ViewKeys,
} from '../../../src/world/chains/monero/codec.ts';
import { type OwnedOutput, receivedOutputs } from '../../../src/world/chains/monero/output-codec.ts';
import type { MoneroTx } from '../../../src/world/chains/monero/tx-codec.ts';

/**
 * The subaddresses of account 0, and what they receive. Deriving one and opening an output takes milliseconds each: it is done
 * once for all wallets of the same keys, and not before one of them asks.
 */
export class Subaddresses {
  readonly #keys: ViewKeys;
  readonly #addresses = new Map<number, Address>();
  readonly #minors = new Map<string, number>();
  /** What these keys can open, by whose public spend key that would be. */
  readonly #opened = new WeakMap<MoneroTx, readonly OwnedOutput<string>[]>();
  /** All before it are known by their spend key. */
  #next = 0;

  constructor(keys: ViewKeys) {
    this.#keys = keys;
  }

  address(minor: number): Address {
    const known = this.#addresses.get(minor);
    if (known) return known;
    const address = subaddress(this.#keys, 0, minor);
    this.#addresses.set(minor, address);
    this.#minors.set(bytesToHex(present(decodeAddress(address), 'an address of our own').spend), minor);
    return address;
  }

  /** The one among the first `count` that has this public spend key. */
  minorOf(spend: string, count: number): number | undefined {
    for (; !this.#minors.has(spend) && this.#next < count; this.#next += 1) {
      if (this.#addresses.has(this.#next)) continue;
      this.#minors.set(bytesToHex(subaddressSpendKey(this.#keys, 0, this.#next)), this.#next);
    }
    const minor = this.#minors.get(spend);
    return minor !== undefined && minor < count ? minor : undefined;
  }

  /** What a transaction pays to the first `count`. */
  receivedIn(tx: MoneroTx, count: number): readonly OwnedOutput<number>[] {
    const opened = this.#opened.get(tx) ?? receivedOutputs(tx, this.#keys.viewKey, { get: (spend) => spend });
    this.#opened.set(tx, opened);
    return opened.flatMap((output) => {
      const owner = this.minorOf(output.owner, count);
      return owner === undefined ? [] : [{ ...output, owner }];
    });
  }
}

const SHELF = new Map<string, Subaddresses>();

/** Wallets that see and wallets that spend have the same. */
export function subaddressesOf(keys: ViewKeys): Subaddresses {
  const name = `${keys.viewKey}:${keys.publicSpend}`;
  const found = SHELF.get(name) ?? new Subaddresses(keys);
  SHELF.set(name, found);
  return found;
}
