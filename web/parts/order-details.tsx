import type { VNode } from 'preact';
import type { Fill, SwapOrder } from '../../sdk/src/index.ts';
import { money, originOf, showTime, type View } from '../server/view.ts';
import { Copy } from './amount.tsx';
import { Facts } from './notice.tsx';
import { Transaction } from './transaction.tsx';

/** About what is paid out, and on which network. */
export const receives = (
  { words, book }: View,
  { expectedOutput, toDecimals, toSymbol, toChainId }: SwapOrder,
): string => `${words.quote.about(money(expectedOutput, toDecimals, toSymbol))} · ${book.chain(toChainId).name}`;

/** Everything else that is known of an order, behind a fold. */
export function OrderDetails({
  view,
  order,
  isOpen = false,
}: {
  readonly view: View;
  readonly order: SwapOrder;
  readonly isOpen?: boolean;
}): VNode {
  const { words, book } = view;
  const from = book.chain(order.fromChainId).name;
  const to = book.chain(order.toChainId).name;
  const when = (iso: string) => <time dateTime={iso}>{showTime(view, iso)}</time>;
  return (
    <details class="card" open={isOpen}>
      <summary>{words.order.details}</summary>
      <Facts
        rows={[
          [words.order.number, <bdi class="code">{order.orderId}</bdi>],
          [
            words.order.youSend,
            order.product === 'swap'
              ? `${money(order.depositAmount, order.fromDecimals, order.fromSymbol)} · ${from}`
              : `${order.fromSymbol} · ${from}`,
          ],
          [words.order.youReceive, order.product === 'swap' ? receives(view, order) : `${order.toSymbol} · ${to}`],
          [words.order.paidTo, <bdi class="code">{order.toAddress}</bdi>],
          [words.order.created, when(order.createdAt)],
          [words.order.deadline, when(order.expiresAt)],
          order.depositTxHash !== null && [
            words.order.depositTx,
            <Transaction view={view} chainId={order.fromChainId} hash={order.depositTxHash} />,
          ],
          order.payoutTxHash !== null && [
            words.order.payoutTx,
            <Transaction view={view} chainId={order.toChainId} hash={order.payoutTxHash} />,
          ],
          order.refundTxHash !== null && [
            words.order.refundTx,
            <Transaction
              view={view}
              chainId={order.refundRecovery?.chainId ?? order.fromChainId}
              hash={order.refundTxHash}
            />,
          ],
          [words.order.track, <TrackLink view={view} order={order} />],
        ]}
      />
      {order.hlFills.length > 0 && <Fills view={view} fills={order.hlFills.slice(0, FEW)} />}
      {order.hlFills.length > FEW && <a href={`${view.base}/order/${order.orderId}/fills`}>{words.order.older}</a>}
    </details>
  );
}

const FEW = 5;

function TrackLink({ view, order }: { readonly view: View; readonly order: SwapOrder }): VNode {
  const { words, base } = view;
  const path = `${base}/track/${order.trackingUrl.split('/').at(-1)}`;
  return (
    <span>
      <a href={path}>{words.nav.status}</a> · <a href={`${path}.atom`}>{words.order.feed}</a>{' '}
      <Copy view={view} text={`${originOf(view)}${path}`} label={words.order.track} />
      <small>{words.order.trackHint}</small>
    </span>
  );
}

export function Fills({ view, fills }: { readonly view: View; readonly fills: readonly Fill[] }): VNode {
  const { words } = view;
  return (
    <table>
      <caption>{words.order.fills}</caption>
      <thead>
        <tr>
          <th>{words.order.created}</th>
          <th>{words.order.price}</th>
          <th>{words.order.size}</th>
        </tr>
      </thead>
      <tbody>
        {fills.map((fill) => (
          <tr>
            <td>{showTime(view, fill.executedAt)}</td>
            <td>{fill.price}</td>
            <td>{fill.size}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
