import { AssertionError } from 'node:assert';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

/** What the process that runs the tests tells the one that counts and prints. */
export type Message =
  | { readonly kind: 'started'; readonly name: string; readonly nesting: number }
  | { readonly kind: 'passed'; readonly name: string }
  | { readonly kind: 'failed'; readonly name: string; readonly error: string }
  /** An error after the end of the test that caused it. */
  | { readonly kind: 'stray'; readonly error: string }
  | { readonly kind: 'left_out'; readonly name: string; readonly why: string }
  | { readonly kind: 'file_ended'; readonly name: string; readonly ms: number };

// biome-ignore lint/style/noDefaultExport: node:test loads a reporter by its default export.
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    // Waiting for each to leave is what makes sure that none is lost when the process ends.
    for (const message of messages(event)) await new Promise((sent) => process.send?.(message, sent));
  }
  yield '';
}

function messages({ type, data }: TestEvent): readonly Message[] {
  if (type === 'test:dequeue') return [{ kind: 'started', name: data.name, nesting: data.nesting }];
  if (type === 'test:diagnostic') {
    // node:test tells errors that no running test can be blamed for as remarks.
    return data.message.startsWith('Error') ? [{ kind: 'stray', error: data.message }] : [];
  }
  if (type !== 'test:pass' && type !== 'test:fail') return [];
  const { name, nesting } = data;
  const fileEnded: Message[] = nesting === 0 ? [{ kind: 'file_ended', name, ms: data.details.duration_ms }] : [];
  if (type === 'test:fail') return [...failure(name, data.details.error), ...fileEnded];
  if (data.skip) return [{ kind: 'left_out', name, why: String(data.skip) }];
  return data.details.type === 'suite' ? fileEnded : [{ kind: 'passed', name }];
}

/** A suite that fails only because a test in it did is not one more failure. */
function failure(name: string, error: Error & { readonly failureType?: string }): Message[] {
  return error.failureType === 'subtestsFailed' ? [] : [{ kind: 'failed', name, error: explain(error.cause ?? error) }];
}

/** An assertion says in its message what it compared; any other error is shown with all that it carries. */
function explain(error: unknown): string {
  const text = error instanceof AssertionError && error.stack ? error.stack : inspect(error);
  return text.replace(/\n\s+at .*(?:node:|<anonymous>\)$).*/gm, '');
}
