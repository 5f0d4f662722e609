import { BANS, type Ban } from './bans.ts';
import { familiesNamedElsewhere } from './family-names.ts';
import { isWithin } from './house.ts';
import { filesInNoRoom, forbiddenImports, importCycles, type Violation } from './imports.ts';
import { lineAt, type Source } from './source.ts';
import { sqlKnowsTheState } from './sql-words.ts';

const MAX_LINES = 300;
/** Where we write code, which is everywhere but in the documents. */
const OURS = ['src/**', 'sandbox/**', 'sdk/**', 'web/**', 'test/**', 'bench/**', 'scripts/**'];
const COUNTED = /\.(?:ts|tsx|js|mjs|cjs|css|html)$/;
const GENERATED = /(?:^|\/)generated\//;

const EMPTY_NAMES = 'utils?|helpers?|common|managers?|services?|base|misc';
/** A name that says nothing, alone or as the last word: `utils.ts`, `helpers/`, `order-manager.ts`. */
const EMPTY_NAME = new RegExp(`(?:^|[/-])(?:${EMPTY_NAMES})(?=/|\\.[a-z]+$)`);
const ENTRY_POINTS = /^(?:src\/world\/[^/]+|src\/signer\/rails|sdk|sdk\/src|web\/state)\/index\.ts$/;
const KEBAB = /^(?:[a-z0-9_.-]+\/)*[a-z0-9]+(?:[.-][a-z0-9]+)*$/;

export type Rule = (files: readonly Source[]) => Violation[];

/** Each says in its name what holds, and finds where it does not. */
export const RULES = {
  'rooms import only what the table allows': forbiddenImports,
  'imports make no cycle': importCycles,
  'a family is named in its own parts and in the lists alone': familiesNamedElsewhere,
  'no SQL knows a state by name, or a path into a document': sqlKnowsTheState,
  'every file of src and of the sandbox has a room': filesInNoRoom,
  'a file fits in 300 lines': (files) =>
    files
      .filter(({ path }) => COUNTED.test(path) && !GENERATED.test(path) && isWithin(path, OURS))
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0) }))
      .filter(({ lines }) => lines > MAX_LINES)
      .map(({ path, lines }) => `${path}:${MAX_LINES + 1}: has ${lines} lines`),
  'a file is named for what is in it': (files) =>
    files
      .filter(({ path }) => isWithin(path, OURS))
      .flatMap(({ path }) => [
        ...(EMPTY_NAME.test(path) ? [`${path}:1: a name that says nothing`] : []),
        ...(/\/index\.ts$/.test(path) && !ENTRY_POINTS.test(path)
          ? [`${path}:1: an index that is no entry point`]
          : []),
        ...(/\.ts$/.test(path) && !KEBAB.test(path) ? [`${path}:1: not in kebab-case`] : []),
      ]),
  'npm ci finds every package in the lock file': (files) =>
    files.filter(({ path }) => path === 'package-lock.json').flatMap(unlocked),
  ...bans(),
} satisfies Record<string, Rule>;

export type RuleName = keyof typeof RULES;

function bans(): Record<keyof typeof BANS, Rule> {
  const rules = Object.entries(BANS).map(([name, ban]) => [name, (files: readonly Source[]) => offences(ban, files)]);
  return Object.fromEntries(rules) as Record<keyof typeof BANS, Rule>;
}

function offences(ban: Ban, files: readonly Source[]): Violation[] {
  return files
    .filter(({ path }) => isWithin(path, ban.where) && !isWithin(path, ban.except ?? []))
    .flatMap((file) =>
      [...file[ban.looksAt].matchAll(ban.pattern)].map(
        ({ index, 0: found }) => `${file.path}:${lineAt(file.text, index)}: ${found.trim()} (${ban.says})`,
      ),
    );
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>>;
}

/** Optional packages of other platforms that the registry did not carry when the lock file was made. */
function unlocked({ path, text }: Source): Violation[] {
  const { packages } = JSON.parse(text) as Lock;
  return Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !packages[`node_modules/${name}`] && !packages[`${parent}/node_modules/${name}`])
      .map((name) => `${path}:1: ${name} is missing (run node scripts/complete-lockfile.mjs)`),
  );
}
