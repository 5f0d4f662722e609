import { AddressForm } from '../parts/address-form.tsx';
import { DeskSaid, Headline } from '../parts/notice.tsx';
import { plainName } from '../server/view.ts';
import { owed, type Recovery, type State, type StateProps } from './state.ts';
import { unknown } from './unknown.tsx';

/** Money waits for an address of its owner. */
export const refundAddress: State = (props) => {
  const { view, order } = props;
  const { words } = view;
  const { refundRecovery: recovery } = order;
  if (recovery?.phase !== 'address_required') return unknown(props);
  if (order.errorCode === WAITING_FOR_STOCK) return orWait(props, recovery);
  return {
    mood: 'attention',
    title: words.refund.title,
    body: (
      <>
        <Headline
          mood="attention"
          title={words.refund.title}
          line={words.refund.line(owed(view, recovery), recovery.chain)}
        />
        <p>{reasonOf(props, recovery)}</p>
        <DeskSaid text={order.errorMessage} />
        <RefundForm {...props} recovery={recovery} />
      </>
    ),
  };
};

/** The desk's word for an order that goes on by itself unless its owner takes the money back. */
const WAITING_FOR_STOCK = 'waiting_for_stock';

function orWait(props: StateProps, recovery: Recovery): ReturnType<State> {
  const { words } = props.view;
  const title = words.refund.stockTitle;
  return {
    mood: 'attention',
    title,
    body: (
      <>
        <Headline
          mood="attention"
          title={title}
          line={words.refund.stockLine(owed(props.view, recovery), recovery.chain)}
        />
        <RefundForm {...props} recovery={recovery} />
      </>
    ),
  };
}

export function RefundForm({ view, order, wrong, recovery }: StateProps & { readonly recovery: Recovery }) {
  const { words } = view;
  const isOurs = wrong?.field === 'refund-address';
  // What the customer named goes before the sender that the chain shows.
  const isOwn = recovery.suggestedAddress === order.refundAddress;
  return (
    <AddressForm
      view={view}
      order={order}
      kind="refund-address"
      label={words.refund.field(recovery.chain)}
      value={isOurs ? wrong.given : (recovery.suggestedAddress ?? '')}
      hint={recovery.suggestedAddress && (isOwn ? words.refund.own : words.refund.suggested)}
      error={isOurs ? wrong.text : undefined}
    />
  );
}

function reasonOf({ view, order }: StateProps, { kind, chain, chainId, asset }: Recovery): string {
  const { words, book } = view;
  if (kind !== 'wrong_chain') return order.status === 'expired' ? words.refund.late : words.refund.source;
  return chainId === order.fromChainId
    ? words.refund.wrongAsset(plainName(asset), plainName(order.fromSymbol))
    : words.refund.wrongChain(chain, book.chain(order.fromChainId).name);
}
