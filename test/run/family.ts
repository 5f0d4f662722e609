import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { FairWatch } from './machine.ts';
import { MARK } from './messages.ts';

/** A process that a test started, or that such a process started. */
export interface Member {
  readonly pid: number;
  readonly command: string;
  /** The test file that ran when it, or the one that it descends from, was started. */
  readonly file: string;
}

const LOOK_EVERY_MS = 100;
const SHOWN_CHARS = 120;
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * All that carry the mark in their environment, and what descends from those: a server may have overwritten its own. Parents
 * alone would not do, for who has lost his parent belongs to the system.
 */
export async function membersOf(mark: string): Promise<readonly Member[]> {
  // Also shows the environment, on Linux and on the BSDs alike.
  const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', 'pid=,ppid=,args='], {
    maxBuffer: MOST_OUTPUT_BYTES,
  });
  const listed = stdout.split('\n').flatMap((line) => {
    const [, pid, parent, text = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), text }];
  });
  const marked = new RegExp(` ${MARK}=\\S*${mark}:(\\S*)`);
  const members = listed.flatMap(({ pid, text }) => {
    const found = marked.exec(text);
    return found ? [{ pid, command: commandOf(text), file: found[1] ?? '' }] : [];
  });
  // The list grows while it is walked.
  for (const { pid, file } of members) {
    const children = listed.filter((one) => one.parent === pid && !members.some((known) => known.pid === one.pid));
    members.push(...children.map((child) => ({ pid: child.pid, command: commandOf(child.text), file })));
  }
  return members;
}

/** Without the environment behind it, which may hold secrets. */
function commandOf(text: string): string {
  return text.replace(/ [A-Za-z_]\w*=.*$/, '').slice(0, SHOWN_CHARS);
}

/** Resolves when all have gone, or to those that have not within so long on a free machine. */
export async function untilGone(mark: string, withinMs: number): Promise<readonly Member[]> {
  const watch = new FairWatch();
  for (;;) {
    const left = await membersOf(mark);
    if (left.length === 0 || watch.read() > withinMs) return left;
    await pause(LOOK_EVERY_MS);
  }
}

/** They have no say in it. */
export async function killAll(mark: string, withinMs: number): Promise<readonly Member[]> {
  const watch = new FairWatch();
  for (;;) {
    const left = await membersOf(mark);
    if (left.length === 0 || watch.read() > withinMs) return left;
    for (const { pid } of left) signal(pid, 'SIGKILL');
    await pause(LOOK_EVERY_MS);
  }
}

/** A negative number is a whole group. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It went by itself.
  }
}
