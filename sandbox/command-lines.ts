import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Small images have no `ps`, and other systems than Linux no /proc; where there is neither, nothing is known. */
const SOURCES = { proc: '/proc', ps: 'ps' };
const LONGEST_LIST_BYTES = 64 * 1024 * 1024;

/** Of one process; empty once it has ended, even if nobody has collected it yet. */
export async function commandLine(pid: number, { proc, ps } = SOURCES): Promise<string> {
  return existsSync(`${proc}/self/cmdline`)
    ? readFile(`${proc}/${pid}/cmdline`, 'utf8').catch(() => '')
    : output(ps, ['-ww', '-o', 'command=', '-p', `${pid}`]);
}

/** By pid, of every process that may be seen. */
export async function commandLines({ proc, ps } = SOURCES): Promise<ReadonlyMap<number, string>> {
  if (existsSync(`${proc}/self/cmdline`)) {
    const pids = (await readdir(proc)).map(Number).filter((pid) => pid > 0);
    return new Map(await Promise.all(pids.map(async (pid) => [pid, await commandLine(pid, { proc, ps })] as const)));
  }
  const listed = (await output(ps, ['-eww', '-o', 'pid=,command='])).matchAll(/^ *(\d+) (.*)$/gm);
  return new Map(Array.from(listed, ([, pid, command = '']) => [Number(pid), command] as const));
}

async function output(program: string, args: readonly string[]): Promise<string> {
  const asked = promisify(execFile)(program, args, { maxBuffer: LONGEST_LIST_BYTES });
  return asked.then(
    ({ stdout }) => stdout,
    () => '',
  );
}
