import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type BuildOptions, build, type OutputFile, version } from 'esbuild';
import { ROOT } from '../sandbox/root.ts';

export interface BuiltFile {
  readonly path: string;
  readonly contents: Uint8Array | string;
}

/** Which files a build was made of, and which it made, each with its size and its time. */
interface Note {
  readonly how: string;
  readonly files: Readonly<Record<string, string>>;
}

/** They say how a build is made, whatever it is made of. */
const ALWAYS = [
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'web/client/tsconfig.json'],
  ...['scripts/build.ts', 'scripts/build-once.ts', 'scripts/build-pages.ts'],
];

/**
 * Builds, unless `note` says that the same build was made of the same files before and is still there: whoever starts the sandbox
 * again does not wait for it again. `pack` says what becomes of esbuild's files.
 */
export async function buildOnce(
  note: string,
  options: BuildOptions,
  pack: (made: readonly OutputFile[]) => readonly BuiltFile[] = (made) => made,
): Promise<void> {
  const how = `${version} ${JSON.stringify(options)}`;
  if (isMade(note, how)) return;
  const beganAt = Date.now();
  const { outputFiles, metafile } = await build({ ...options, absWorkingDir: ROOT, write: false, metafile: true });
  const made = pack(outputFiles);
  for (const file of made) writeWhole(file);
  const sources = [...ALWAYS, ...Object.keys(metafile.inputs)];
  // What was edited meanwhile may be in the build or not.
  if (sources.some((path) => statSync(resolve(ROOT, path)).mtimeMs >= beganAt)) return;
  const files = Object.fromEntries([...sources, ...made.map(({ path }) => path)].map((path) => [path, sightOf(path)]));
  writeWhole({ path: note, contents: JSON.stringify({ how, files } satisfies Note) });
}

function isMade(path: string, how: string): boolean {
  try {
    const note = JSON.parse(readFileSync(path, 'utf8')) as Note;
    return note.how === how && Object.entries(note.files).every(([file, sight]) => sightOf(file) === sight);
  } catch {
    return false;
  }
}

function sightOf(path: string): string {
  const { size, mtimeMs } = statSync(resolve(ROOT, path));
  return `${size} ${mtimeMs}`;
}

/** Renamed into place, because another process may be starting from the same file at this moment. */
function writeWhole({ path, contents }: BuiltFile): void {
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}`;
  // Whoever links the command finds a program there.
  writeFileSync(fresh, contents, { mode: 0o755 });
  renameSync(fresh, path);
}
