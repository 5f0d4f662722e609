import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../sandbox/nodes/postgres.ts';
import { freePort } from '../../sandbox/process.ts';
import { migrate } from '../../src/store/migrate.ts';

/** Two PostgreSQL servers, of which the second has all that the first calls committed, behind the address of whichever serves. */
export interface TwoServers {
  readonly url: string;
  /** The second itself, which reads alone. */
  readonly replica: string;
  /** The first is gone as in a power cut, and the second serves in its place. */
  failOver(): Promise<void>;
  /** The second is gone, and the first no longer waits for it. */
  loseReplica(): Promise<void>;
  drop(): Promise<void>;
}

const DATABASE = 'wherry';

export async function startTwoServers(): Promise<TwoServers> {
  const dir = mkdtempSync(join(tmpdir(), 'wherry-two-servers-'));
  const [first, second] = [join(dir, 'first'), join(dir, 'second')];
  const [firstPort, secondPort] = [await freePort(), await freePort()];
  const made = await startPostgres({ dir: first, port: firstPort, persistent: true });
  await asked(made.url, `CREATE DATABASE ${DATABASE}`);
  await migrate(databaseIn(made.url));
  await made.stop();

  execFileSync('cp', ['-a', first, second]);
  const { password } = new URL(made.url);
  const from = `host=127.0.0.1 port=${firstPort} user=wherry password=${password} application_name=second`;
  set(second, `primary_conninfo = '${from}'`);
  writeFileSync(join(second, 'data', 'standby.signal'), '');
  set(first, "synchronous_standby_names = 'second'", 'synchronous_commit = on');
  const servers = await Promise.all(
    [
      [first, firstPort],
      [second, secondPort],
    ].map(([at, port]) => startPostgres({ dir: String(at), port: Number(port), persistent: true })),
  );
  const [one, other] = servers as [(typeof servers)[number], (typeof servers)[number]];
  const door = await openDoor(firstPort);
  return {
    url: databaseIn(one.url, door.port),
    replica: databaseIn(other.url),
    async failOver() {
      await one.kill();
      door.leadTo(secondPort);
      await asked(other.url, 'SELECT pg_promote()');
    },
    async loseReplica() {
      await other.kill();
      await asked(one.url, "ALTER SYSTEM SET synchronous_standby_names = ''");
      await asked(one.url, 'SELECT pg_reload_conf()');
    },
    async drop() {
      door.close();
      await Promise.all([one.stop(), other.stop()]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

const set = (server: string, ...lines: readonly string[]): void =>
  appendFileSync(join(server, 'data', 'postgresql.auto.conf'), `${lines.join('\n')}\n`);

function databaseIn(url: string, port?: number): string {
  const at = Object.assign(new URL(url), { pathname: `/${DATABASE}` });
  return port === undefined ? at.href : Object.assign(at, { port: String(port) }).href;
}

async function asked(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** The address that the desk knows: whoever moves it cuts every line to the server that it led to. */
async function openDoor(first: number) {
  let port = first;
  const lines = new Set<Socket>();
  const server = createServer((client) => {
    const inner = connect(port, '127.0.0.1');
    for (const [side, opposite] of [
      [client, inner],
      [inner, client],
    ] as const) {
      lines.add(side);
      side.on('error', () => {});
      side.on('close', () => {
        lines.delete(side);
        opposite.destroy();
      });
    }
    client.pipe(inner).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(next: number) {
      port = next;
      for (const line of lines) line.destroy();
    },
    close: () => void server.close(),
  };
}
