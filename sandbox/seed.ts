import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { mnemonicToSeedSync } from '@scure/bip39';
import type { Address } from '../src/kernel/ids.ts';
import { Secret } from '../src/kernel/secret.ts';
import { deriveKeys } from '../src/signer/keys.ts';
import { createSeedFile } from '../src/signer/seed.ts';
import { addressOfPublicKey, type BitcoinNetwork } from '../src/world/chains/bitcoin/address-codec.ts';
import { evmAddressOfKey, evmDepositAddresses } from '../src/world/chains/evm/codec.ts';
import { type MoneroKeys, moneroKeysFromSeed } from '../src/world/chains/monero/codec.ts';
import { solanaAddressOfKey } from '../src/world/chains/solana/address-codec.ts';
import { tronAddressOfKey } from '../src/world/chains/tron/codec.ts';

/**
 * The seed that everybody knows (BIP-39, all zeros): it guards play money on chains that nobody else sees, and with the
 * same hot wallet everywhere the first blocks of Monero can be kept for the next sandbox.
 */
const WORDS = `${'abandon '.repeat(23)}art`;

/** Where the desk's own money lies. The venue's account is the EVM one; Zcash's is its wallet's own. */
export interface HotAddresses {
  readonly evm: Address;
  readonly monero: Address;
  readonly solana: Address;
  readonly tron: Address;
  bitcoin(network: BitcoinNetwork): Address;
}

const keys = () => deriveKeys(new Secret(mnemonicToSeedSync(WORDS)));

export const moneroKeys = (): MoneroKeys => moneroKeysFromSeed(keys().moneroSeed.reveal());

export function hotAddresses(): HotAddresses {
  const { evm, solana, tron, bitcoin } = keys();
  return {
    evm: evmAddressOfKey(evm('hot').reveal()),
    monero: moneroKeys().address,
    solana: solanaAddressOfKey(solana('hot').reveal()),
    tron: tronAddressOfKey(tron('hot').reveal()),
    bitcoin: (network) => addressOfPublicKey(network, secp256k1.getPublicKey(bitcoin('hot').reveal())),
  };
}

/** More deposit addresses than one sandbox ever gives out. */
const DEPOSITS = 2_000;

/** Tells deposit addresses of the desk from everybody else's. Takes a moment when it is first asked. */
export function evmDeposits(): (address: string) => boolean {
  let known: ReadonlySet<string> | undefined;
  return (address) => {
    if (!known) {
      const deposit = evmDepositAddresses(keys().evmXpub);
      known = new Set(Array.from({ length: DEPOSITS }, (_, index) => deposit(index)));
    }
    return known.has(address);
  };
}

export async function writeSeed(path: string, passphrase: string): Promise<void> {
  if (!existsSync(path)) await createSeedFile(path, new Secret(passphrase), randomBytes, new Secret(WORDS));
}
