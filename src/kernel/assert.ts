/** A broken invariant: the job stops, the order keeps its last good state, a person is told. */
export class Bug extends Error {
  override readonly name = 'Bug';
}

/** Where every amount passes, the message is a function: to spell a bigint out costs more than what is asserted. */
export function assert(condition: unknown, message: string | (() => string)): asserts condition {
  if (!condition) throw new Bug(typeof message === 'string' ? message : message());
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
