import { AddressForm } from '../parts/address-form.tsx';
import { DeskSaid, Headline } from '../parts/notice.tsx';
import type { State } from './state.ts';

/** The destination refuses the payment: another one, once, or the money back. */
export const payoutAddress: State = ({ view, order, wrong }) => {
  const { words, book } = view;
  const chain = book.chain(order.deliveredToken?.chainId ?? order.toChainId).name;
  const errorOf = (field: string) => (wrong?.field === field ? wrong : undefined);
  return {
    mood: 'attention',
    title: words.payout.title,
    body: (
      <>
        <Headline mood="attention" title={words.payout.title} line={words.payout.line} />
        <DeskSaid text={order.errorMessage} />
        <AddressForm
          view={view}
          order={order}
          kind="payout-address"
          label={words.payout.field(chain)}
          value={errorOf('payout-address')?.given ?? ''}
          error={errorOf('payout-address')?.text}
        />
        <details open={errorOf('refund-address') !== undefined}>
          <summary>{words.payout.instead}</summary>
          <AddressForm
            view={view}
            order={order}
            kind="refund-address"
            label={words.refund.field(chain)}
            value={errorOf('refund-address')?.given ?? ''}
            error={errorOf('refund-address')?.text}
          />
        </details>
      </>
    ),
  };
};
