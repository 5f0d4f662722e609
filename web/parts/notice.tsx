import type { ComponentChildren, VNode } from 'preact';
import type { Mood } from '../server/qr.ts';

/** The headline of a state, and one sentence on what happens next and who must act. */
export function Headline({
  mood,
  title,
  line,
}: {
  readonly mood: Mood;
  readonly title: string;
  readonly line: ComponentChildren;
}): VNode {
  return (
    <div class={`headline ${mood}`}>
      <h1>{title}</h1>
      <p>{line}</p>
    </div>
  );
}

export const Note = ({
  children,
  level = 'info',
}: {
  readonly children: ComponentChildren;
  readonly level?: 'info' | 'warning';
}): VNode => <p class={`note ${level}`}>{children}</p>;

/** The desk's own sentence, in the language of its contract. */
export const DeskSaid = ({ text }: { readonly text: string | null }): VNode | null =>
  text ? (
    <p class="hint">
      <bdi lang="en">{text}</bdi>
    </p>
  ) : null;

export type FactRows = readonly (readonly [string, ComponentChildren] | undefined | false | null)[];

/** Pairs of a name and what it is; brief ones stand on one line, at any width. */
export function Facts({ rows, look }: { readonly rows: FactRows; readonly look?: 'big' | 'brief' }): VNode | null {
  const known = rows.filter((row) => !!row);
  if (known.length === 0) return null;
  return (
    <dl class={look ? `facts ${look}` : 'facts'}>
      {known.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? <bdi>{value}</bdi> : value}</dd>
        </div>
      ))}
    </dl>
  );
}
