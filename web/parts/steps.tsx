import type { VNode } from 'preact';
import type { View } from '../server/view.ts';

export const STEPS = ['deposit_seen', 'confirming', 'funding', 'executing', 'paying_out'] as const;
export type Step = (typeof STEPS)[number];

/** Five steps with the current one. */
export function Steps({ view, step }: { readonly view: View; readonly step: Step }): VNode {
  const { words } = view;
  const at = STEPS.indexOf(step);
  return (
    <ol class="steps" aria-label={words.processing.stepsLabel}>
      {STEPS.map((one, place) => (
        <li class={place < at ? 'done' : place === at ? 'now' : ''} aria-current={place === at ? 'step' : undefined}>
          <span>{words.processing.steps[one]}</span>
          {place <= at && <span class="unseen">{place < at ? words.processing.done : words.processing.current}</span>}
        </li>
      ))}
    </ol>
  );
}
