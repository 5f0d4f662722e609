import type { VNode } from 'preact';

const GROUP = 4;

/** In groups of four that are set apart by style alone, so that what is selected and copied has no spaces in it. */
export function Address({ text }: { readonly text: string }): VNode {
  const groups = text.match(new RegExp(`.{1,${GROUP}}`, 'gsu')) ?? [];
  return (
    <bdi class="address code">
      {groups.map((group) => (
        <span>{group}</span>
      ))}
    </bdi>
  );
}
