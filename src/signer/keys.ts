import { createHmac, hkdfSync } from 'node:crypto';
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
  /** Extended public key of m/44'/60'/4'/0: a branch of its own, since two families must not share an address. */
  readonly venueXpub: string;
  /** Deposit i: m/44'/60'/4'/0/i. Hot: the account of the EVM chains. */
  venue(account: Account): Secret<Uint8Array>;
  /** SLIP-0010 on ed25519. Deposit i: m/44'/501'/i'/0'. Hot: m/44'/501'/0'/1'. */
  solana(account: Account): Secret<Uint8Array>;
  /** 32 bytes from which the Monero wallet's keys follow. */
  readonly moneroSeed: Secret<Uint8Array>;
  /** Extended public key of m/44'/195'/0'/0: deposit index i is its child i. */
  readonly tronXpub: string;
  /** Deposit i: m/44'/195'/0'/0/i. Hot: m/44'/195'/1'/0/0. */
  tron(account: Account): Secret<Uint8Array>;
  /** Extended public key of m/84'/0'/0'/0: deposit index i is its child i. */
  readonly bitcoinXpub: string;
  /** Deposit i: m/84'/0'/0'/0/i. Hot: m/84'/0'/1'/0/0. */
  bitcoin(account: Account): Secret<Uint8Array>;
  /** Authenticates the journal, so that nobody without the seed can write a line that we believe. */
  readonly journal: Secret<Uint8Array>;
}

export function deriveKeys(seed: Secret<Uint8Array>): Keys {
  const master = HDKey.fromMasterSeed(seed.reveal());
  const deposits = master.derive("m/44'/60'/0'/0");
  const hot = privateKey(master.derive("m/44'/60'/1'/0/0"));
  const venueDeposits = master.derive("m/44'/60'/4'/0");
  const tronDeposits = master.derive("m/44'/195'/0'/0");
  const tronHot = privateKey(master.derive("m/44'/195'/1'/0/0"));
  const bitcoinDeposits = master.derive("m/84'/0'/0'/0");
  const bitcoinHot = privateKey(master.derive("m/84'/0'/1'/0/0"));
  return {
    evmXpub: deposits.publicExtendedKey,
    evm: (account) => (account === 'hot' ? hot : privateKey(deposits.deriveChild(account.deposit))),
    venueXpub: venueDeposits.publicExtendedKey,
    venue: (account) => (account === 'hot' ? hot : privateKey(venueDeposits.deriveChild(account.deposit))),
    solana: (account) => edwardsKey(seed, account === 'hot' ? [44, 501, 0, 1] : [44, 501, account.deposit, 0]),
    moneroSeed: expand(master.derive("m/44'/128'/0'"), 'monero spend seed'),
    tronXpub: tronDeposits.publicExtendedKey,
    tron: (account) => (account === 'hot' ? tronHot : privateKey(tronDeposits.deriveChild(account.deposit))),
    bitcoinXpub: bitcoinDeposits.publicExtendedKey,
    bitcoin: (account) => (account === 'hot' ? bitcoinHot : privateKey(bitcoinDeposits.deriveChild(account.deposit))),
    journal: expand(master.derive("m/44'/60'/3'"), 'journal'),
  };
}

const privateKey = (node: HDKey): Secret<Uint8Array> => new Secret(present(node.privateKey, 'private key'));

function expand(node: HDKey, purpose: string): Secret<Uint8Array> {
  return new Secret(new Uint8Array(hkdfSync('sha512', privateKey(node).reveal(), '', `wherry ${purpose}`, 32)));
}

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
