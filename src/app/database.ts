import { databaseNow } from '../store/database-clock.ts';
import { openDb } from '../store/db.ts';
import { migrate } from '../store/migrate.ts';
import { newestInstant } from '../store/newest-instant.ts';
import type { ServiceClock } from './clock.ts';
import type { Config } from './config.ts';
import type { AppLog } from './log.ts';
import { patiently } from './patience.ts';

/** Every process that uses the database brings it up to date; the first one does the work. */
export async function readyDatabase(config: Config, clock: ServiceClock, log: AppLog): Promise<void> {
  const database = config.databaseSession ?? config.database;
  const onWarning = (words: string) => log.warn({ words }, 'database');
  await untilThere(database, log);
  log.info({ applied: await migrate(database, { onWarning }) }, 'database');
  await goOnFrom(clock, database);
}

/** A database that is away for a moment is waited for, as the signer is. */
async function untilThere(database: string, log: AppLog): Promise<void> {
  const db = openDb(database, 1);
  try {
    await patiently('database', log, () => databaseNow(db));
  } finally {
    await db.close();
  }
}

/** What others did, or this one before it ended, was not done in the future: what is due by it would wait. */
async function goOnFrom(clock: ServiceClock, database: string): Promise<void> {
  const db = openDb(database, 1);
  try {
    const newest = await newestInstant(db);
    if (newest !== undefined) clock.notBefore(newest);
  } finally {
    await db.close();
  }
}
