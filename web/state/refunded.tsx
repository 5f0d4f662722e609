import { DeskSaid, Facts, Headline } from '../parts/notice.tsx';
import { Transaction } from '../parts/transaction.tsx';
import { owed, returned, type State } from './state.ts';

export const refunded: State = ({ view, order }) => {
  const { words } = view;
  const recovery = returned(order);
  const line = recovery ? words.refunded.line(owed(view, recovery), recovery.chain) : words.refunded.plain;
  return {
    mood: 'done',
    title: words.refunded.title,
    body: (
      <>
        <Headline mood="done" title={words.refunded.title} line={line} />
        <Facts
          rows={[
            order.refundAddress !== null && [words.refunded.to, <bdi class="code">{order.refundAddress}</bdi>],
            order.refundTxHash !== null && [
              words.order.refundTx,
              <Transaction view={view} chainId={recovery?.chainId ?? order.fromChainId} hash={order.refundTxHash} />,
            ],
          ]}
        />
        <DeskSaid text={order.errorMessage} />
      </>
    ),
  };
};
