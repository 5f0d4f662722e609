import { Fault, type FaultKind } from '../../kernel/fault.ts';

/** An object in a reply, of which nothing is known yet. */
export type Reply = Readonly<Record<string, unknown>>;

/** Replies are read field by field: what is not as documented is a fault, never a guess. `where` names the field. */
export interface Reading {
  malformed(where: string, value?: unknown): never;
  json(body: string, where: string): unknown;
  record(value: unknown, where: string): Reply;
  list(value: unknown, where: string): readonly unknown[];
  text(value: unknown, where: string): string;
  /** Not negative, and exact. */
  whole(value: unknown, where: string): number;
}

/** `ambiguous` where the question may have been an act. */
export function readingOf(at: string, kind: FaultKind, isText: (text: string) => boolean = () => true): Reading {
  const malformed = (where: string, value?: unknown): never => {
    const told = value === undefined ? '' : `: ${JSON.stringify(value)?.slice(0, 100)}`;
    throw new Fault(kind, at, `${where} is not as documented${told}`);
  };
  return {
    malformed,
    json(body, where) {
      try {
        return JSON.parse(body) as unknown;
      } catch {
        return malformed(where);
      }
    },
    record: (value, where) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? (value as Reply)
        : malformed(where, value ?? null),
    list: (value, where) => (Array.isArray(value) ? value : malformed(where, value ?? null)),
    text: (value, where) => (typeof value === 'string' && isText(value) ? value : malformed(where, value ?? null)),
    whole: (value, where) =>
      typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : malformed(where, value ?? null),
  };
}

/** The same for fields of an object, each by its name. */
export interface FieldReading {
  record(value: unknown): Reply;
  records(value: unknown): readonly Reply[];
  text(reply: Reply, field: string): string;
  whole(reply: Reply, field: string): number;
  list(reply: Reply, field: string): readonly unknown[];
}

export function fieldsOf(reading: Reading): FieldReading {
  const record = (value: unknown): Reply => reading.record(value, 'an answer');
  return {
    record,
    records: (value) => reading.list(value, 'an answer').map(record),
    text: (reply, field) => reading.text(reply[field], field),
    whole: (reply, field) => reading.whole(reply[field], field),
    list: (reply, field) => reading.list(reply[field], field),
  };
}
