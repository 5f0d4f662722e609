import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mnemonicToSeedSync } from '@scure/bip39';
import type { Address } from '../src/kernel/ids.ts';
import { Secret } from '../src/kernel/secret.ts';
import { deriveKeys } from '../src/signer/keys.ts';
import { createSeedFile } from '../src/signer/seed.ts';
import { evmAddressOfKey } from '../src/world/chains/evm/codec.ts';
import { type MoneroKeys, moneroKeysFromSeed } from '../src/world/chains/monero/codec.ts';

/**
 * The seed that everybody knows (BIP-39, all zeros): it guards play money on chains that nobody else sees, and with the
 * same hot wallet everywhere the first blocks of Monero can be kept for the next sandbox.
 */
const WORDS = `${'abandon '.repeat(23)}art`;

/** Where the desk's own money lies. The venue's account is the EVM one. */
export interface HotAddresses {
  readonly evm: Address;
  readonly monero: Address;
}

const keys = () => deriveKeys(new Secret(mnemonicToSeedSync(WORDS)));

export const moneroKeys = (): MoneroKeys => moneroKeysFromSeed(keys().moneroSeed.reveal());

export const hotAddresses = (): HotAddresses => ({
  evm: evmAddressOfKey(keys().evm('hot').reveal()),
  monero: moneroKeys().address,
});

export async function writeSeed(path: string, passphrase: string): Promise<void> {
  if (!existsSync(path)) await createSeedFile(path, new Secret(passphrase), randomBytes, new Secret(WORDS));
}
