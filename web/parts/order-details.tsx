import type { VNode } from 'preact';
import type { Fill, SwapOrder } from '../../sdk/src/index.ts';
import { delivered, money, originOf, type View } from '../server/view.ts';
import { Copy } from './amount.tsx';
import { Moment } from './deadline.tsx';
import { type FactRows, Facts } from './notice.tsx';
import { Transaction } from './transaction.tsx';

/** About what is paid out, and on which network. */
export const receives = (
  { words, book }: View,
  { expectedOutput, toDecimals, toSymbol, toChainId }: SwapOrder,
): string => `${words.quote.about(money(expectedOutput, toDecimals, toSymbol))} · ${book.chain(toChainId).name}`;

/** Everything else that is known of an order, behind a fold. */
export function OrderDetails({ view, order }: OrderProps): VNode {
  const { words } = view;
  return (
    <details class="card">
      <summary>{words.order.details}</summary>
      <OrderFacts view={view} order={order} more={[[words.order.track, <TrackLink view={view} order={order} />]]} />
      {order.hlFills.length > 0 && <Fills view={view} fills={order.hlFills.slice(0, FEW)} />}
      {order.hlFills.length > FEW && <a href={`${view.base}/order/${order.orderId}/fills`}>{words.order.older}</a>}
    </details>
  );
}

interface OrderProps {
  readonly view: View;
  readonly order: SwapOrder;
}

/** What was ordered, when, and by which payments; what was delivered instead of what was expected, once that is known. */
export function OrderFacts({ view, order, more = [] }: OrderProps & { readonly more?: FactRows }): VNode | null {
  const { words, book } = view;
  const from = book.chain(order.fromChainId).name;
  const to = book.chain(order.toChainId).name;
  const paid = delivered(order);
  return (
    <Facts
      rows={[
        [words.order.number, <bdi class="code">{order.orderId}</bdi>],
        [
          words.order.youSend,
          order.product === 'swap'
            ? `${money(order.depositAmount, order.fromDecimals, order.fromSymbol)} · ${from}`
            : `${order.fromSymbol} · ${from}`,
        ],
        paid === undefined
          ? [words.order.youReceive, order.product === 'swap' ? receives(view, order) : `${order.toSymbol} · ${to}`]
          : [words.done.delivered, `${paid} · ${to}`],
        [words.order.paidTo, <bdi class="code">{order.toAddress}</bdi>],
        [words.order.created, <Moment view={view} at={order.createdAt} />],
        [words.order.deadline, <Moment view={view} at={order.expiresAt} />],
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
        ...more,
      ]}
    />
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
            <td>
              <Moment view={view} at={fill.executedAt} />
            </td>
            <td>{fill.price}</td>
            <td>{fill.size}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
