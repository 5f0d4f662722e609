import type { CustomerState } from '../../sdk/src/index.ts';
import { awaitingDeposit } from './awaiting-deposit.tsx';
import { belowExpected } from './below-expected.tsx';
import { belowMinimum, pausedBelowMinimum } from './below-minimum.tsx';
import { checking } from './checking.tsx';
import { completed } from './completed.tsx';
import { expired } from './expired.tsx';
import { failed } from './failed.tsx';
import { payoutAddress } from './payout-address.tsx';
import { preparingRefund } from './preparing-refund.tsx';
import { processing } from './processing.tsx';
import { refundAddress } from './refund-address.tsx';
import { refunded } from './refunded.tsx';
import type { Shown, State, StateProps } from './state.ts';
import { unknown } from './unknown.tsx';

type By<K extends 'notice' | 'reason' | 'action'> = Readonly<Record<NonNullable<CustomerState[K]>, State>>;

const NOTICES: By<'notice'> = { below_expected: belowExpected, below_minimum: belowMinimum, checking };
const PAUSES: By<'reason'> = { preparing_refund: preparingRefund, below_minimum: pausedBelowMinimum };
const ACTIONS: By<'action'> = { refund_address: refundAddress, payout_address: payoutAddress, coinflip: unknown };

/** Complete by type: a state that the contract gains does not compile until it has a view. */
const STATES: Readonly<Record<CustomerState['kind'], State>> = {
  awaiting_deposit: awaitingDeposit,
  notice: (props) => pick(NOTICES, props.order.customerState.notice)(props),
  processing,
  paused: (props) => pick(PAUSES, props.order.customerState.reason)(props),
  action_required: (props) => pick(ACTIONS, props.order.customerState.action)(props),
  completed,
  refunded,
  failed,
  expired,
};

/** A desk may be newer than these pages, so that a name can be one that no type knows. */
const pick = (states: Readonly<Record<string, State>>, name: string | undefined): State =>
  name !== undefined && Object.hasOwn(states, name) ? (states[name] ?? unknown) : unknown;

export const showState = (props: StateProps): Shown => pick(STATES, props.order.customerState.kind)(props);
