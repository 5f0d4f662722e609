import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
  readonly made: readonly string[];
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
  const before = readNote(note);
  if (before && isMade(before, how)) return;
  const beganAt = Date.now();
  const { outputFiles, metafile } = await build({ ...options, absWorkingDir: ROOT, write: false, metafile: true });
  const made = pack(outputFiles);
  writeAll(made);
  const paths = made.map(({ path }) => path);
  for (const old of before?.made ?? []) if (!paths.includes(old)) rmSync(old, { force: true });
  // What a plugin made up has its name before its path, and is no file.
  const sources = [...ALWAYS, ...Object.keys(metafile.inputs).filter((path) => !path.includes(':'))];
  // What was edited meanwhile may be in the build or not.
  const isCertain = sources.every((path) => statSync(resolve(ROOT, path)).mtimeMs < beganAt);
  const files = Object.fromEntries([...sources, ...paths].map((path) => [path, sightOf(path)]));
  const noted: Note = { how: isCertain ? how : 'uncertain', files, made: paths };
  writeWhole({ path: note, contents: JSON.stringify(noted) });
}

function readNote(path: string): Note | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Note;
  } catch {
    return undefined;
  }
}

function isMade(note: Note, how: string): boolean {
  if (note.how !== how) return false;
  try {
    return Object.entries(note.files).every(([file, sight]) => sightOf(file) === sight);
  } catch {
    return false;
  }
}

function sightOf(path: string): string {
  const { size, mtimeMs } = statSync(resolve(ROOT, path));
  return `${size} ${mtimeMs}`;
}

/** New names first: what others load by the name of its content is there before they are. */
function writeAll(files: readonly BuiltFile[]): void {
  const there = new Set(files.filter(({ path }) => existsSync(path)));
  for (const file of files) if (!there.has(file)) writeWhole(file);
  for (const file of there) writeWhole(file);
}

/** Renamed into place, because another process may be starting from the same file at this moment. */
function writeWhole({ path, contents }: BuiltFile): void {
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}`;
  // Whoever links the command finds a program there.
  writeFileSync(fresh, contents, { mode: 0o755 });
  renameSync(fresh, path);
}
