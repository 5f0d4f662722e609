import { Deadline } from '../parts/deadline.tsx';
import { DepositPanel } from '../parts/deposit.tsx';
import { Facts, Headline, Note } from '../parts/notice.tsx';
import { showTime } from '../server/view.ts';
import { asked, inDeposited, restOf, type State } from './state.ts';

/** Part of what was asked for is there. The rest may follow, or the order goes on without it. */
export const belowExpected: State = ({ view, order }) => {
  const { words, base } = view;
  const { observedDepositAmount: arrived, topUpUntil = order.expiresAt } = order.customerState;
  const rest = restOf(order.depositAmount, arrived);
  return {
    mood: 'attention',
    title: words.notice.partTitle,
    body: (
      <>
        <Headline
          mood="attention"
          title={words.notice.partTitle}
          line={words.notice.partLine(inDeposited(order, rest), showTime(view, topUpUntil))}
        />
        <Facts
          rows={[
            [words.notice.arrived, inDeposited(order, arrived ?? '0')],
            [words.notice.asked, asked(order)],
            [words.order.deadline, <Deadline view={view} at={topUpUntil} />],
          ]}
        />
        <DepositPanel view={view} order={order} atoms={rest} label={words.notice.rest} />
        <Note>{words.notice.partThen(view.rules.continueFromUsd)}</Note>
        <form method="post" action={`${base}/order/${order.orderId}/go-on`} class="action">
          <button type="submit" class="button quiet">
            {words.notice.goOn}
          </button>
          <p class="hint">{words.notice.goOnHint}</p>
        </form>
      </>
    ),
  };
};
