import { rmSync, statSync } from 'node:fs';
import type { Clock } from '../kernel/clock.ts';
import { Secret } from '../kernel/secret.ts';
import { beginJournal } from '../signer/journal.ts';
import { openKeyTree } from '../signer/keys.ts';
import { EMPTY_JOURNAL } from '../signer/request.ts';
import { openSeedFile } from '../signer/seed.ts';
import { expectFree } from '../signer/server.ts';
import { openDb } from '../store/db.ts';
import { openJournalBooks } from '../store/journal-books.ts';
import { migrate } from '../store/migrate.ts';
import type { Config } from './config.ts';

export interface NewJournal {
  readonly journal: string;
  readonly isBegun: boolean;
  /** What may still take effect by signatures that no journal knows any more. */
  readonly unsettled: readonly string[];
}

/**
 * In place of a journal that is lost, or for a signer that never signed. The database takes it for its own in the same breath:
 * without that it would call the new one shortened, and with it nothing of the old one is asked for any more.
 */
export async function beginNewJournal(
  { signer: { seedFile, passphrase, journal, socket, apiSocket } }: Config,
  database: string,
  clock: Clock,
  despiteUnsettled: boolean,
): Promise<NewJournal> {
  for (const path of [socket, apiSocket]) await expectFree(path);
  expectNone(journal);
  const tree = openKeyTree(await openSeedFile(seedFile, new Secret(passphrase)));
  await migrate(database);
  const db = openDb(database, 1);
  try {
    const unsettled = await openJournalBooks(db, clock).begin(EMPTY_JOURNAL, despiteUnsettled);
    const isBegun = unsettled.length === 0 || despiteUnsettled;
    if (isBegun) beginJournal(journal, tree.journal, clock.now());
    return { journal, isBegun, unsettled };
  } finally {
    await db.close();
  }
}

/** What was signed is never written over: who wants it away must move it away. An empty file is nobody's. */
function expectNone(path: string): void {
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? {};
  if (size) throw new Error(`${path} is a journal already: move it away first, and keep it`);
  rmSync(path, { force: true });
}
