import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort, onPath, startProcess } from '../../sandbox/process.ts';

export const leftOut: string | false = !onPath('pgbouncer') && 'pgbouncer is not on the PATH';

/** `nobody`: it refuses to run as root. */
const NOBODY = { uid: 65_534, gid: 65_534, entersAll: true };
const READY_WITHIN_MS = 30_000;

/** A pgbouncer in transaction mode before a database, with so few connections to it. */
export async function startPooler(database: string, connections: number) {
  const { hostname, port: serverPort, username, password, pathname } = new URL(database);
  const dir = mkdtempSync(join(tmpdir(), 'wherry-pooler-'));
  const file = join(dir, 'pgbouncer.ini');
  const port = await freePort();
  const login = `user=${username} password=${password}`;
  const settings = {
    ...{ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', pool_mode: 'transaction' },
    ...{ default_pool_size: connections, max_client_conn: 200, auth_type: 'any', admin_users: username },
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(
    file,
    `[databases]\n* = host=${hostname} port=${serverPort} ${login}\n[pgbouncer]\n${lines.join('\n')}\n`,
  );
  chmodSync(dir, 0o755);
  const server = await startProcess({
    ...{ name: 'pgbouncer', command: 'pgbouncer', args: [file], ready: /process up/, readyWithinMs: READY_WITHIN_MS },
    user: process.getuid?.() === 0 ? NOBODY : undefined,
  });
  const at = (path: string): string => Object.assign(new URL(database), { port: String(port), pathname: path }).href;
  return {
    url: at(pathname),
    /** How many transactions went through it. */
    async transactions(): Promise<number> {
      const console = new pg.Client({ connectionString: at('/pgbouncer') });
      await console.connect();
      const { rows } = await console.query<{ database: string; total_xact_count: string }>('SHOW STATS');
      await console.end();
      return Number(rows.find((row) => row.database === pathname.slice(1))?.total_xact_count);
    },
    async stop(): Promise<void> {
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
