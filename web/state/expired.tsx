import { Headline } from '../parts/notice.tsx';
import type { State } from './state.ts';

export const expired: State = ({ view, order }) => {
  const { words, base } = view;
  return {
    mood: 'idle',
    title: words.expired.title,
    body: (
      <>
        <Headline mood="idle" title={words.expired.title} line={words.expired.line} />
        <form method="post" action={`${base}/order/${order.orderId}/again`} class="action">
          <input type="hidden" name="key" value={order.orderId} />
          <button type="submit" class="button">
            {words.expired.no}
          </button>
        </form>
        <p>{words.expired.sent}</p>
      </>
    ),
  };
};
