import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file as the rules see it: where it is and what it says. Rules are pure functions over these. */
export interface Source {
  readonly path: string;
  readonly text: string;
  /** The text with comments, strings and patterns blanked out at their places; empty for what is not a script. */
  readonly code: string;
}

export interface Import {
  /** Path in the repository, or the package's name as it is written. */
  readonly target: string;
  readonly typeOnly: boolean;
  readonly offset: number;
}

const SCRIPT = /\.(?:ts|tsx|js|mjs|cjs)$/;
const UNREAD = new Set(['.git', 'node_modules', 'dist', '.wherry']);
const BINARY = /\.(?:png|jpg|ico|gif|webp|woff2?|gz|zip|wasm|pdf|log)$/;

export function source(path: string, text: string): Source {
  return { path, text, code: SCRIPT.test(path) ? codeOf(text) : '' };
}

export function readRepository(root: string): Source[] {
  const found: Source[] = [];
  const walk = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !UNREAD.has(entry.name)) walk(path);
      if (entry.isFile() && !UNREAD.has(entry.name) && !BINARY.test(path))
        found.push(source(path, readFileSync(join(root, path), 'utf8')));
    }
  };
  walk('');
  return found;
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Static, re-exporting, bare and dynamic imports. `code` finds them, so that a quoted import is not one. */
const IMPORT = /\b(?:import|export)\b([^'";=()]*?)\bfrom\s*(?=['"])|\bimport\s*\(?\s*(?=['"`])/g;

export function importsOf(file: Source): Import[] {
  return [...file.code.matchAll(IMPORT)].map((found) => {
    const quote = found.index + found[0].length;
    const end = file.code.indexOf(file.code.charAt(quote), quote + 1);
    return {
      target: resolveImport(file.path, file.text.slice(quote + 1, end)),
      typeOnly: isTypeOnly(found[1] ?? ''),
      offset: found.index,
    };
  });
}

function isTypeOnly(clause: string): boolean {
  if (/^\s*type\b/.test(clause)) return true;
  const names = /^\s*\{([^}]*)\}\s*$/.exec(clause)?.[1];
  return names?.split(',').every((name) => /^\s*(?:type\s.*)?$/s.test(name)) ?? false;
}

function resolveImport(from: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  const parts = from.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const QUOTED = /'(?:\\[\s\S]|[^'\\\n])*'?|"(?:\\[\s\S]|[^"\\\n])*"?/y;
/** From a back quote, or from the brace that ends an insertion, up to the next insertion or the closing back quote. */
const TEMPLATE = /[`}](?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)?/y;
const PATTERN = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y;
/** What a slash must follow to begin a pattern and not a division. */
const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\breturn|\btypeof|\bcase)\s*$/;

function codeOf(text: string): string {
  let out = '';
  let at = 0;
  let braces = 0;
  const insertions: number[] = [];
  const take = (token: RegExp, blanked: (piece: string) => string): boolean => {
    token.lastIndex = at;
    const piece = token.exec(text)?.[0];
    if (!piece) return false;
    out += blanked(piece);
    at += piece.length;
    if (piece.endsWith('${') && token === TEMPLATE) insertions.push(braces);
    return true;
  };
  while (at < text.length) {
    const char = text.charAt(at);
    const resumes = char === '}' && insertions.at(-1) === braces;
    if (resumes) insertions.pop();
    if (char === '/' && take(COMMENT, blank)) continue;
    if ((char === "'" || char === '"') && take(QUOTED, blankInside)) continue;
    if ((char === '`' || resumes) && take(TEMPLATE, blankInside)) continue;
    if (char === '/' && BEFORE_PATTERN.test(out.slice(-40)) && take(PATTERN, blankInside)) continue;
    if (char === '{') braces += 1;
    if (char === '}') braces -= 1;
    out += char;
    at += 1;
  }
  return out;
}

const blank = (piece: string): string => piece.replace(/[^\n]/g, ' ');
const blankInside = (piece: string): string => piece.charAt(0) + blank(piece.slice(1, -1)) + piece.slice(-1);
