/** A broken invariant: the job stops, the order keeps its last good state, a person is told. */
export class Bug extends Error {
  override readonly name = 'Bug';
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Bug(message);
}

/** For the branch that the types say cannot be reached. */
export function unreachable(value: never): never {
  throw new Bug(`unreachable: ${JSON.stringify(value)}`);
}

/** The value, where the reader can see why it must be there. */
export function present<T>(value: T | undefined | null, what: string): T {
  assert(value !== undefined && value !== null, `missing: ${what}`);
  return value;
}
