/**
 * Writes into package-lock.json the optional packages of other platforms that the lock file lacks because the registry
 * it was made from does not carry them. Without an entry for each, `npm ci` refuses the lock file; with one, it skips
 * those that are not for its own platform. To be run after `npm install` has rewritten the lock file.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('../package-lock.json', import.meta.url);
/** Where the name of a package speaks of platforms in other words than npm. */
const OS = { win32: 'win32', windows: 'win32', darwin: 'darwin', linux: 'linux', android: 'android' };
const CPU = { x64: 'x64', amd64: 'x64', arm64: 'arm64' };

const lock = JSON.parse(readFileSync(FILE, 'utf8'));
const added = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (lock.packages[`node_modules/${name}`] || lock.packages[`${path}/node_modules/${name}`]) continue;
    const words = name.split(/[/-]/);
    const os = words.map((word) => OS[word]).find(Boolean);
    const cpu = words.map((word) => CPU[word]).find(Boolean);
    if (!os || !cpu) throw new Error(`cannot tell the platform of ${name}`);
    const libc = words.includes('musl') ? { libc: ['musl'] } : {};
    lock.packages[`node_modules/${name}`] = {
      version,
      cpu: [cpu],
      ...(entry.dev ? { dev: true } : {}),
      ...libc,
      optional: true,
      os: [os],
    };
    added.push(name);
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length > 0 ? `added ${added.join(', ')}` : 'nothing is missing');
