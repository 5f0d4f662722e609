import type { VNode } from 'preact';
import type { View } from '../server/view.ts';
import { Field } from './field.tsx';

interface AskProps {
  readonly view: View;
  readonly title: string;
  readonly line: string;
  readonly error?: string | undefined;
}

export function AskForCode({ view, title, line, error }: AskProps): VNode {
  const { words, base } = view;
  return (
    <div class="narrow">
      <section class="card">
        <h1>{title}</h1>
        <p>{line}</p>
        <form method="post" action={`${base}/recover`} class="action">
          <Field
            name="code"
            label={words.recovery.enter}
            hint={words.recovery.openLine}
            error={error}
            isCode
            isLong
            required
          />
          <button type="submit" class="button">
            {words.recovery.open}
          </button>
        </form>
      </section>
    </div>
  );
}
