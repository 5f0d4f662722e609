import { DeskSaid, Headline } from '../parts/notice.tsx';
import type { State } from './state.ts';

export const preparingRefund: State = ({ view, order }) => {
  const { words } = view;
  return {
    mood: 'working',
    title: words.paused.refundTitle,
    body: (
      <>
        <Headline mood="working" title={words.paused.refundTitle} line={words.paused.refundLine} />
        <DeskSaid text={order.errorMessage} />
      </>
    ),
  };
};
