/** JSON that keeps bigints: `{"$n":"123"}`. Properties that are undefined are absent, and read as undefined again. */
export function encode(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? { $n: part.toString() } : part));
}

/** What `encode` wrote, as the type it was; only ever given what this product stored. */
export function decode<T>(stored: unknown): T {
  return revive(stored) as T;
}

function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive);
  if (typeof value !== 'object' || value === null) return value;
  if ('$n' in value) return BigInt((value as { $n: string }).$n);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, revive(part)]));
}
