import { Invalid } from './invalid.ts';
import type { Store } from './store.ts';
import { type Ask, CONTRACT_NUMBERS, signerOf, type WireTx } from './wire-tx.ts';

/** Who may sign for an account beside its own key: active permissions, of which each names the kinds of contracts that it is for. */

const FIRST_ACTIVE = 2;
const MOST_ACTIVE = 8;
const nameOf = (account: string, id: number): string => `${account}/permission/${id}`;

export function updatePermissions(
  store: Store,
  { owner, actives }: Extract<Ask, { readonly kind: 'AccountPermissionUpdateContract' }>,
): void {
  for (let id = FIRST_ACTIVE; id < FIRST_ACTIVE + MOST_ACTIVE; id += 1) {
    const { threshold = 0n, operations = 0n, keys = [] } = actives[id - FIRST_ACTIVE] ?? {};
    const name = nameOf(owner, id);
    store.set(`${name}/threshold`, threshold);
    store.set(`${name}/operations`, operations);
    store.set(`${name}/keys`, BigInt(keys.length));
    for (const [at, { address, weight }] of keys.entries()) {
      store.set(`${name}/key/${at}`, BigInt(`0x${address}`));
      store.set(`${name}/weight/${at}`, weight);
    }
  }
}

interface Key {
  readonly address: string;
  readonly weight: bigint;
}

function keysOf(store: Store, name: string): readonly Key[] {
  return Array.from({ length: Number(store.get(`${name}/keys`)) }, (_, at) => ({
    address: store.get(`${name}/key/${at}`).toString(16),
    weight: store.get(`${name}/weight/${at}`),
  }));
}

/** In the words of the node, whichever check it is. */
export function checkSignature(store: Store, tx: WireTx): void {
  const { ask, permissionId } = tx;
  const wrong = (why: string): Invalid => new Invalid('SIGERROR', `Validate signature error: ${why}`);
  const signer = signerOf(tx);
  if (permissionId === 0) {
    if (signer !== ask.owner) throw wrong('not the owner’s key');
    return;
  }
  const name = nameOf(ask.owner, permissionId);
  const threshold = store.get(`${name}/threshold`);
  if (threshold === 0n) throw wrong("permission isn't exit");
  if (!isAllowed(store.get(`${name}/operations`), CONTRACT_NUMBERS[ask.kind])) throw wrong('Permission denied');
  const key = keysOf(store, name).find(({ address }) => address === signer);
  if (!key) throw wrong(`${tx.signatures[0]} is signed by ${signer} but it is not contained of permission.`);
  if (key.weight < threshold) throw wrong('sig error');
}

/** Bit i of byte n is for contracts of kind 8n + i; the first byte is the first of 32. */
const isAllowed = (operations: bigint, kind: number): boolean => {
  const byte = BigInt(31 - Math.floor(kind / 8));
  return ((operations >> (byte * 8n + BigInt(kind % 8))) & 1n) === 1n;
};

/** As `getaccount` prints them. */
export function printPermissions(store: Store, account: string): readonly unknown[] {
  return Array.from({ length: MOST_ACTIVE }, (_, at) => at + FIRST_ACTIVE).flatMap((id) => {
    const name = nameOf(account, id);
    const threshold = store.get(`${name}/threshold`);
    if (threshold === 0n) return [];
    const keys = keysOf(store, name).map(({ address, weight }) => ({ address, weight: Number(weight) }));
    const operations = store.get(`${name}/operations`).toString(16).padStart(64, '0');
    return [{ type: 'Active', id, permission_name: 'active', threshold: Number(threshold), operations, keys }];
  });
}
