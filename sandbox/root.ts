import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's own folder, from source and from the bundle alike: the nearest one above that has a package. */
export const ROOT = above(fileURLToPath(import.meta.url));

function above(path: string): string {
  const folder = dirname(path);
  return existsSync(join(folder, 'package.json')) || folder === path ? folder : above(folder);
}
