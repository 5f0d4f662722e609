import { readFile } from 'node:fs/promises';
import { Fault } from '../../../kernel/fault.ts';
import type { Screen } from '../screen.ts';

/** One address a line, `#` starts a comment. Read anew at every question, so that an operator's edit counts at once. */
export function denyList(file: string): Screen {
  return async (_, addresses) => {
    const listed = await readList(file);
    return addresses.some((address) => listed.has(address.toLowerCase())) ? 'hit' : 'clear';
  };
}

async function readList(file: string): Promise<ReadonlySet<string>> {
  try {
    const text = await readFile(file, 'utf8');
    return new Set(
      text
        .split('\n')
        .map((line) => line.replace(/#.*/, '').trim().toLowerCase())
        .filter(Boolean),
    );
  } catch (error) {
    throw new Fault('transient', 'screening', 'the deny list cannot be read', error);
  }
}
