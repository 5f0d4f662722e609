import type { VNode } from 'preact';
import type { View } from '../server/view.ts';

/** A part of a list that came whole; its places are numbers. */
export function partOf<T>(
  all: readonly T[],
  query: URLSearchParams,
  size: number,
): { readonly rows: readonly T[]; readonly next: string | null } {
  const asked = /^\d{1,4}$/.exec(query.get('cursor') ?? '')?.[0] ?? '0';
  const first = Number.parseInt(asked, 10);
  return { rows: all.slice(first, first + size), next: first + size < all.length ? `${first + size}` : null };
}

/** A way to older rows, and back to the newest. */
export function Pager({
  view,
  path,
  query,
  next,
}: {
  readonly view: View;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly next: string | null;
}): VNode | null {
  const at = (cursor: string | undefined) => {
    const fields = new URLSearchParams([...query].filter(([name, value]) => name !== 'cursor' && value !== ''));
    if (cursor !== undefined) fields.set('cursor', cursor);
    return `${view.base}${path}${fields.size > 0 ? `?${fields}` : ''}`;
  };
  if (next === null && !query.has('cursor')) return null;
  return (
    <p class="pager">
      {query.has('cursor') && <a href={at(undefined)}>{view.words.partners.newest}</a>}
      {next !== null && <a href={at(next)}>{view.words.partners.older}</a>}
    </p>
  );
}
