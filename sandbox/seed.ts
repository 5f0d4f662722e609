import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mnemonicToSeedSync } from '@scure/bip39';
import { instant } from '../src/kernel/clock.ts';
import { Secret } from '../src/kernel/secret.ts';
import { beginJournal } from '../src/signer/journal.ts';
import { type KeyTree, openKeyTree } from '../src/signer/keys.ts';
import { createSeedFile } from '../src/signer/seed.ts';
import type { Places } from './files.ts';

/**
 * The seed that everybody knows (BIP-39, all zeros): it guards play money on chains that nobody else sees, and with the
 * same hot wallets everywhere the first blocks of slow chains can be kept for the next sandbox.
 */
export const KNOWN_WORDS = `${'abandon '.repeat(23)}art`;

/** The desk's own keys. */
export const knownTree = (): KeyTree => openKeyTree(new Secret(mnemonicToSeedSync(KNOWN_WORDS)));

/** What a signer needs before its first start: the seed, and a journal that was begun. */
export async function writeSeed({ seed, journal }: Places['signer'], passphrase: string): Promise<void> {
  if (!existsSync(seed)) await createSeedFile(seed, new Secret(passphrase), randomBytes, new Secret(KNOWN_WORDS));
  if (!existsSync(journal)) beginJournal(journal, knownTree().journal, instant(Date.now()));
}
