import { createHmac, hkdfSync } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import type { Account } from '../kernel/account.ts';
import { present } from '../kernel/assert.ts';
import { Secret } from '../kernel/secret.ts';

/** The keys of one family whose deposit addresses follow from a public key. */
export interface Branch {
  /** Extended public key: deposit index i is its child i. */
  readonly xpub: string;
  key(account: Account): Secret<Uint8Array>;
}

/** Every key we hold, derived on demand from the one seed. Each family says where in the tree its own lie. */
export interface KeyTree {
  /** BIP-32 on secp256k1: deposit i is child i of `deposits`, and `hot` is a path of its own. */
  branch(deposits: string, hot: string): Branch;
  /** SLIP-0010 on ed25519, whose children are all hardened. */
  edwards(path: readonly number[]): Secret<Uint8Array>;
  /** 32 bytes for a purpose that is no key of BIP-32. */
  expand(path: string, purpose: string): Secret<Uint8Array>;
  /** Authenticates the journal, so that nobody without the seed can write a line that we believe. */
  readonly journal: Secret<Uint8Array>;
}

export function openKeyTree(seed: Secret<Uint8Array>): KeyTree {
  const master = HDKey.fromMasterSeed(seed.reveal());
  const expand: KeyTree['expand'] = (path, purpose) => {
    const key = privateKey(master.derive(path)).reveal();
    return new Secret(new Uint8Array(hkdfSync('sha512', key, '', `wherry ${purpose}`, 32)));
  };
  return {
    branch(deposits, hotPath) {
      const parent = master.derive(deposits);
      const hot = privateKey(master.derive(hotPath));
      return {
        xpub: parent.publicExtendedKey,
        key: (account) => (account === 'hot' ? hot : privateKey(parent.deriveChild(account.deposit))),
      };
    },
    edwards: (path) => edwardsKey(seed, path),
    expand,
    journal: expand("m/44'/60'/3'", 'journal'),
  };
}

const privateKey = (node: HDKey): Secret<Uint8Array> => new Secret(present(node.privateKey, 'private key'));

const HARDENED = 0x8000_0000;

/** This curve has hardened children only: each step hashes the private key itself. */
function edwardsKey(seed: Secret<Uint8Array>, path: readonly number[]): Secret<Uint8Array> {
  let node = createHmac('sha512', 'ed25519 seed').update(seed.reveal()).digest();
  for (const index of path) {
    const child = Buffer.alloc(4);
    child.writeUInt32BE(HARDENED + index);
    const [key, chainCode] = [node.subarray(0, 32), node.subarray(32)];
    node = createHmac('sha512', chainCode).update(Uint8Array.of(0)).update(key).update(child).digest();
  }
  return new Secret(Uint8Array.from(node.subarray(0, 32)));
}
