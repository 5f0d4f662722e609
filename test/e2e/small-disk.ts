import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const MEGABYTES = 64;

/** A file system of its own, small enough to be full. */
export interface SmallDisk {
  /** To the last byte. */
  fill(): void;
  makeRoom(): void;
  unmount(): void;
}

/** In words why not, where this machine lets nobody mount one. */
export function mountSmallDisk(path: string): SmallDisk | string {
  if (process.getuid?.() !== 0) return 'only root can mount a disk that is full';
  const { status, stderr } = spawnSync(
    'mount',
    ['-t', 'tmpfs', '-o', `size=${MEGABYTES}m,mode=0755`, 'small-disk', path],
    { encoding: 'utf8' },
  );
  if (status !== 0) return `no disk can be mounted here: ${stderr.trim()}`;
  const ballast = join(path, 'ballast');
  return {
    fill() {
      const file = openSync(ballast, 'w');
      const megabyte = Buffer.alloc(1 << 20);
      try {
        for (;;) writeSync(file, megabyte);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => rmSync(ballast),
    unmount: () => void spawnSync('umount', [path]),
  };
}
