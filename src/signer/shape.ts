import { type Atoms, parseAtoms } from '../kernel/amount.ts';

/** Says which part of what we were told does not have its shape. */
export class Malformed {
  readonly field: string;

  constructor(field: string) {
    this.field = field;
  }

  within(outer: string): Malformed {
    return new Malformed(this.field === '' ? outer : `${outer}.${this.field}`);
  }
}

/** Reads a value that may be anything; never throws, and answers in time bounded by the size of the body. */
export type Shape<T> = (value: unknown) => T | Malformed;

const MALFORMED = new Malformed('');

export function text<T extends string = string>(pattern: RegExp): Shape<T> {
  return (value) => (typeof value === 'string' && pattern.test(value) ? (value as T) : MALFORMED);
}

export function oneOf<const T extends string>(...values: readonly T[]): Shape<T> {
  return (value) => values.find((each) => each === value) ?? MALFORMED;
}

export function whole<T extends number = number>(most: number = Number.MAX_SAFE_INTEGER): Shape<T> {
  return (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most ? (value as T) : MALFORMED;
}

export const bool: Shape<boolean> = (value) => (typeof value === 'boolean' ? value : MALFORMED);

/** Amounts travel as canonical decimal digits. */
export const atomsText: Shape<Atoms> = (value) => parseAtoms(value) ?? MALFORMED;

export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value) => (value === undefined ? undefined : shape(value));
}

/** The first that fits; the complaint is the last one's. */
export function either<A, B>(a: Shape<A>, b: Shape<B>): Shape<A | B> {
  return (value) => {
    const first = a(value);
    return first instanceof Malformed ? b(value) : first;
  };
}

export function list<T>(shape: Shape<T>, most: number): Shape<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value) || value.length > most) return MALFORMED;
    const read: T[] = [];
    for (const [index, each] of value.entries()) {
      const item = shape(each);
      if (item instanceof Malformed) return item.within(String(index));
      read.push(item);
    }
    return read;
  };
}

/** A small map, by names that are not known beforehand. */
export function table<T>(name: Shape<string>, shape: Shape<T>, most: number): Shape<Readonly<Record<string, T>>> {
  return (value) => {
    if (!isObject(value)) return MALFORMED;
    const entries = Object.entries(value);
    if (entries.length > most) return MALFORMED;
    const read: [string, T][] = [];
    for (const [key, each] of entries) {
      if (name(key) instanceof Malformed) return MALFORMED;
      const item = shape(each);
      if (item instanceof Malformed) return item.within(key);
      read.push([key, item]);
    }
    return Object.fromEntries(read);
  };
}

/** Names and texts, as protocols call their own fields. */
export const names: Shape<Readonly<Record<string, string>>> = table(
  text(/^[A-Za-z]\w{0,31}$/),
  text(/^[\x20-\x7e]{0,128}$/),
  64,
);

/** Exactly these fields: an unknown one is an error, because it may be a known one misspelt. */
export function record<T extends object>(fields: { readonly [K in keyof T]-?: Shape<T[K]> }): Shape<T> {
  const known = Object.keys(fields) as (keyof T & string)[];
  return (value) => {
    if (!isObject(value)) return MALFORMED;
    const stranger = Object.keys(value).find((name) => !Object.hasOwn(fields, name));
    if (stranger !== undefined) return new Malformed(stranger.slice(0, 32));
    const read: Partial<T> = {};
    for (const name of known) {
      const field = fields[name](Object.hasOwn(value, name) ? value[name] : undefined);
      if (field instanceof Malformed) return field.within(name);
      if (field !== undefined) read[name] = field;
    }
    return read as T;
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
