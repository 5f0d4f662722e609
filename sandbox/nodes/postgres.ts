import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { type KeptProcess, keepProcess } from '../kept-process.ts';
import { anyAnswer } from '../probe.ts';
import { freePort, type OtherUser, type RunningProcess, runCommand, startProcess } from '../process.ts';
import { isOpenToAll, type PostgresBinaries, postgresBinaries } from './postgres-binaries.ts';
import { endLeftover, removeTestLeftovers, TEST_PREFIX } from './postgres-leftovers.ts';

export interface PostgresOptions {
  /** Holds the data, the password and the owner's pid. */
  readonly dir: string;
  /** 0 or nothing: any free port. */
  readonly port?: number;
  /** false: faster, does not survive a power cut, and `stop` removes the directory. */
  readonly persistent: boolean;
}

export interface Postgres {
  readonly url: string;
  stop(): Promise<void>;
  /** As in a power cut. */
  kill(): Promise<void>;
}

const READY_WITHIN_MS = 30_000;
const PORT_ATTEMPTS = 5;
/** `nobody` on every Linux we know; PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

/**
 * Every server answers it with one letter before anybody logs in (https://www.postgresql.org/docs/current/protocol-message-formats.html):
 * its length and the code 80877103.
 */
const SSL_REQUEST = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47);

const EVERY_SERVER = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '100' };
/** A box on a small computer: each connection touches the whole cache in the end, and nobody replicates. */
const SMALL = { shared_buffers: '16MB', jit: 'off', io_method: 'sync', max_logical_replication_workers: '0' };
const THROW_AWAY = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  // Tests open thousands of connections, and nobody is kept out by thousands of rounds of a hash for each.
  scram_iterations: '1',
};

interface Cluster extends PostgresOptions {
  readonly binaries: PostgresBinaries;
  readonly user: OtherUser | undefined;
}

