import assert from 'node:assert/strict';

export interface Element {
  readonly name: string;
  readonly children: readonly Element[];
  readonly text: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&apos;': "'",
};
const NAME = '[A-Za-z_][\\w.-]*';

/** Reads the plain part of XML 1.0 that feeds use, and nothing that is not well formed: no attributes, no comments. */
export function readXml(source: string): Element {
  const prolog = /^<\?xml version="1\.0" encoding="utf-8"\?>\s*/.exec(source);
  assert(prolog, 'the declaration comes first');
  const read = element(source.slice(prolog[0].length));
  assert.equal(read.rest.trim(), '', 'nothing follows the root');
  return read.element;
}

function element(source: string): { readonly element: Element; readonly rest: string } {
  const opening = new RegExp(`^<(${NAME})>`).exec(source);
  assert(opening?.[1], `an element is expected at ${source.slice(0, 40)}`);
  const name = opening[1];
  let rest = source.slice(opening[0].length);
  let text = '';
  const children: Element[] = [];
  while (!rest.startsWith('</')) {
    const plain = /^[^<]+/.exec(rest)?.[0] ?? '';
    text += plain.replaceAll(/&[^;]*;?/g, entity);
    rest = rest.slice(plain.length);
    if (rest.startsWith('</')) break;
    const child = element(rest);
    children.push(child.element);
    rest = child.rest;
  }
  const closing = `</${name}>`;
  assert(rest.startsWith(closing), `${name} is closed`);
  return { element: { name, children, text }, rest: rest.slice(closing.length) };
}

function entity(found: string): string {
  const meant = ENTITIES[found];
  assert(meant, `${found} is an entity of XML`);
  return meant;
}
