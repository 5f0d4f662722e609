import type { Batch } from './batch.ts';

/** `unit` for test/unit/amount.test.ts, `tidy` for test/tidy.test.ts. */
export function groupOf(path: string): string {
  return path.split(/[/.]/)[1] ?? '';
}

const e2e = (...names: string[]) => names.map((name) => `test/e2e/${name}.test.ts`);

/**
 * Stories that one sandbox can tell one after the other. Each begins with a world in order (`sharedBox`), but some things
 * cannot be undone: who looks at the clock comes first, who wants no case to be open comes before those who make one, and a
 * customer who was put on the deny list stays on it, so that this comes last. The second list begins with those that need no
 * sandbox or one of their own, so that no more than two run at once, and two do not start at once.
 */
export const ONE_SANDBOX: readonly (readonly string[])[] = [
  e2e('every-route', 'bridges', 'providers-fail', 'reorganised', 'stock-levels', 'the-world-fails'),
  [
    ...e2e('faults', 'refuses-to-start', 'supervisor', 'stops-and-resumes'),
    ...e2e('sandbox', 'killed-at-any-moment-pays-once', 'what-customers-do', 'twap', 'recovery', 'listed-senders'),
  ],
];

/** As long as all else of a lane: begun first of all, and by itself. */
export const LONGEST = 'test/crash/killed-at-every-call-pays-once.test.ts';
/** A group is one batch. What takes longest is begun first, so that no lane works alone at the end; the rest follows. */
const LONGEST_FIRST = ['crash', 'nodes', 'browser', 'sim', 'life'];

/** What is run in one process after the other; every path is in one batch. */
export function plan(paths: readonly string[]): readonly Batch[] {
  const shared = ONE_SANDBOX.map((files) => files.filter((path) => paths.includes(path)));
  const alone = paths.filter((path) => path !== LONGEST && !ONE_SANDBOX.some((files) => files.includes(path)));
  const groups = [...new Set([...LONGEST_FIRST, ...alone.map(groupOf)])];
  return [
    { files: paths.filter((path) => path === LONGEST) },
    ...shared.map((files): Batch => ({ files, isFreshAfterFailure: true })),
    ...groups.map((group): Batch => ({ files: alone.filter((path) => groupOf(path) === group) })),
  ].filter(({ files }) => files.length > 0);
}
