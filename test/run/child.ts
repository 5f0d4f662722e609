import { EventEmitter } from 'node:events';
import { beforeEach, describe } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { MARK, type Message, type Request } from './messages.ts';

/**
 * Runs the test files that it is given, one after the other, each as a suite: hooks and failed imports stay its own. A file is
 * not even loaded before those before it have ended, so that one that breaks the process is known.
 */
const [folder = '', mark = ''] = process.argv.slice(2);
/** Whatever tests write is in a folder of this process, which is removed after it. */
process.env.TMPDIR = folder;

/** More than any story begins together. */
const TESTS_AT_ONCE = 100;

process.on('disconnect', () => process.exit(1));
process.on('message', async (request: Request) => {
  if ('end' in request) {
    // node:test says now what it kept for the end, as it does when the process has nothing left to do; the reporter exits.
    process.emit('beforeExit', 0);
    return;
  }
  const { run } = request;
  process.env[MARK] = `${mark}:${run}`;
  await tell({ kind: 'begun' });
  void describe(run, async () => {
    // All that is known so far has left before a test begins, for it may never yield or break the process.
    withListeners(TESTS_AT_ONCE, () =>
      beforeEach(async () => {
        await turn();
        await tell({ kind: 'alive' });
      }),
    );
    await import(pathToFileURL(run).href);
  });
});

/** node:test gives a hook one signal, and every test that begins at the same moment listens to it: that many are no leak. */
function withListeners(count: number, make: () => void): void {
  const usual = EventEmitter.defaultMaxListeners;
  EventEmitter.defaultMaxListeners = count;
  make();
  EventEmitter.defaultMaxListeners = usual;
}

function tell(message: Message): Promise<unknown> {
  return new Promise((sent) => process.send?.(message, sent));
}
