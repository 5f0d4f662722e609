/** Plain JSON knows neither whole numbers of any size nor bytes: each is a text with a mark. */
export function toExactJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, name) {
    // As it is there: what is handed to this function of a `Buffer` has been made an object by then.
    const it = this[name];
    if (typeof it === 'bigint') return `${it}n`;
    return it instanceof Uint8Array ? `base64:${Buffer.from(it).toString('base64')}` : it;
  });
}

/** To ask about every value takes several times as long as to read them, and most texts have no mark. */
const MARKED = /"(?:-?\d+n|base64:)/;

export function fromExactJson(text: string): unknown {
  if (!MARKED.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== 'string') return value;
    if (/^-?\d+n$/.test(value)) return BigInt(value.slice(0, -1));
    return value.startsWith('base64:') ? Uint8Array.from(Buffer.from(value.slice(7), 'base64')) : value;
  });
}
