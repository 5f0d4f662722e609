import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

/** Runs the test files given as arguments in this one process, each as a suite: hooks and failed imports stay its own. */
process.on('disconnect', () => process.exit(1));

for (const file of process.argv.slice(2)) {
  void describe(file, async () => {
    await import(pathToFileURL(file).href);
  });
}
