import { hkdfSync } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import { present } from '../kernel/assert.ts';
import { Secret } from '../kernel/secret.ts';
import type { Account } from '../world/chains/chain.ts';

/** Every key we hold, derived on demand from the one seed. */
export interface Keys {
  /** Extended public key of m/44'/60'/0'/0: deposit index i is its child i. */
  readonly evmXpub: string;
  /** Deposit i: m/44'/60'/0'/0/i. Hot: m/44'/60'/1'/0/0, which is the venue's account too: its bridge credits the sender. */
  evm(account: Account): Secret<Uint8Array>;
  /** 32 bytes from which the Monero wallet's keys follow. */
  readonly moneroSeed: Secret<Uint8Array>;
  /** Authenticates the journal, so that nobody without the seed can write a line that we believe. */
  readonly journal: Secret<Uint8Array>;
}

export function deriveKeys(seed: Secret<Uint8Array>): Keys {
  const master = HDKey.fromMasterSeed(seed.reveal());
  const deposits = master.derive("m/44'/60'/0'/0");
  const hot = privateKey(master.derive("m/44'/60'/1'/0/0"));
  return {
    evmXpub: deposits.publicExtendedKey,
    evm: (account) => (account === 'hot' ? hot : privateKey(deposits.deriveChild(account.deposit))),
    moneroSeed: expand(master.derive("m/44'/128'/0'"), 'monero spend seed'),
    journal: expand(master.derive("m/44'/60'/3'"), 'journal'),
  };
}

const privateKey = (node: HDKey): Secret<Uint8Array> => new Secret(present(node.privateKey, 'private key'));

function expand(node: HDKey, purpose: string): Secret<Uint8Array> {
  return new Secret(new Uint8Array(hkdfSync('sha512', privateKey(node).reveal(), '', `wherry ${purpose}`, 32)));
}
