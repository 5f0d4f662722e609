import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildService } from '../../scripts/build.ts';

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  json(): ReturnType<typeof JSON.parse>;
}

export interface Wherry {
  /** Everything of this desk is below it. */
  readonly dir: string;
  /** The real command in a process of its own, which knows nothing of the environment here. */
  run(
    args: readonly string[],
    more?: {
      readonly input?: string;
      readonly env?: Record<string, string>;
      /** It is ended when it has said this. */
      readonly until?: RegExp;
    },
  ): Promise<Ended>;
  at(...names: readonly string[]): string;
  /** What a role's file says, and the secrets beside it by the names of their files. */
  settings(role: string): ReturnType<typeof JSON.parse>;
  secretsOf(role: string): Record<string, string>;
  /** Its own file, as a person edits it. */
  edit(change: (desk: Desk) => unknown): void;
  close(): void;
}

/** As much of a desk's file as stories change. */
export interface Desk {
  readonly signer: { readonly limits: { readonly assets: object; readonly chains: object } & object } & object;
  readonly chains: { readonly evm: readonly object[] } & object;
  readonly venue: object;
  readonly [name: string]: unknown;
}

/** `wherry` as it is installed, with a settings folder of its own. */
export async function openWherry(): Promise<Wherry> {
  const program = await buildService();
  const dir = mkdtempSync(join(tmpdir(), 'wherry-command-'));
  const own = { WHERRY_DIR: dir };
  const at = (...names: readonly string[]) => join(dir, ...names);
  return {
    dir,
    at,
    settings: (role) => JSON.parse(readFileSync(at(role, 'settings.json'), 'utf8')),
    secretsOf: (role) =>
      Object.fromEntries(
        readdirSync(at(role))
          .filter((name) => name !== 'settings.json')
          .map((name) => [name, readFileSync(at(role, name), 'utf8').trim()]),
      ),
    run: (args, { input = '', env = {}, until } = {}) =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [program, ...args], { cwd: dir, env: { ...own, ...env } });
        const read = { out: '', err: '' };
        child.stdout.on('data', (part) => {
          read.out += part;
          if (until?.test(read.out)) child.kill();
        });
        child.stderr.on('data', (part) => {
          read.err += part;
        });
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, ...read, json: () => JSON.parse(read.out) }));
        child.stdin.end(input);
      }),
    edit(change) {
      const path = join(dir, 'desk.json');
      writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))), { mode: 0o600 });
    },
    close: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** A desk of the example, whose files lie in its own folder. Nobody answers it. */
export async function firstDesk(wherry: Wherry, database = 'postgres://nobody@127.0.0.1:1/none'): Promise<void> {
  const { dir } = wherry;
  for (const who of ['owner', 'engine', 'api'])
    writeFileSync(join(dir, `database-${who}`), `${database}\n`, { mode: 0o600 });
  await wherry.run(['config', 'init']);
  wherry.edit((desk) => ({
    ...desk,
    signer: {
      ...desk.signer,
      ...{ socket: join(dir, 'signer.sock'), socketGroup: undefined },
      ...{ apiSocket: join(dir, 'signer-api.sock'), apiSocketGroup: undefined },
      ...{ seedFile: join(dir, 'keys', 'seed'), journal: join(dir, 'journal') },
    },
    screening: { denyListFile: join(dir, 'deny-list') },
    venue: { ...desk.venue, url: 'http://127.0.0.1:1' },
  }));
  await wherry.run(['config', 'init']);
}
