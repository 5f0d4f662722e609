import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Postgres, startPostgres } from '../../sandbox/nodes/postgres.ts';
import { isOpenToAll } from '../../sandbox/nodes/postgres-binaries.ts';
import { freePort } from '../../sandbox/process.ts';
import { ROLES, type Role } from '../../src/app/roles.ts';
import { newDir, removeDir, threeFreePorts } from './box.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

/** What a reader types, in the order of the page; what only a real server has is left to the reader's own hands. */
const PAGE = readFileSync(new URL('../../docs/OPERATING.md', import.meta.url), 'utf8');
export const [, FIRST_START = ''] = /## From an empty server to the first order\n([\s\S]*?)\n## /.exec(PAGE) ?? [];
const blocks = (language: string): readonly string[] =>
  [
    ...FIRST_START.matchAll(new RegExp(`(<!-- by hand[^>]*-->\\n)?\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g')),
  ].flatMap(([, byHand, text = '']) => (byHand === undefined ? [text.trim()] : []));
const STEPS = blocks('sh');
const [TABLES_AND_LOGINS = ''] = blocks('sql');

export const stepWith = (words: string): string =>
  STEPS.find((step) => step.includes(words)) ?? assert.fail(`no step: ${words}`);

/** As `useradd` would have made them, by numbers that nobody has. */
const USERS: Readonly<Record<Role, number>> = { signer: 64_201, engine: 64_202, api: 64_203 };
/** `RestartSec` of the page. */
const [, RESTART_SECONDS = ''] = /^RestartSec=(\d+)$/m.exec(FIRST_START) ?? [];

/** The time of day of a process, which somebody may set; time that only goes on is left alone. */
const TIME_OF_DAY = `
const { readFileSync } = require('node:fs');
const RealDate = Date;
let ahead = 0;
const look = () => { try { ahead = Number(readFileSync(process.env.TIME_OF_DAY, 'utf8')); } catch {} };
look();
setInterval(look, 20).unref();
globalThis.Date = class extends RealDate {
  constructor(...given) { super(...(given.length > 0 ? given : [RealDate.now() + ahead])); }
  static now() { return RealDate.now() + ahead; }
};
`;

/** A server on which the page is typed: folders of its own, a PostgreSQL of its own, and a user for each role where root asks. */
export interface OperatingServer {
  readonly port: number;
  /** Why all roles run as one user; undefined where each has its own. */
  readonly oneUser: string | undefined;
  /** Of the roles that call the signer, by number; undefined where all are one user. */
  readonly groups: { readonly engine: number | undefined; readonly api: number | undefined };
  /** Of `/var/lib`, where the journal lies; why it has none of its own, otherwise. */
  readonly disk: SmallDisk | string;
  at(...names: string[]): string;
  /** Places of a real server are folders of this one. */
  here(text: string): string;
  type(text: string, input?: string): Promise<{ code: number | null; out: string }>;
  typed(text: string, input?: string): Promise<string>;
  /** The page's SQL, as the database's superuser. */
  makeDatabase(): Promise<void>;
  restartDatabase(whileAway: () => Promise<void>): Promise<void>;
  /** Starts a role, and starts it again whenever it ends, as the page's service does. */
  serve(role: Role): void;
  pidOf(role: Role): number;
  /** Gone at once; resolves when it is there again. */
  killHard(role: Role): Promise<void>;
  /** Sets the time of day of every role. */
  setTime(aheadMs: number): void;
  /** How the roles are, for an error. */
  told(): string;
  close(): Promise<void>;
}

export async function startOperatingServer(program: string): Promise<OperatingServer> {
  const dir = newDir();
  const at = (...names: string[]) => join(dir, ...names);
  const oneUser = await whyOneUser(program);
  const port = await threeFreePorts();
  const databasePort = await freePort();
  const startDatabase = () => startPostgres({ dir: at('postgres'), port: databasePort, persistent: true });
  // Other users pass through it to what is theirs.
  chmodSync(dir, 0o711);
  for (const name of ['etc', 'run', 'lib', 'bin']) mkdirSync(at(name));
  if (!oneUser) chmodSync(at('run'), 0o777);
  const disk = mountSmallDisk(at('lib'));
  let database: Postgres = await startDatabase();

  // As `npm link` leaves it on the reader's path.
  writeFileSync(at('bin', 'wherry'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o755 });
  writeFileSync(at('bin', 'time-of-day.cjs'), TIME_OF_DAY);
  const setTime = (aheadMs: number) => writeFileSync(at('time-of-day'), String(aheadMs));
  setTime(0);
  const env = {
    PATH: `${at('bin')}:${process.env.PATH}`,
    ...{ HOME: dir, WHERRY_DIR: at('etc'), WHERRY_OPERATOR_URL: `http://127.0.0.1:${port + 1}` },
  };
  const withTime = { TIME_OF_DAY: at('time-of-day'), NODE_OPTIONS: `--require=${at('bin', 'time-of-day.cjs')}` };

  const asUser = (role: Role): readonly string[] => {
    if (oneUser) return [];
    const groups = role === 'signer' ? `--groups=${USERS.engine},${USERS.api}` : '--clear-groups';
    return ['setpriv', `--reuid=${USERS[role]}`, `--regid=${USERS[role]}`, groups, '--'];
  };
  const here = (text: string): string =>
    text
      .replaceAll(/runuser -u wherry-(\w+) --/g, (_, role: Role) => asUser(role).join(' '))
      .replaceAll(/-o wherry-(\w+)/g, (_, role: Role) => (oneUser ? '' : `-o ${USERS[role]} -g ${USERS[role]}`))
      .replaceAll('/etc/wherry', at('etc'))
      .replaceAll('/run/wherry', at('run'))
      .replaceAll('/var/lib/wherry', at('lib', 'wherry'))
      .replaceAll('@127.0.0.1/wherry', `@127.0.0.1:${databasePort}/wherry`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`);

  const type = async (text: string, input = '') => {
    const shell = spawn('bash', ['--norc', '-eu', '-o', 'pipefail', '-c', here(text)], { cwd: dir, env });
    let out = '';
    for (const stream of [shell.stdout, shell.stderr])
      stream.on('data', (part) => {
        out += part;
      });
    // Whoever reads nothing may be gone before it is written.
    shell.stdin.on('error', () => {}).end(input);
    const [code] = await once(shell, 'close');
    return { code, out };
  };

  const running = new Map<Role, ChildProcess>();
  let isClosing = false;
  const serve = (role: Role): void => {
    const [command = '', ...args] = [...asUser(role), 'wherry', 'start', role];
    const child = spawn(command, args, {
      cwd: dir,
      env: { ...env, ...withTime },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    running.set(role, child);
    child.once('exit', async () => {
      await pause(Number(RESTART_SECONDS) * 1_000);
      if (!isClosing) serve(role);
    });
  };
  const present = (role: Role) => running.get(role) ?? assert.fail(`${role} was not started`);

  return {
    ...{ port, oneUser, disk, at, here, type, serve, setTime },
    groups: oneUser ? { engine: undefined, api: undefined } : USERS,
    async typed(text, input) {
      const { code, out } = await type(text, input);
      assert.equal(code, 0, `${text}\n${out}`);
      return out;
    },
    async makeDatabase() {
      const admin = new pg.Client({ connectionString: database.url });
      await admin.connect();
      for (const statement of TABLES_AND_LOGINS.split(';\n')) await admin.query(statement);
      await admin.end();
    },
    async restartDatabase(whileAway) {
      await database.stop();
      await whileAway();
      database = await startDatabase();
    },
    pidOf: (role) => present(role).pid ?? assert.fail(role),
    async killHard(role) {
      const child = present(role);
      child.kill('SIGKILL');
      await once(child, 'exit');
      while (present(role) === child) await pause(50);
    },
    told: () => ROLES.map((role) => `${role}: ${running.get(role)?.exitCode ?? 'runs'}`).join(', '),
    async close() {
      isClosing = true;
      for (const role of ROLES.toReversed()) {
        const child = running.get(role);
        if (!child || child.exitCode !== null || child.signalCode !== null) continue;
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      await database.stop();
      if (typeof disk !== 'string') disk.unmount();
      removeDir(dir);
    },
  };
}

async function whyOneUser(program: string): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'only root can run as other users';
  for (const path of [program, process.execPath])
    if (!(await isOpenToAll(path))) return `no other user can reach ${path}`;
  return undefined;
}
