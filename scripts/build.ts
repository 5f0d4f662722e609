import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin, stop } from 'esbuild';
import { ROOT } from '../sandbox/root.ts';
import { buildOnce } from './build-once.ts';
import { buildPages } from './build-pages.ts';

const DIST = join(ROOT, 'dist');
const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

const nameOf = (path: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path;

/** What a package that is built in would load to open sockets, or to ask whomever a contract names; it is never asked for either. */
const UNUSED = /^isows$|\/utils\/ccip\.js$/;

/** Our own imports of these stay imports. A package that is built in brings its own versions of what it uses. */
const DEPENDENCIES: Plugin = {
  name: 'dependencies',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: UNUSED }, ({ path }) => ({ path, namespace: 'unused' }));
    onLoad({ filter: UNUSED, namespace: 'unused' }, () => ({ contents: '' }));
    onResolve({ filter: /^[^.]/ }, ({ path, importer }) =>
      Object.hasOwn(dependencies, nameOf(path)) && !importer.includes('/node_modules/')
        ? { path, external: true }
        : undefined,
    );
  },
};

type Output = Metafile['outputs'][string];

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
  chunkNames: 'app/[name]-[hash]',
  splitting: true,
  plugins: [DEPENDENCIES],
} as const satisfies BuildOptions;

/**
 * The service as it runs for real, for plain node, which starts in a third of the time and half the memory that it takes from
 * source. What a command loads when it is called is in files of its own, named by their content. All lie as deep as their
 * source, so that what is found beside them is found the same way.
 */
export async function buildService(): Promise<string> {
  await buildOnce(join(DIST, 'app/made-of.json'), SERVICE);
  await buildPages();
  await stop();
  return join(DIST, 'app/main.js');
}

/** The service under the bench's load, with all that the bench puts around it, and what one of several processes of it is. */
export async function buildBench(): Promise<Readonly<Record<'desk' | 'member', string>>> {
  const entryPoints = { 'bench/desk': join(ROOT, 'bench/desk.ts'), 'bench/member': join(ROOT, 'bench/member.ts') };
  await buildOnce(join(DIST, 'bench/made-of.json'), { ...FOR_NODE, entryPoints, packages: 'external' });
  await stop();
  return { desk: join(DIST, 'bench/desk.js'), member: join(DIST, 'bench/member.js') };
}

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();

export interface ServicePackages {
  /** Loaded by the built service when it runs. */
  readonly loaded: readonly string[];
  /** Those of them that are not loaded before they are needed; what was built in would find another version than its own. */
  readonly later: readonly string[];
  /** The build took what it needs of these. */
  readonly taken: readonly string[];
  /** Loaded together with this source file, which begins a file of the build. */
  loadedWith(source: string): readonly string[];
}

export async function packagesOfService(): Promise<ServicePackages> {
  const { metafile } = await build({ ...SERVICE, absWorkingDir: ROOT, write: false, metafile: true });
  const outputs = Object.values(metafile.outputs);
  const foreign = ({ imports }: Output) => imports.filter(({ path, external }) => external && !isBuiltin(path));
  const loadedBy = (output: Output): readonly string[] => foreign(output).map(({ path }) => nameOf(path));
  const withImports = (output: Output, met: Set<Output>): Set<Output> => {
    if (met.has(output)) return met;
    met.add(output);
    for (const { path, kind } of output.imports) {
      const next = metafile.outputs[path];
      if (next && kind === 'import-statement') withImports(next, met);
    }
    return met;
  };
  return {
    loaded: distinct(outputs.flatMap(loadedBy)),
    later: distinct(outputs.flatMap(foreign).flatMap(({ path, kind }) => (kind === 'dynamic-import' ? [path] : []))),
    taken: distinct(
      outputs.flatMap(({ inputs }) =>
        Object.keys(inputs).flatMap((path) => path.split('node_modules/').slice(1, 2).map(nameOf)),
      ),
    ),
    loadedWith: (source) => {
      const begun = outputs.filter(({ entryPoint }) => entryPoint === source);
      return distinct(begun.flatMap((output) => [...withImports(output, new Set())].flatMap(loadedBy)));
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${relative(process.cwd(), await buildService())}\n`);
}
