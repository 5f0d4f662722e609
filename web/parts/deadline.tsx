import type { VNode } from 'preact';
import { showTime, type View } from '../server/view.ts';

/** A moment; it reads from the left in every language, as an amount does. */
export const Moment = ({ view, at }: { readonly view: View; readonly at: string }): VNode => (
  <bdi>
    <time dateTime={at}>{showTime(view, at)}</time>
  </bdi>
);

/** A moment as a time, and with script as what is left until then. */
export const Deadline = ({ view, at }: { readonly view: View; readonly at: string }): VNode => (
  <span>
    <Moment view={view} at={at} /> <count-down data-until={at} data-now={new Date(view.now).toISOString()} hidden />
  </span>
);
