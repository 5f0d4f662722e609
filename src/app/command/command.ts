import { parseArgs } from 'node:util';

/** What a command found or did: for people as lines, for programs as it is. */
export interface Told {
  readonly json: object;
  readonly lines: readonly string[];
  /** 0 where it is not said. */
  readonly exitCode?: number;
}

/** Wrong use of a command, said in one sentence. */
export class Misuse extends Error {}

export const EXIT = { done: 0, failed: 1, misused: 2, problems: 3 } as const;

export interface Option {
  /** What it takes, as people read it (`<file>`); a switch without it. */
  readonly takes?: string;
  readonly says: string;
  readonly isNeeded?: true;
}

export interface Given {
  /** The words behind the command, as many as it takes. */
  readonly operands: readonly string[];
  text(option: string): string | undefined;
  /** Of an option that is needed. */
  needed(option: string): string;
  has(option: string): boolean;
}

/** What a command does. undefined: it goes on running. */
export type Work = (given: Given) => Promise<Told | undefined>;

export interface Command {
  /** By which it is called: `seed new`. */
  readonly name: string;
  readonly summary: string;
  /** What follows its name (`<role>`), and what may stand there. */
  readonly operands?: readonly { readonly takes: string; readonly oneOf?: readonly string[] }[];
  readonly options?: Readonly<Record<string, Option>>;
  /** More about it, for `--help`. */
  readonly details?: readonly string[];
  readonly run: Work;
}

/** Every command takes these. */
const ALWAYS: Readonly<Record<string, Option>> = {
  json: { says: 'answer in JSON, for programs' },
  help: { says: 'show this' },
};

const spelt = (name: string, { takes }: Option): string => (takes === undefined ? `--${name}` : `--${name} ${takes}`);

export function usageOf({ name, operands = [], options = {} }: Command): string {
  const shown = Object.entries(options).map(([option, about]) =>
    about.isNeeded ? spelt(option, about) : `[${spelt(option, about)}]`,
  );
  return ['wherry', name, ...operands.map(({ takes }) => takes), ...shown, '[--json]'].join(' ');
}

export function helpOf(command: Command): string {
  const { summary, details = [], options = {}, operands = [] } = command;
  const all = Object.entries({ ...options, ...ALWAYS });
  const width = Math.max(...all.map(([name, about]) => spelt(name, about).length));
  return [
    `${summary}`,
    '',
    `usage: ${usageOf(command)}`,
    ...operands.flatMap(({ takes, oneOf }) => (oneOf ? [`       ${takes} is one of ${oneOf.join(', ')}`] : [])),
    '',
    ...all.map(([name, about]) => `  ${spelt(name, about).padEnd(width)}  ${about.says}`),
    ...(details.length > 0 ? ['', ...details] : []),
  ].join('\n');
}

/** Whatever is wrong in it is named. */
export function given({ operands = [], options = {} }: Command, args: readonly string[]): Given {
  const known = { ...options, ...ALWAYS };
  const { values, positionals } = parsed(known, args);
  for (const [at, { takes, oneOf }] of operands.entries()) {
    const word = positionals[at];
    if (word === undefined) throw new Misuse(`${takes} is missing${oneOf ? `: ${oneOf.join(', ')}` : ''}`);
    if (oneOf && !oneOf.includes(word)) throw new Misuse(`${takes} cannot be "${word}": ${oneOf.join(', ')}`);
  }
  const extra = positionals[operands.length];
  if (extra !== undefined) throw new Misuse(`"${extra}" is one word too many`);
  const text = (option: string): string | undefined => {
    const value = values[option];
    if (value === '') throw new Misuse(`--${option} is empty`);
    return typeof value === 'string' ? value : undefined;
  };
  const missing = Object.entries(options).find(([name, { isNeeded }]) => isNeeded && text(name) === undefined);
  if (missing) throw new Misuse(`${spelt(...missing)} is missing: ${missing[1].says}`);
  return {
    operands: positionals,
    text,
    needed: (option) => text(option) ?? '',
    has: (option) => values[option] === true,
  };
}

function parsed(options: Readonly<Record<string, Option>>, args: readonly string[]) {
  const types = Object.entries(options).map(
    ([name, { takes }]) => [name, { type: takes === undefined ? 'boolean' : 'string' }] as const,
  );
  try {
    return parseArgs({ args: [...args], options: Object.fromEntries(types), strict: true, allowPositionals: true });
  } catch (error) {
    // What follows the first sentence is about the parser.
    throw new Misuse((error as Error).message.split(/\. |\n/, 1)[0]);
  }
}
