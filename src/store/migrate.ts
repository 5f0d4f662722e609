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
    for (const name of readdirSync(DIRECTORY)
      .filter((file) => file.endsWith('.sql') && (only === undefined || only.has(file)))
      .sort()) {
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
