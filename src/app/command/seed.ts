import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Secret } from '../../kernel/secret.ts';
import { createSeedFile } from '../../signer/seed.ts';
import { handOver } from '../role-files.ts';
import { loadSettings, settingsPath } from '../settings.ts';
import { allBut } from '../wiring/secrets.ts';
import type { Work } from './command.ts';

const KEEP =
  'Write the words on paper, in two places: whoever has them has all money of the desk, and without them it is lost.';

/** Where the signer looks for it; one that is there already is somebody's money. */
function place(named: string | undefined): { readonly path: string; readonly passphrase: Secret } {
  const { signer } = loadSettings(settingsPath('signer', named), allBut('/signer/passphrase'));
  const { seedFile: path, passphrase } = signer;
  if (existsSync(path)) throw new Error(`there is a seed in ${path} already, and it stays as it is`);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return { path, passphrase: new Secret(passphrase) };
}

export const newSeed: Work = async ({ text }) => {
  const { path, passphrase } = place(text('config'));
  const words = (await createSeedFile(path, passphrase, randomBytes)).reveal();
  handOver(path);
  const numbered = words.split(' ').map((word, at) => `${String(at + 1).padStart(2)} ${word.padEnd(9)}`);
  const rows = [0, 6, 12, 18].map((first) => numbered.slice(first, first + 6));
  return {
    json: { seedFile: path, words: words.split(' ') },
    lines: [
      ...rows.map((row) => row.join(' ').trimEnd()),
      '',
      KEEP,
      `${path} opens only with the passphrase of the settings.`,
    ],
  };
};

export const restoreSeed: Work = async ({ text }) => {
  const { path, passphrase } = place(text('config'));
  if (process.stdin.isTTY) process.stderr.write('The 24 words, then Enter and Ctrl-D:\n');
  const words = readFileSync(0, 'utf8').toLowerCase().replaceAll(/\s+/g, ' ').trim();
  await createSeedFile(path, passphrase, randomBytes, new Secret(words));
  handOver(path);
  return { json: { seedFile: path }, lines: [`${path} holds the seed of these words.`] };
};
