import type { VNode } from 'preact';
import type { SwapOrder } from '../../sdk/src/index.ts';
import { Facts, Headline } from '../parts/notice.tsx';
import { Transaction } from '../parts/transaction.tsx';
import { delivered, money, plainName, showSeconds, type View } from '../server/view.ts';
import type { State } from './state.ts';

export const completed: State = ({ view, order }) => {
  const { words } = view;
  const { deliveredToken: other } = order;
  const isLost = 'coinflipLost' in order && order.coinflipLost === true;
  const paid = delivered(order);
  const seconds =
    order.completedAt === null ? undefined : (Date.parse(order.completedAt) - Date.parse(order.createdAt)) / 1000;
  return {
    mood: 'done',
    title: words.done.title,
    body: (
      <>
        <Headline
          mood="done"
          title={words.done.title}
          line={isLost ? words.done.coinflipLost : paid === undefined ? '' : words.done.line(paid)}
        />
        {other && <p class="note info">{words.done.other(plainName(other.symbol))}</p>}
        <Facts
          rows={[
            paid !== undefined &&
              !order.bridgeSettlement && [
                words.done.delivered,
                <strong>
                  <bdi>{paid}</bdi>
                </strong>,
              ],
            order.product === 'swap' && [
              words.done.asked,
              money(order.expectedOutput, order.toDecimals, order.toSymbol),
            ],
            !isLost && [words.order.paidTo, <bdi class="code">{order.toAddress}</bdi>],
            order.payoutTxHash !== null && [
              words.order.payoutTx,
              <Transaction view={view} chainId={other?.chainId ?? order.toChainId} hash={order.payoutTxHash} />,
            ],
            seconds !== undefined && [words.done.took, showSeconds(view, seconds)],
          ]}
        />
        <Settlement view={view} order={order} />
        <p class="next">
          {order.product === 'bridge' ? (
            <a class="button quiet" href={`${view.base}/bridge`}>
              {words.order.anotherBridge}
            </a>
          ) : (
            <a class="button quiet" href={`${view.base}/`}>
              {words.order.another}
            </a>
          )}
        </p>
      </>
    ),
  };
};

function Settlement({ view, order }: { readonly view: View; readonly order: SwapOrder }): VNode | null {
  const { words } = view;
  const { bridgeSettlement: settled } = order;
  if (!settled) return null;
  const shown = ({
    amount,
    decimals,
    symbol,
  }: {
    readonly amount: string;
    readonly decimals: number;
    readonly symbol: string;
  }) => money(amount, decimals, symbol);
  return (
    <>
      <h2>{words.done.settled}</h2>
      <Facts
        rows={[
          [words.done.input, shown(settled.input)],
          settled.fee && [words.done.fee, shown(settled.fee)],
          [words.done.output, shown(settled.output)],
        ]}
      />
    </>
  );
}
