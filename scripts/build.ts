import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin, stop } from 'esbuild';
import { ROOT } from '../sandbox/root.ts';
import { buildOnce } from './build-once.ts';
import { buildPages } from './build-pages.ts';

const DIST = join(ROOT, 'dist');
const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

const nameOf = (path: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path;

/** Our own imports of these stay imports. A package that is built in brings its own versions of what it uses. */
const DEPENDENCIES: Plugin = {
  name: 'dependencies',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^.]/ }, ({ path, importer }) =>
      Object.hasOwn(dependencies, nameOf(path)) && !importer.includes('/node_modules/')
        ? { path, external: true }
        : undefined,
    ),
};

/** How everything that runs as the service does is built. */
const FOR_NODE = {
  outdir: DIST,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'linked',
  logLevel: 'silent',
} as const satisfies BuildOptions;

const SERVICE = {
  ...FOR_NODE,
  entryPoints: { 'app/main': join(ROOT, 'src/app/main.ts') },
  plugins: [DEPENDENCIES],
} as const satisfies BuildOptions;

/**
 * The service as it runs for real: one file for plain node, which starts in a third of the time and half the memory that
 * it takes from source. It lies as deep as its source, so that what is found beside it is found the same way.
 */
export async function buildService(): Promise<string> {
  await buildOnce(join(DIST, 'app/made-of.json'), SERVICE);
  await buildPages();
  await stop();
  return join(DIST, 'app/main.js');
}

/** The service under the bench's load, with all that the bench puts around it. */
export async function buildBench(): Promise<string> {
  const entryPoints = { 'bench/desk': join(ROOT, 'bench/desk.ts') };
  await buildOnce(join(DIST, 'bench/made-of.json'), { ...FOR_NODE, entryPoints, packages: 'external' });
  await stop();
  return join(DIST, 'bench/desk.js');
}

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();

/** The packages that the built service loads when it runs, and those of which the build took what it needs. */
export async function packagesOfService(): Promise<{ loaded: readonly string[]; taken: readonly string[] }> {
  const { metafile } = await build({ ...SERVICE, write: false, metafile: true });
  const outputs = Object.values(metafile.outputs);
  const loaded = outputs.flatMap(({ imports }) =>
    imports.filter(({ path, external }) => external && !isBuiltin(path)).map(({ path }) => nameOf(path)),
  );
  const taken = outputs.flatMap(({ inputs }) =>
    Object.keys(inputs).flatMap((path) => path.split('node_modules/').slice(1, 2).map(nameOf)),
  );
  return { loaded: distinct(loaded), taken: distinct(taken) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${relative(process.cwd(), await buildService())}\n`);
}
