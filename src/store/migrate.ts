import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { sha256Hex } from '../kernel/secret.ts';

const DIRECTORY = new URL('../../migrations/', import.meta.url);
/** Any constant of ours: one migrator at a time. */
const LOCK = 7_424_001;

/**
 * Applies what is missing, each file in its own transaction; `only` these where it is given. A file that changed after it was
 * applied is refused.
 */
export async function migrate(url: string, only?: ReadonlySet<string>): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await client.query('CREATE TABLE IF NOT EXISTS migration (name text PRIMARY KEY, digest text NOT NULL)');
    const { rows } = await client.query<{ name: string; digest: string }>('SELECT name, digest FROM migration');
    const known = new Map(rows.map((row) => [row.name, row.digest]));
    const applied: string[] = [];
    for (const name of filesOf().filter((file) => only === undefined || only.has(file))) {
      const text = readFileSync(new URL(name, DIRECTORY), 'utf8');
      const digest = sha256Hex(text);
      const before = known.get(name);
      if (before === digest) continue;
      if (before !== undefined) throw new Error(`migration ${name} was changed after it had been applied`);
      await apply(client, name, text, digest);
      applied.push(name);
    }
    return applied;
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
    const { rows } =
      tables.length > 0 ? await client.query<{ name: string }>('SELECT name FROM migration') : { rows: [] };
    const known = new Set(rows.map(({ name }) => name));
    return filesOf().filter((name) => !known.has(name));
  } finally {
    await client.end();
  }
}

const filesOf = (): readonly string[] =>
  readdirSync(DIRECTORY)
    .filter((file) => file.endsWith('.sql'))
    .sort();

async function apply(client: pg.Client, name: string, text: string, digest: string): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(text);
    await client.query('INSERT INTO migration (name, digest) VALUES ($1, $2)', [name, digest]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw new Error(`migration ${name}: ${(error as Error).message}`, { cause: error });
  }
}
