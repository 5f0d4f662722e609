import type { VNode } from 'preact';
import { showAtoms } from '../server/forms.ts';
import { plainName, type View } from '../server/view.ts';

interface AmountProps {
  readonly atoms: string | bigint;
  readonly decimals: number;
  readonly symbol: string;
}

/** Exact, never rounded; a line may break before the unit and nowhere else. */
export const Amount = ({ atoms, decimals, symbol }: AmountProps): VNode => (
  <span class="amount" dir="ltr">
    <bdi>{showAtoms(atoms, decimals)}</bdi> <bdi class="unit">{plainName(symbol)}</bdi>
  </span>
);

/** Text to take along whole. The button is of use with script only, and is shown by it. */
export const Copy = ({
  view,
  text,
  label,
}: {
  readonly view: View;
  readonly text: string;
  readonly label: string;
}): VNode => (
  <copy-text data-text={text} data-done={view.words.order.copied}>
    <button type="button" class="quiet" hidden aria-label={`${view.words.order.copy}: ${label}`}>
      {view.words.order.copy}
    </button>
  </copy-text>
);
