import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { environment, readPrivately } from './config.ts';
import { type DeskSettings, databaseLogins, exampleDesk, settingsFor, settingsFromDesk } from './desk-file.ts';
import { partAt, withPart } from './pointer.ts';
import { ROLES, type Role } from './roles.ts';
import { fetched, isElsewhere, loadSettings, readJson, roleFile, settingsFolder, settingsPath } from './settings.ts';
import { allBut, SECRETS } from './wiring/secrets.ts';

export const deskFile = (folder: string): string => join(folder, 'desk.json');

/** What is written for a role, each secret in a file of its own beside the settings. */
export interface Written {
  readonly desk: string;
  /** The desk's file was not there, and an example was put in its place. */
  readonly isNew: boolean;
  readonly files: readonly string[];
  readonly unlimited: readonly string[];
}

const PASSWORD_BYTES = 24;
const KEY_BYTES = 32;

const KEYS = new Set(['/keys/api', '/keys/engine', '/keys/hash']);

/** Secrets that only this desk must know, so that nobody needs to choose them. */
function madeUp(path: string): string | undefined {
  if (KEYS.has(path)) return randomBytes(KEY_BYTES).toString('hex');
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  if (path.endsWith('/spendWallet/login')) return `wherry:${password}`;
  return path === '/signer/passphrase' || path.endsWith('/spendWallet/password') ? password : undefined;
}

/** Under which a secret lies beside the settings of a role that needs it. */
export const fileOf = (path: string): string => path.slice(1).replaceAll('/', '-');

/** Writes every role's settings from the desk's file. Secrets that were made before stay as they are, so that it may be repeated. */
export function writeRoleFiles(folder: string): Written {
  const desk = deskFile(folder);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const isNew = !existsSync(desk);
  if (isNew) writePrivately(desk, exampleDesk());
  const settings = settingsIn(folder, readJson(desk));
  return { desk, isNew, files: writeRoles(folder, settings), unlimited: settings.unlimited };
}

/** Changes the desk's file and what is made of it. A change that would be refused leaves every file as it was. */
export function changeDesk(folder: string, change: (desk: unknown) => unknown): void {
  const desk = change(readJson(deskFile(folder)));
  const settings = settingsIn(folder, desk);
  writePrivately(deskFile(folder), `${JSON.stringify(desk, null, 2)}\n`);
  writeRoles(folder, settings);
}

function settingsIn(folder: string, desk: unknown): DeskSettings {
  const kept = (path: string): string | undefined => {
    const places = (SECRETS[path] ?? []).map((role) => join(folder, role, fileOf(path)));
    const there = places.find((place) => existsSync(place));
    return there === undefined ? undefined : readPrivately(there).trim();
  };
  return settingsFromDesk(withFiles(folder, desk), (path) => kept(path) ?? madeUp(path));
}

const writeRoles = (folder: string, settings: DeskSettings): readonly string[] =>
  ROLES.flatMap((role) => writeRole(folder, role, settingsFor(role, settings)));

/** What a desk's file names by `{ "file": … }` is fetched; what is in the environment stays there until a role starts. */
function withFiles(folder: string, desk: unknown): unknown {
  const inFiles = (value: unknown, path: string): unknown => {
    if (isElsewhere(value)) return 'file' in value ? fetched(value, path, { env: environment(), from: folder }) : value;
    if (Array.isArray(value)) return value.map((one, at) => inFiles(one, `${path}/${at}`));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inFiles(part, `${path}/${name}`)]));
  };
  return inFiles(desk, '');
}

function writeRole(folder: string, role: Role, settings: unknown): readonly string[] {
  const path = roleFile(folder, role);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const written: string[] = [];
  const rest = Object.keys(SECRETS).reduce((before, secret) => {
    const held = partAt(before, secret);
    const apart = (text: unknown, name: string): unknown => {
      if (typeof text !== 'string') return text;
      const file = join(dirname(path), name);
      writePrivately(file, `${text}\n`);
      written.push(file);
      return { file: name };
    };
    const name = fileOf(secret);
    const kept = Array.isArray(held) ? held.map((one, at) => apart(one, `${name}-${at + 1}`)) : apart(held, name);
    return withPart(before, secret, kept);
  }, settings);
  writePrivately(path, `${JSON.stringify(rest, null, 2)}\n`);
  forgetOld(dirname(path), written);
  return [path, ...written];
}

/** Of secrets that are several, those that ended are not left behind. */
function forgetOld(folder: string, written: readonly string[]): void {
  const several = Object.keys(SECRETS).map((secret) => `${fileOf(secret)}-`);
  for (const name of readdirSync(folder)) {
    const isOne = several.some((begin) => name.startsWith(begin) && /^\d+$/.test(name.slice(begin.length)));
    if (isOne && !written.includes(join(folder, name))) rmSync(join(folder, name));
  }
}

/** Whole or not at all, for its owner alone; it belongs to whom its folder belongs. */
export function writePrivately(path: string, text: string): void {
  const draft = `${path}.new`;
  writeFileSync(draft, text, { mode: 0o600 });
  handOver(draft);
  renameSync(draft, path);
}

/** What root makes is for the process that uses it: it belongs to whom its folder belongs. */
export function handOver(path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  chownSync(path, uid, gid);
}

/**
 * The login that makes and changes tables, for commands that a person gives: of the desk's file, where no other settings are named.
 * What has one login for all uses that.
 */
export function ownersDatabase(named: string | undefined): string {
  const { WHERRY_CONFIG, DATABASE_URL } = environment();
  const desk = deskFile(settingsFolder());
  if ((named ?? WHERRY_CONFIG ?? DATABASE_URL) === undefined && existsSync(desk)) {
    const { owner } = databaseLogins(fetched(readJson(desk), '', { env: environment(), from: dirname(desk) }));
    if (typeof owner === 'string') return owner;
  }
  return loadSettings(settingsPath('engine', named), allBut('/database')).database;
}
