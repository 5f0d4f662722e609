import type { VNode } from 'preact';
import { showTime, type View } from '../server/view.ts';

/** A moment as a time, and with script as what is left until then. */
export const Deadline = ({ view, at }: { readonly view: View; readonly at: string }): VNode => (
  <span>
    <bdi>
      <time dateTime={at}>{showTime(view, at)}</time>
    </bdi>{' '}
    <count-down data-until={at} data-now={new Date(view.now).toISOString()} hidden />
  </span>
);
