import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What stands in the boxes of a guide's page, as a reader copies it. */
export function boxesIn(html: string): readonly string[] {
  return [...html.matchAll(/<pre>([^<]*)<\/pre>/g)].map(([, text = '']) =>
    text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
  );
}

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Reads a command as a shell would: quotes, names that stand for something, lines that go on. What it does not know, it refuses. */
export function readCurl(text: string, known: Readonly<Record<string, string>>): Asked {
  const [program, ...words] = wordsOf(text, known);
  assert.equal(program, 'curl', text);
  const headers: Record<string, string> = {};
  let [method, url, body]: (string | undefined)[] = [];
  const next = () => words.shift() ?? assert.fail(`a word is missing: ${text}`);
  while (words.length > 0) {
    const word = next();
    if (word === '-s') continue;
    if (word === '-X') method = next();
    else if (word === '-d') body = next();
    else if (word === '-H') {
      const [, name = '', value = ''] = /^([\w-]+): (.+)$/.exec(next()) ?? assert.fail(`no header: ${text}`);
      headers[name] = value;
    } else {
      assert.ok(url === undefined && !word.startsWith('-'), `${word}: ${text}`);
      url = word;
    }
  }
  assert.ok(url);
  return { method: method ?? (body === undefined ? 'GET' : 'POST'), url, headers, body };
}

function wordsOf(text: string, known: Readonly<Record<string, string>>): string[] {
  const value = (name: string): string => known[name] ?? assert.fail(`nobody said what ${name} is`);
  const put = (part: string) => part.replaceAll(/\$([A-Z]+)/g, (_, name: string) => value(name));
  const plain = text.replaceAll(/^#.*$/gm, '').replaceAll('\\\n', ' ').trim();
  const found = plain.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return found.map((word) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"|([^'"]+)/g, (_, single?: string, double?: string, bare?: string) =>
      single === undefined ? put(double ?? bare ?? '') : single,
    ),
  );
}

/** `# NAME is field of the answer.` */
export const keptOf = (text: string, answer: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^# ([A-Z]+) is (\w+) of the answer\.$/gm)].map(([, name = '', field = '']) => {
      assert.equal(typeof answer[field], 'string', `${field} is no text of the answer`);
      return [name, String(answer[field])];
    }),
  );

/** The names that the first box asks the reader for. */
export const neededIn = (box: string): readonly string[] =>
  [...box.matchAll(/^([A-Z]+)='' # \S.*$/gm)].map(([, name = '']) => name);

const CLIENT = fileURLToPath(new URL('../../sdk/src/index.ts', import.meta.url));

/** Runs a program of a guide, with the client as it is here, under these settings; gives what it exports. */
export async function runProgram(
  code: string,
  env: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  const dir = mkdtempSync(join(tmpdir(), 'wherry-guide-'));
  try {
    const file = join(dir, 'program.mts');
    const settings = `const process = { env: ${JSON.stringify(env)} };\n`;
    writeFileSync(file, settings + code.replace("'@wherry/client'", JSON.stringify(CLIENT)));
    return (await import(file)) as Readonly<Record<string, unknown>>;
  } finally {
    rmSync(dir, { recursive: true });
  }
}
