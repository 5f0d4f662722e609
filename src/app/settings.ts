import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { checkConfig } from './check-config.ts';
import { type Config, type Environment, environment, readPrivately } from './config.ts';
import type { Role } from './roles.ts';
import { notFor } from './wiring/secrets.ts';

/** Where `wherry config init` puts the settings of every role, each in a folder of its own. */
export const settingsFolder = (named?: string): string => named ?? environment().WHERRY_DIR ?? '/etc/wherry';

export const roleFile = (folder: string, role: Role): string => join(folder, role, 'settings.json');

/** The file that is named, by an option or by WHERRY_CONFIG; that of the role, where there is one; or the one that lies here. */
export function settingsPath(role: Role, named?: string): string {
  const told = named ?? environment().WHERRY_CONFIG;
  if (told !== undefined) return told;
  const own = roleFile(settingsFolder(), role);
  return existsSync(own) ? own : 'wherry.json';
}

/**
 * Settings from a file, or from a role's file, which lacks what only others need. DATABASE_URL, where set, names the database.
 * Any text in them may be kept elsewhere: `{ "file": … }` or `{ "env": … }`.
 */
export function loadSettings(path: string, mayLack: readonly string[] = []): Config {
  const env = environment();
  const held = fetched(readJson(path), '', { env, from: dirname(path) });
  const settings = env.DATABASE_URL ? { ...(held as object), database: env.DATABASE_URL } : held;
  return checkConfig(settings, mayLack);
}

export const settingsOf = (role: Role, named?: string): Config => loadSettings(settingsPath(role, named), notFor(role));

/** What a file of ours holds; other users may not read it. */
export function readJson(path: string): unknown {
  const text = readPrivately(path);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`configuration: ${path} is no JSON: ${(error as Error).message}`);
  }
}

interface Places {
  readonly env: Environment;
  /** Files are named from where the settings are. */
  readonly from: string;
}

/** A secret that is kept in a file or in the environment. */
type Elsewhere = { readonly file: string } | { readonly env: string };

export function isElsewhere(value: unknown): value is Elsewhere {
  if (typeof value !== 'object' || value === null) return false;
  const [[name, place] = [], another] = Object.entries(value);
  return (name === 'file' || name === 'env') && typeof place === 'string' && another === undefined;
}

/** The same settings with everything in place that is kept elsewhere. */
export function fetched(value: unknown, path: string, places: Places): unknown {
  if (isElsewhere(value)) return fetchedText(value, path, places);
  if (Array.isArray(value)) return value.map((one, at) => fetched(one, `${path}/${at}`, places));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, fetched(part, `${path}/${name}`, places)]),
  );
}

function fetchedText(at: Elsewhere, path: string, { env, from }: Places): string {
  if ('file' in at) {
    try {
      return readPrivately(resolve(from, at.file)).replace(/\r?\n$/, '');
    } catch (error) {
      throw new Error(`${(error as Error).message} (${path})`);
    }
  }
  const text = env[at.env];
  if (text === undefined) throw new Error(`configuration: ${path} is kept in ${at.env}, which is not set`);
  return text;
}
