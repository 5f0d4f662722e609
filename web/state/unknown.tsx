import { Facts, Headline } from '../parts/notice.tsx';
import { asked, type State } from './state.ts';

/** A state that this page does not know: what is known, and no button that leads nowhere. */
export const unknown: State = ({ view, order }) => {
  const { words } = view;
  const { kind, action, notice, reason } = order.customerState;
  return {
    mood: 'working',
    title: words.order.unknownTitle,
    body: (
      <>
        <Headline mood="working" title={words.order.unknownTitle} line={words.order.unknownLine} />
        <Facts
          rows={[
            [
              words.nav.status,
              <bdi class="code">{[order.status, kind, action ?? notice ?? reason].filter(Boolean).join(' · ')}</bdi>,
            ],
            [words.order.youSend, asked(order)],
          ]}
        />
      </>
    ),
  };
};
