import { bytesToHex } from '@noble/hashes/utils.js';
import { atoms } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import { type Address, txHash } from '../../../kernel/ids.ts';
import type { Sighting } from '../chain.ts';
import { decodeAddress } from './codec.ts';
import type { FoundTx } from './daemon.ts';
import { receivedOutputs } from './output-codec.ts';
import { XMR_ASSET } from './rules.ts';

/** What a transaction pays to each of these addresses, wherever it stands. */
export type OpenOutputs = (found: FoundTx, payees: readonly Address[]) => readonly Omit<Sighting, 'block'>[];

/** More than are on their way to finality at once; the oldest gives way. */
const MOST_TRANSACTIONS = 1_000;

/**
 * A transaction is seen many times: at every look while it is in the pool, in its block, and when its deposit is credited.
 * Opening it takes milliseconds for every output, and its hash fixes what is in it (`daemon.ts` checks that), so each is opened once
 * for an address.
 */
export function openingOnce(viewKey: string): OpenOutputs {
  const opened = new Map<string, Map<Address, readonly Omit<Sighting, 'block'>[]>>();
  return (found, payees) => {
    const known = opened.get(found.hash) ?? new Map();
    const unknown = payees.filter((address) => !known.has(address));
    if (unknown.length > 0) {
      const outputs = open(found, viewKey, unknown);
      for (const one of unknown) {
        known.set(
          one,
          outputs.filter(({ address }) => address === one),
        );
      }
    }
    const oldest = opened.size >= MOST_TRANSACTIONS ? opened.keys().next().value : undefined;
    if (oldest !== undefined && !opened.has(found.hash)) opened.delete(oldest);
    opened.set(found.hash, known);
    return payees.flatMap((address) => known.get(address) ?? []);
  };
}

function open(found: FoundTx, viewKey: string, payees: readonly Address[]): readonly Omit<Sighting, 'block'>[] {
  const owners = new Map(payees.map((address) => [spendKeyOf(address), address]));
  return receivedOutputs(found.tx, viewKey, owners).map((output) => ({
    key: output.key,
    address: output.owner,
    asset: XMR_ASSET.id,
    atoms: atoms(output.atoms),
    txHash: txHash(found.hash),
    sender: undefined,
  }));
}

const spendKeyOf = (address: Address): string => bytesToHex(present(decodeAddress(address), 'a checked address').spend);
