import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Translates the launcher and becomes it: a loader for every file would stay in memory for as long as the sandbox runs. */
const path = fileURLToPath(new URL('../dist/sandbox/launch.js', import.meta.url));
const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('./launch.ts', import.meta.url))],
  outfile: path,
  bundle: true,
  write: false,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  logLevel: 'silent',
});
mkdirSync(dirname(path), { recursive: true });
const fresh = `${path}.${process.pid}`;
writeFileSync(fresh, outputFiles[0].contents);
renameSync(fresh, path);
await import(path);
