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

/** Pairs of a name and what it is. */
export function Facts({
  rows,
  big,
}: {
  readonly rows: readonly (readonly [string, ComponentChildren] | undefined | false | null)[];
  readonly big?: boolean;
}): VNode {
  return (
    <dl class={big ? 'facts big' : 'facts'}>
      {rows
        .filter((row) => !!row)
        .map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? <bdi>{value}</bdi> : value}</dd>
          </div>
        ))}
    </dl>
  );
}
