import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';

/** So ends what anvil has written to its end, and nothing within it: states come last, and of a state the hashes of its blocks. */
const END = '}}]]}';
/** A file that has rested for so long is not being written any more. */
const RESTED_MS = 1_500;
const LOOK_EVERY_MS = 1_000;

export interface AnvilState {
  /** Where a node is to write. */
  readonly beside: string;
  /** Before a node starts: what it goes on from, if there is anything. */
  begin(): string | undefined;
  /** When it has ended. */
  end(): void;
}

/**
 * The file in which a node's chain is kept. Anvil writes over what it wrote before, and whoever kills it meanwhile leaves half a chain: so it
 * writes beside the file, and what is whole takes the file's place.
 */
export function keepAnvilState(file: string): AnvilState {
  const beside = `${file}.new`;
  const take = (): void => {
    if (isWhole(beside)) renameSync(beside, file);
  };
  const looking = setInterval(() => {
    if (existsSync(beside) && Date.now() - statSync(beside).mtimeMs > RESTED_MS) take();
  }, LOOK_EVERY_MS).unref();
  return {
    beside,
    begin() {
      take();
      rmSync(beside, { force: true });
      return existsSync(file) ? file : undefined;
    },
    end() {
      clearInterval(looking);
      take();
    },
  };
}

function isWhole(path: string): boolean {
  if (!existsSync(path)) return false;
  const file = openSync(path, 'r');
  try {
    const last = Buffer.alloc(END.length);
    readSync(file, last, 0, last.length, Math.max(0, fstatSync(file).size - last.length));
    return last.toString() === END;
  } finally {
    closeSync(file);
  }
}
