import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where everything of one sandbox lies. */
export interface Places {
  readonly dir: string;
  /** What a client needs to know; there only while the sandbox is ready. */
  readonly info: string;
  readonly pid: string;
  readonly config: string;
  readonly secrets: string;
  readonly demo: string;
  readonly clockOffset: string;
  readonly screening: string;
  readonly denyList: string;
  readonly logs: string;
  readonly postgres: string;
  readonly chains: string;
  readonly signer: {
    readonly socket: string;
    readonly apiSocket: string;
    readonly seed: string;
    readonly journal: string;
  };
  /** Written last by a clean stop: chains, venue and database below it belong together. */
  readonly saved: string;
}

/** The kernel cuts unix socket paths at about a hundred bytes. */
const SOCKET_PATH_BYTES = 100;

export function places(directory: string): Places {
  const dir = resolve(directory);
  const at = (...parts: string[]) => join(dir, ...parts);
  return {
    dir,
    info: at('sandbox.json'),
    pid: at('sandbox.pid'),
    config: at('config.json'),
    secrets: at('secrets.json'),
    demo: at('demo.json'),
    clockOffset: at('clock-offset'),
    screening: at('screening'),
    denyList: at('screening', 'deny-list.txt'),
    logs: at('logs'),
    postgres: at('postgres'),
    chains: at('chains'),
    signer: {
      socket: socketPath(at('signer', 'signer.sock')),
      apiSocket: socketPath(at('signer', 'api.sock')),
      seed: at('signer', 'seed'),
      journal: at('signer', 'journal'),
    },
    saved: at('saved.json'),
  };
}

function socketPath(wanted: string): string {
  if (Buffer.byteLength(wanted) <= SOCKET_PATH_BYTES) return wanted;
  return join(tmpdir(), `wherry-${createHash('sha256').update(wanted).digest('hex').slice(0, 16)}.sock`);
}

export function makeFolders(at: Places): void {
  // The database may run as another user, who must be able to walk through; what is secret has its own mode.
  mkdirSync(at.dir, { recursive: true, mode: 0o755 });
  mkdirSync(at.logs, { recursive: true });
  mkdirSync(at.chains, { recursive: true });
  mkdirSync(at.screening, { recursive: true });
  mkdirSync(join(at.dir, 'signer'), { recursive: true, mode: 0o700 });
}

/** Everything of earlier runs, the logs included. What says that it was whole goes first: whoever is killed here leaves nothing to go on from. */
export function wipe(at: Places): void {
  const { dir, pid, signer, saved, ...rest } = at;
  for (const path of [saved, ...Object.values(rest), signer.socket, signer.apiSocket, join(dir, 'signer')]) {
    rmSync(path, { recursive: true, force: true });
  }
}

/** Readers see the old text or the new one, never half of it; nobody else on this computer reads it. */
export function writeWhole(path: string, text: string): void {
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, text, { mode: 0o600 });
  renameSync(fresh, path);
}

export const writeJson = (path: string, value: unknown): void =>
  writeWhole(path, `${JSON.stringify(value, null, 2)}\n`);

export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
