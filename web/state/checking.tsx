import { Facts, Headline } from '../parts/notice.tsx';
import { inDeposited, type State } from './state.ts';

export const checking: State = ({ view, order }) => {
  const { words } = view;
  const arrived = order.customerState.observedDepositAmount ?? order.observedDepositAmount;
  return {
    mood: 'working',
    title: words.notice.checkTitle,
    body: (
      <>
        <Headline mood="working" title={words.notice.checkTitle} line={words.notice.checkLine} />
        {arrived !== undefined && <Facts rows={[[words.notice.arrived, inDeposited(order, arrived)]]} />}
      </>
    ),
  };
};
