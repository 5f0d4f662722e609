/** Parts of settings by their path: `/keys/hash`. */

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const namesIn = (path: string): readonly string[] => path.split('/').slice(1);

export const partAt = (value: unknown, path: string): unknown =>
  namesIn(path).reduce<unknown>((part, name) => (isRecord(part) ? part[name] : undefined), value);

/** The same with another part there, or without it; what it would stand in must be there. */
export function withPart(value: unknown, path: string, part: unknown): unknown {
  const [name, ...rest] = namesIn(path);
  if (name === undefined) return part;
  if (!isRecord(value)) return value;
  const { [name]: before, ...others } = value;
  const after = withPart(before, rest.map((one) => `/${one}`).join(''), part);
  return after === undefined ? others : { ...others, [name]: after };
}
