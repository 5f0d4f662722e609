import { type FieldRefusal, isRefusal, type Refusal } from './refusal.ts';

/** A client that sends nonsense in every field of a long list is told of this many. */
const MOST_FIELDS = 20;

/** Says which field the refusal is about; anything that is no refusal passes as it is. */
export function inField<T>(field: string, value: T): T {
  if (!isRefusal(value)) return value;
  const { refusal, message } = value;
  return { ...value, fields: [{ field, refusal, message }] };
}

/** One refusal for all of these: it speaks for the first and names every field once. */
export function together([first, ...others]: readonly [Refusal, ...Refusal[]]): Refusal {
  const byField = new Map<string, FieldRefusal>();
  for (const one of [first, ...others].flatMap(({ fields = [] }) => fields))
    if (!byField.has(one.field)) byField.set(one.field, one);
  const fields = [...byField.values()].slice(0, MOST_FIELDS);
  return fields.length === 0 ? first : { ...first, fields };
}

/** All the values, or everything that is wrong with them at once. */
export function allOf<const T extends readonly unknown[]>(
  ...values: T
): { readonly [K in keyof T]: Exclude<T[K], Refusal> } | Refusal {
  const [first, ...others] = values.filter(isRefusal);
  // Without a refusal among them, the values are what the type says.
  return first ? together([first, ...others]) : (values as { readonly [K in keyof T]: Exclude<T[K], Refusal> });
}
