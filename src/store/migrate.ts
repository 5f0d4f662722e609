import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { sha256Hex } from '../kernel/secret.ts';
import { ORDER_GUARD } from './order-guard.ts';

const DIRECTORY = new URL('../../migrations/', import.meta.url);
/** PostgreSQL's insufficient_privilege. */
const MAY_NOT = '42501';
const OWNER_FIRST = ' (this login may not change tables: run `wherry migrate` with the login that owns them first)';
/** Any constant of ours: one migrator at a time. */
const LOCK = 7_424_001;

export interface Migrating {
  /** Only these, where it is given. */
  readonly only?: ReadonlySet<string>;
  /** Told what the database warns of, in words for a person. */
  readonly onWarning?: (words: string) => void;
}

/**
 * Applies what is missing, each file in its own transaction, and then what the code says of orders. A file that changed after it
 * was applied is refused. Where nothing is missing nothing is written, so that a process which may not change tables can start.
 */
export async function migrate(url: string, { only, onWarning }: Migrating = {}): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('notice', ({ severity, message }) => {
    if (severity === 'WARNING' && message) onWarning?.(message);
  });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    const { rows: tables } = await client.query<{ known: boolean }>(
      "SELECT to_regclass('migration') IS NOT NULL AS known",
    );
    if (!tables[0]?.known) await apply(client, 'table', FIRST);
    const known = await knownTo(client);
    const missing = migrationsOf().filter(
      ({ name, digest }) => known.get(name) !== digest && (only?.has(name) ?? true),
    );
    for (const { name, text, digest } of missing) {
      if (known.has(name) && name !== ORDER_GUARD.name)
        throw new Error(`migration ${name} was changed after it had been applied`);
      await apply(client, name, text, { name, digest });
    }
    return missing.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** Those that `migrate` would apply; a database without any is new. Nothing is changed. */
export async function pendingMigrations(url: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query(
      `SELECT 1 FROM pg_tables WHERE schemaname = 'public' AND tablename = 'migration'`,
    );
    const known = tables.length > 0 ? await knownTo(client) : new Map();
    return migrationsOf()
      .filter(({ name, digest }) => known.get(name) !== digest)
      .map(({ name }) => name);
  } finally {
    await client.end();
  }
}

interface Migration {
  readonly name: string;
  readonly text: string;
  readonly digest: string;
}

/** Every file, and last what the code says. */
const migrationsOf = (): readonly Migration[] => {
  const files = readdirSync(DIRECTORY).filter((file) => file.endsWith('.sql'));
  const read = files.sort().map((name) => ({ name, text: readFileSync(new URL(name, DIRECTORY), 'utf8') }));
  return [...read, ORDER_GUARD].map(({ name, text }) => ({ name, text, digest: sha256Hex(text) }));
};

/** What was applied, and its text's digest. */
async function knownTo(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ name: string; digest: string }>('SELECT name, digest FROM migration');
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}

const NOTE = `INSERT INTO migration (name, digest) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET digest = excluded.digest`;
const FIRST = 'CREATE TABLE migration (name text PRIMARY KEY, digest text NOT NULL)';

async function apply(
  client: pg.Client,
  what: string,
  text: string,
  note?: { name: string; digest: string },
): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(text);
    if (note) await client.query(NOTE, [note.name, note.digest]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    const { code, message } = error as { code?: string; message: string };
    throw new Error(`migration ${what}: ${message}${code === MAY_NOT ? OWNER_FIRST : ''}`, { cause: error });
  }
}
