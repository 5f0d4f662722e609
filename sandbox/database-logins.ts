import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../src/store/migrate.ts';
import type { Role } from './supervisor.ts';

/**
 * As on a real desk, each process has a login of its own with no more rights than it needs. The owner of the tables makes them; the
 * passwords are new at every start.
 */
export async function databaseLogins(owner: string): Promise<Readonly<Partial<Record<Role, string>>>> {
  await migrate(owner);
  const client = new pg.Client({ connectionString: owner });
  await client.connect();
  const login = async (role: 'api' | 'engine'): Promise<string> => {
    const [username, password] = [`box_${role}`, randomBytes(16).toString('hex')];
    const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [username]);
    if (!rowCount) await client.query(`CREATE ROLE ${username} LOGIN IN ROLE wherry_${role}`);
    await client.query(`ALTER ROLE ${username} PASSWORD '${password}'`);
    return Object.assign(new URL(owner), { username, password }).href;
  };
  try {
    return { api: await login('api'), engine: await login('engine') };
  } finally {
    await client.end();
  }
}
