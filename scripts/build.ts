import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, stop } from 'esbuild';
import { ROOT } from '../sandbox/root.ts';
import { buildPages } from './build-pages.ts';

const DIST = join(ROOT, 'dist');

const SERVICE = {
  entryPoints: { 'app/main': join(ROOT, 'src/app/main.ts') },
  outdir: DIST,
  bundle: true,
  write: false,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  sourcemap: 'linked',
  logLevel: 'silent',
} as const satisfies BuildOptions;

/**
 * The service as it runs for real: one file for plain node, which starts in a third of the time and half the memory that
 * it takes from source. It lies as deep as its source, so that what is found beside it is found the same way.
 */
export async function buildService(): Promise<string> {
  const { outputFiles } = await build(SERVICE);
  await buildPages();
  await stop();
  // Renamed into place, because another sandbox may be starting from the same file at this moment.
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    const fresh = `${path}.${process.pid}`;
    writeFileSync(fresh, contents);
    renameSync(fresh, path);
  }
  return join(DIST, 'app/main.js');
}

/** The packages that the built service loads when it runs. */
export async function loadedPackages(): Promise<readonly string[]> {
  const { metafile } = await build({ ...SERVICE, metafile: true });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const packages = imports
    .filter(({ path, external }) => external && !isBuiltin(path))
    .map(({ path }) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path);
  return [...new Set(packages)].sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${relative(process.cwd(), await buildService())}\n`);
}
