import type { Violation } from './imports.ts';
import { lineAt, type Source } from './source.ts';

/** Words that are a phase's, too, where they are somebody else's: the statuses that partners are shown, deliveries, purchases for stock. */
export const OTHERS_WORDS: Readonly<Record<string, readonly string[]>> = {
  'migrations/0022-webhooks.sql': ['failed'],
  'migrations/0115-figures-are-counted-in-turn.sql': ['completed', 'refunded', 'failed', 'expired'],
  'migrations/0116-fair-shares-of-deliveries.sql': ['failed'],
  'migrations/0131-stock-fills.sql': ['failed'],
  'src/store/stock-fills.ts': ['failed'],
};

const ORDER_STATES = 'src/life/order/state.ts';
const PAYMENT_STATES = 'src/life/payment/payment.ts';
/** A way into a stored document, or a change of a part of it. */
const PATH =
  /\bdoc'?\)?\s*(?:->|#>|#-|@\?|@@|\?|@>\s*'|\|\|\s*')|\{[^{}']*\bdoc,|\bjsonb?_(?:path|set|insert|extract)\w*\(\s*(?:\w+\.)?doc\b/g;

/** What SQL must know of an order or a payment is a column, or told by the code: no statement knows a state's name or a path to it. */
export function sqlKnowsTheState(files: readonly Source[]): Violation[] {
  const textOf = (wanted: string) => files.find(({ path }) => path === wanted)?.text ?? '';
  const phases = namesIn(textOf(ORDER_STATES), /readonly phase: '(\w+)'/g);
  const payments = namesIn(textOf(PAYMENT_STATES), /readonly state: '(\w+)'/g);
  return [...inMigrations(files), ...inCode(files)].flatMap(({ path, text, sql }) => [
    ...[...sql.matchAll(PATH)].map(({ index, 0: found }) => said(path, text, index, `${found.trim()} is a path`)),
    ...[...sql.matchAll(/(=|<>|\bIN \(|\b)?\s*['"](\w+)['"]/g)]
      .filter(({ 1: compared, 2: word = '' }) => phases.has(word) || (compared && payments.has(word)))
      .filter(({ 2: word = '' }) => !OTHERS_WORDS[path]?.includes(word))
      .map(({ index, 2: word }) => said(path, text, index, `${word} is the name of a state`)),
  ]);
}

const said = (path: string, text: string, index: number, what: string): Violation =>
  `${path}:${lineAt(text, index)}: ${what}`;

const namesIn = (text: string, pattern: RegExp): ReadonlySet<string> =>
  new Set([...text.matchAll(pattern)].map(([, name = '']) => name));

interface Sql {
  readonly path: string;
  readonly text: string;
  /** The text with all that is no SQL blanked out. */
  readonly sql: string;
}

const FUNCTION = /CREATE (OR REPLACE )?FUNCTION (\w+)\s*\([\s\S]*?\$\$[\s\S]*?\$\$[^;]*;/g;

/** As the database stands after all of them: a function that a later file replaced or dropped is none. */
function inMigrations(files: readonly Source[]): readonly Sql[] {
  const gone = new Set<string>();
  return files
    .filter(({ path }) => /^migrations\/.*\.sql$/.test(path))
    .sort((a, b) => (a.path < b.path ? 1 : -1))
    .map(({ path, text }) => {
      const sql = text
        .replace(/--[^\n]*/g, blank)
        .replace(FUNCTION, (whole, _: unknown, name: string) => (gone.has(name) ? blank(whole) : whole));
      for (const [, replaces, name = ''] of text.matchAll(FUNCTION)) if (replaces) gone.add(name);
      for (const [, name = ''] of text.matchAll(/DROP FUNCTION (\w+)/g)) gone.add(name);
      return { path, text, sql };
    });
}

/** What stands within strings of the code: there, quoted words are SQL's. */
const inCode = (files: readonly Source[]): readonly Sql[] =>
  files
    .filter(({ path }) => /^(?:src\/(?:store|engine|operator|app|api|partners)|sandbox)\/.*\.ts$/.test(path))
    .filter(({ path }) => !path.includes('/generated/'))
    .map(({ path, text, code }) => ({
      path,
      text,
      sql: text.replace(/\S/g, (char, at) => (code[at] === ' ' ? char : ' ')),
    }));

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');
