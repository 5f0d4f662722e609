import type { VNode } from 'preact';
import type { SwapOrder } from '../../sdk/src/index.ts';
import type { View } from '../server/view.ts';
import { Field } from './field.tsx';

interface AddressFormProps {
  readonly view: View;
  readonly order: SwapOrder;
  readonly kind: 'refund-address' | 'payout-address';
  readonly label: string;
  readonly value: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
}

/** One field. A second page asks whether it is right, because it cannot be changed afterwards. */
export const AddressForm = ({ view, order, kind, label, value, hint, error }: AddressFormProps): VNode => (
  <form method="post" action={`${view.base}/order/${order.orderId}/${kind}`} class="action">
    <Field name={kind} label={label} value={value} hint={hint} error={error} required isCode />
    <button type="submit" class="button">
      {view.words.refund.check}
    </button>
  </form>
);
