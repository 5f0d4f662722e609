import type { VNode } from 'preact';
import { Contact } from '../parts/contact.tsx';
import { Facts } from '../parts/notice.tsx';
import { RefundForm } from './refund-address.tsx';
import { owed, returned, type StateProps } from './state.ts';

/** A refund runs beside any state, a completed one included; its form too, where the state itself does not ask. */
export function RefundBeside(props: StateProps): VNode | null {
  const { view, order } = props;
  const { words } = view;
  const { refundRecovery: first, refundRecoveries, customerState } = order;
  const isAsked = customerState.kind === 'action_required' && customerState.action === 'refund_address';
  // What the state itself tells or asks about is not told twice; one address is asked at a time.
  const told = isAsked ? first : customerState.kind === 'refunded' ? returned(order) : undefined;
  const toldAt = told && refundRecoveries.findIndex((one) => one.phase === told.phase && one.token === told.token);
  const beside = refundRecoveries.filter((_, at) => at !== toldAt);
  if (beside.length === 0) return null;
  // Where the order itself is at an end without a payout, its refund is no second matter.
  const isAll = customerState.kind === 'paused' || customerState.kind === 'failed';
  return (
    <section class="card beside" aria-labelledby="beside">
      <h2 id="beside">{isAll ? words.order.refundTx : words.refund.beside}</h2>
      {beside.map((recovery) => (
        <Facts
          rows={[
            [words.order.amount, owed(view, recovery)],
            [words.order.network, recovery.chain],
            [words.nav.status, words.refund.phase[recovery.phase] ?? recovery.phase],
          ]}
        />
      ))}
      {beside.some(({ phase }) => phase === 'blocked') && (
        <p>
          {words.refund.blockedLine} <Contact view={view} />
        </p>
      )}
      {!isAsked && first?.phase === 'address_required' && <RefundForm {...props} recovery={first} />}
    </section>
  );
}
