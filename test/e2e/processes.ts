import { execFileSync } from 'node:child_process';

export interface Listed {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

function everyProcess(): Listed[] {
  const lines = execFileSync('ps', ['-eww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim().split('\n');
  return lines.flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return command === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}

/** All that descends from a process, itself included. */
export function familyOf(pid: number): Listed[] {
  const all = everyProcess();
  const family = all.filter((one) => one.pid === pid);
  for (const member of family) family.push(...all.filter(({ parent }) => parent === member.pid));
  return family;
}

/** Those of them that still run. */
export const left = (family: readonly Listed[]): Listed[] =>
  everyProcess().filter(({ pid, command }) => family.some((one) => one.pid === pid && one.command === command));
