/** JSON that keeps bigints: `{"$n":"123"}`. Properties that are undefined are absent, and read as undefined again. */
export function encode(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? { $n: part.toString() } : part));
}

/** What `encode` wrote, as the type it was; only ever given what this product stored, and changes it in its place. */
export function decode<T>(stored: unknown): T {
  return revive(stored) as T;
}

function revive(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('$n' in value) return BigInt(value.$n as string);
  const parts = value as Record<string, unknown>;
  for (const key in parts) {
    const part = parts[key];
    if (typeof part === 'object' && part !== null) parts[key] = revive(part);
  }
  return value;
}
