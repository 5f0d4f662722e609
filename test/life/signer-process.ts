import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { openSigner, unixOutbound } from '../../src/signer/client.ts';
import { beginJournal } from '../../src/signer/journal.ts';
import { openKeyTree } from '../../src/signer/keys.ts';
import { EMPTY_JOURNAL, type JournalRequest } from '../../src/signer/request.ts';
import { createSeedFile, openSeedFile } from '../../src/signer/seed.ts';
import type { SignerLog } from '../../src/signer/server.ts';
import { type SignerConfig, startSigner } from '../../src/signer/start-signer.ts';
import {
  ARBITRUM,
  BINDERS,
  BRIDGE,
  COLD,
  handClock,
  LIMITS,
  USDC,
  VENUE,
  VENUE_USDC,
  XMR1,
} from '../unit/signer-bench.ts';

export const PASSPHRASE = new Secret('a passphrase that nobody may read');

export const socketsOf = (folder: string) => ({ engine: join(folder, 'socket'), api: join(folder, 'api-socket') });

export const signerConfig = (folder: string): SignerConfig => ({
  seedFile: join(folder, 'seed'),
  passphrase: PASSPHRASE,
  journalFile: join(folder, 'journal'),
  doors: [
    { path: socketsOf(folder).engine, mode: 0o600, calls: 'all' },
    { path: socketsOf(folder).api, mode: 0o600, calls: 'public' },
  ],
  binders: BINDERS,
  chains: { evm: [{ chainId: ARBITRUM }] },
  venue: {
    chainId: VENUE,
    bridge: { asset: USDC, address: BRIDGE, minimum: 5_000_000n },
    market: '10260',
    url: 'http://127.0.0.1:1',
    usdc: VENUE_USDC,
    tokens: { [VENUE_USDC]: 8, [XMR1]: 8 },
  },
  fills: atoms(50_000_000n),
  cold: { [USDC]: { address: COLD, perDay: atoms(30_000_000n) } },
  limits: LIMITS,
});

/** A log that keeps every line as text, and can be told to do something when a signature is reported. */
export function listLog(onSigned: () => void = () => {}): SignerLog & { readonly lines: string[] } {
  const lines: string[] = [];
  const write = (fields: object, message: string) => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
    if (message === 'signed') onSigned();
  };
  return { lines, info: write, warn: write, error: write };
}

/** A seed of its own and the journal of a new signer, made once. */
export async function seedFile(folder: string): Promise<void> {
  const { seedFile: path, journalFile } = signerConfig(folder);
  if (existsSync(path)) return;
  await createSeedFile(path, PASSPHRASE, randomBytes);
  beginJournal(journalFile, openKeyTree(await openSeedFile(path, PASSPHRASE)).journal, instant(0));
}

/** What an engine does before anything else: without it nothing is signed. */
export const showJournal = (folder: string, mark: JournalRequest = EMPTY_JOURNAL) =>
  openSigner(unixOutbound(socketsOf(folder).engine)).journal(mark);

export async function startTestSigner(folder: string, log: SignerLog) {
  const config = signerConfig(folder);
  await seedFile(folder);
  const outbound = () => Promise.reject(new Error('this signer has nobody to call'));
  const server = await startSigner(config, { outbound, clock: handClock(), log });
  await showJournal(folder);
  return server;
}

/** As a process of its own: `signer-process.ts <folder> [dies]`, where `dies` kills it after the journal, before the answer. */
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , folder = '', dies] = process.argv;
  await startTestSigner(
    folder,
    listLog(() => dies && process.kill(process.pid, 'SIGKILL')),
  );
  process.stdout.write('ready\n');
}
