import type { VNode } from 'preact';
import { Facts } from '../parts/notice.tsx';
import { RefundForm } from './refund-address.tsx';
import { owed, type StateProps } from './state.ts';

/** A refund runs beside any state, a completed one included; its form too, where the state itself does not ask. */
export function RefundBeside(props: StateProps): VNode | null {
  const { view, order } = props;
  const { words } = view;
  const { refundRecovery: recovery, customerState } = order;
  if (!recovery) return null;
  const isAsked = customerState.kind === 'action_required' && customerState.action === 'refund_address';
  if (isAsked && recovery.phase === 'address_required') return null;
  return (
    <section class="card beside" aria-labelledby="beside">
      <h2 id="beside">{words.refund.beside}</h2>
      <Facts
        rows={[
          [words.order.amount, owed(view, recovery)],
          [words.order.network, recovery.chain],
          [words.nav.status, words.refund.phase[recovery.phase] ?? recovery.phase],
        ]}
      />
      {recovery.phase === 'blocked' && <p>{words.refund.blockedLine}</p>}
      {recovery.phase === 'address_required' && <RefundForm {...props} recovery={recovery} />}
    </section>
  );
}