/** Starts a server on the directory, which it prepares the first time; a directory left by kill -9 is taken up again. */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const dir = resolve(options.dir);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await endLeftover(dir);
  const binaries = await postgresBinaries();
  const user = await serverUser(dir, binaries);
  if (user) await chown(dir, user.uid, user.gid);
  await writeFile(join(dir, 'owner'), String(process.pid));

  const cluster: Cluster = { ...options, dir, binaries, user };
  if (!existsSync(join(dir, 'data'))) await initialise(cluster);
  const { port, server } = await serve(cluster);
  const password = await readFile(join(dir, 'password'), 'utf8');
  return {
    url: `postgres://wherry:${password}@127.0.0.1:${port}/postgres`,
    kill: server.kill,
    async stop() {
      await server.stop();
      if (!options.persistent) await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Root hands the server to whoever owns the data already, or to nobody. */
async function serverUser(dir: string, binaries: PostgresBinaries): Promise<OtherUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(join(dir, 'data')).catch(() => undefined);
  const entersAll = !((await isOpenToAll(dir)) && (await isOpenToAll(binaries.postgres)));
  return { uid: owner?.uid || NOBODY, gid: owner?.gid || NOBODY, entersAll };
}

/** Made under another name first, so that an interrupted preparation is never mistaken for a finished one. */
async function initialise(cluster: Cluster): Promise<void> {
  const { dir, binaries, user, persistent } = cluster;
  const unfinished = join(dir, 'data.new');
  const passwordFile = join(dir, 'password');
  await rm(unfinished, { recursive: true, force: true });
  await writeFile(passwordFile, randomBytes(16).toString('hex'), { mode: 0o600 });
  if (user) await chown(passwordFile, user.uid, user.gid);
  const where = [`--pgdata=${unfinished}`, '--username=wherry', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  const quick = [`--set=scram_iterations=${THROW_AWAY.scram_iterations}`];
  // Nothing that is worth waiting for a disk is in it yet; what the server writes later is flushed as it says.
  const how = ['--encoding=UTF8', '--locale=C', '--no-instructions', '--no-sync', ...(persistent ? [] : quick)];
  await runCommand({ name: 'initdb', command: binaries.initdb, args: [...where, ...how], user }, READY_WITHIN_MS);
  await rename(unfinished, join(dir, 'data'));
}

/** Nobody can reserve a port for another process, so a free one that was taken meanwhile is replaced by the next. */
async function serve(cluster: Cluster): Promise<{ readonly port: number; readonly server: KeptProcess }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = cluster.port || (await freePort());
    try {
      const server = await keepProcess(
        'PostgreSQL',
        () => serveOn(port, cluster),
        () => anyAnswer(port, SSL_REQUEST),
      );
      return { port, server };
    } catch (error) {
      const taken = /Address already in use/.test(String(error));
      if (!taken || cluster.port || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

function serveOn(port: number, { dir, binaries, user, persistent }: Cluster): Promise<RunningProcess> {
  const settings = { ...EVERY_SERVER, ...(persistent ? SMALL : { ...THROW_AWAY, unix_socket_directories: dir }) };
  return startProcess({
    name: 'PostgreSQL',
    command: binaries.postgres,
    args: ['-D', join(dir, 'data'), '-p', String(port)].concat(
      Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ),
    ready: /database system is ready to accept (?:read-only )?connections/,
    readyWithinMs: READY_WITHIN_MS,
    // Clients are cut off; what is to be kept is written out first.
    stopSignal: persistent ? 'SIGINT' : 'SIGQUIT',
    user,
  });
}

/** Brings an empty database to the state that every test starts from. It must close its connections. */
export type Prepare = (url: string) => Promise<void>;

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

interface NearDatabase extends TestDatabase {
  /** The same database past the network. */
  readonly socketUrl: string;
}

/**
 * A fresh database of its own for one test, in about the time that copying a few files takes. The server behind it is
 * started once per process and goes with it.
 */
export async function testDatabase(prepare: Prepare): Promise<NearDatabase> {
  const cluster = await theCluster();
  const template = await cluster.template(prepare);
  const name = await cluster.create(`TEMPLATE ${template}`);
  return { url: cluster.urlOf(name), socketUrl: cluster.socketUrlOf(name), drop: () => cluster.drop(name) };
}

interface TestCluster {
  template(prepare: Prepare): Promise<string>;
  create(how: string): Promise<string>;
  drop(name: string): Promise<void>;
  urlOf(name: string): string;
  socketUrlOf(name: string): string;
}

let started: Promise<TestCluster> | undefined;

function theCluster(): Promise<TestCluster> {
  started ??= startCluster();
  return started;
}

async function startCluster(): Promise<TestCluster> {
  await removeTestLeftovers();
  const dir = await mkdtemp(join(tmpdir(), `${TEST_PREFIX}${process.pid}-`));
  const { url } = await startPostgres({ dir, persistent: false });
  process.on('exit', () => removeIfPossible(dir));
  const admin = new pg.Pool({ connectionString: url, max: 1, allowExitOnIdle: true });
  const templates = new Map<Prepare, Promise<string>>();
  let count = 0;

  const urlOf = (name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const create = async (how: string) => {
    count += 1;
    const name = `test_${count}`;
    await admin.query(`CREATE DATABASE ${name} ${how}`);
    return name;
  };
  const prepared = async (prepare: Prepare) => {
    const name = await create('TEMPLATE template0');
    await prepare(urlOf(name));
    return name;
  };
  return {
    create,
    urlOf,
    socketUrlOf: (name) => `${urlOf(name)}?host=${encodeURIComponent(dir)}`,
    async drop(name) {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    },
    template(prepare) {
      const known = templates.get(prepare) ?? prepared(prepare);
      templates.set(prepare, known);
      return known;
    },
  };
}

/** The server was told to leave a moment ago; what it still holds is removed by the next run. */
function removeIfPossible(dir: string): void {
  try {
    rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
  }
}
