import { Contact } from '../parts/contact.tsx';
import { DepositPanel } from '../parts/deposit.tsx';
import { Facts, Headline } from '../parts/notice.tsx';
import { inDeposited, restOf, type State } from './state.ts';

const small =
  (kind: 'notice' | 'paused'): State =>
  ({ view, order }) => {
    const { words } = view;
    const { observedDepositAmount, minimumDepositAmount: minimum } = order.customerState;
    const arrived = observedDepositAmount ?? order.observedDepositAmount;
    const rest = minimum === undefined ? undefined : restOf(minimum, arrived);
    const title = kind === 'notice' ? words.notice.smallTitle : words.paused.smallTitle;
    const line =
      rest === undefined
        ? words.paused.smallPerson
        : (kind === 'notice' ? words.notice.smallLine : words.paused.smallLine)(inDeposited(order, rest));
    return {
      mood: 'attention',
      title,
      body: (
        <>
          <Headline mood="attention" title={title} line={line} />
          <Facts
            rows={[
              arrived !== undefined && [words.notice.arrived, inDeposited(order, arrived)],
              minimum !== undefined && [words.notice.minimum, inDeposited(order, minimum)],
            ]}
          />
          {rest === undefined ? (
            <p>
              <Contact view={view} />
            </p>
          ) : (
            <DepositPanel view={view} order={order} atoms={rest} label={words.notice.rest} />
          )}
        </>
      ),
    };
  };

/** Not confirmed yet: a second payment joins the first. */
export const belowMinimum = small('notice');
/** Confirmed below the minimum, where the desk can still tell how much is missing, or cannot. */
export const pausedBelowMinimum = small('paused');
