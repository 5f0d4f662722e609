import { AssertionError } from 'node:assert';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import type { Message } from './messages.ts';

// biome-ignore lint/style/noDefaultExport: node:test loads a reporter by its default export.
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) for (const message of messages(event)) process.send?.(message);
  // They leave in order: when this one has left, none is lost.
  await new Promise((sent) => process.send?.({ kind: 'ended' } satisfies Message, sent));
  // What tests left open does not hold the process; what they left running is looked for from outside.
  process.exit();
  yield '';
}

function messages({ type, data }: TestEvent): readonly Message[] {
  if (type === 'test:diagnostic') {
    // node:test tells errors that no running test can be blamed for as remarks.
    return data.message.startsWith('Error') ? [{ kind: 'stray', error: data.message }] : [];
  }
  if (type === 'test:enqueue') return [{ kind: 'queued', name: data.name, nesting: data.nesting }];
  if (type === 'test:dequeue') return [{ kind: 'started', name: data.name, nesting: data.nesting }];
  if (type === 'test:complete') {
    const { name, nesting, details } = data;
    if (isCountedInside(details)) return [{ kind: 'counted_inside', name, nesting }];
    const { error } = details;
    return [{ kind: 'over', name, nesting, error: error && explain(error.cause ?? error) }];
  }
  if (type !== 'test:pass' && type !== 'test:fail') return [];
  const { name, nesting, details } = data;
  const fileEnded: Message[] = nesting === 0 ? [{ kind: 'file_ended', ms: details.duration_ms }] : [];
  if (isCountedInside(details)) return [{ kind: 'counted_inside', name, nesting }, ...fileEnded];
  const { error } = details as Details;
  if (error) return [{ kind: 'failed', name, nesting, error: explain(error.cause ?? error) }, ...fileEnded];
  if (data.skip) return [{ kind: 'left_out', name, nesting, why: String(data.skip) }, ...fileEnded];
  return [{ kind: 'passed', name, nesting }, ...fileEnded];
}

interface Details {
  readonly type?: string | undefined;
  readonly error?: Error & { readonly failureType?: string };
}

/** A suite is no test, and what fails only because a test in it did is not one more failure. */
function isCountedInside({ type, error }: Details): boolean {
  return error === undefined ? type === 'suite' : error.failureType === 'subtestsFailed';
}

/** An assertion says in its message what it compared; any other error is shown with all that it carries. */
function explain(error: unknown): string {
  const text = error instanceof AssertionError && error.stack ? error.stack : inspect(error);
  return text.replace(/\n\s+at .*(?:node:|<anonymous>\)$).*/gm, '');
}
