import { Facts, Headline } from '../parts/notice.tsx';
import { STEPS, Steps } from '../parts/steps.tsx';
import { grouped, money, showSeconds } from '../server/view.ts';
import { inDeposited, type State } from './state.ts';

export const processing: State = ({ view, order }) => {
  const { words } = view;
  const { step: told, kind } = order.customerState;
  const step = STEPS.find((one) => one === told) ?? 'executing';
  // Nothing was asked of a bridge, so that nothing differs from it.
  const isRescaled = order.product === 'swap' && order.fundedExpectedOutput !== undefined;
  const { confirmations: have, requiredConfirmations: need, twap, fundedExpectedOutput: funded } = order;
  const isConfirming = kind === 'processing' && (step === 'deposit_seen' || step === 'confirming');
  const inOutput = (atoms: string) => money(atoms, order.toDecimals, order.toSymbol);
  const title = words.processing.title[step];
  return {
    mood: 'working',
    title,
    body: (
      <>
        <Headline mood="working" title={title} line={words.processing.line} />
        <Steps view={view} step={step} />
        {step === 'deposit_seen' && <p class="note info">{words.processing.unconfirmed}</p>}
        <Facts
          rows={[
            isConfirming &&
              have !== undefined &&
              need !== undefined && [
                words.bridge.confirmations,
                <span>
                  {words.order.confirmations(have, need)} <progress value={have} max={need} aria-hidden="true" />
                </span>,
              ],
            order.observedDepositAmount !== undefined && [
              words.notice.arrived,
              inDeposited(order, order.observedDepositAmount),
            ],
            !isRescaled && [words.order.expected, words.quote.about(inOutput(funded ?? order.expectedOutput))],
            twap?.enabled &&
              twap.chunksTotal > 1 && [
                words.processing.parts,
                <span>
                  {words.processing.partsLine(twap.chunksCompleted, twap.chunksTotal)}
                  {' · '}
                  {words.processing.filled(grouped(view, twap.filledQty), grouped(view, twap.totalQty))}{' '}
                  <progress value={twap.chunksCompleted} max={twap.chunksTotal} aria-hidden="true" />
                </span>,
              ],
            twap?.enabled &&
              twap.chunksTotal > 1 &&
              twap.status === 'active' && [
                words.processing.remaining,
                showSeconds(view, twap.estimatedTimeRemainingMs / 1000),
              ],
          ]}
        />
        {isRescaled && <p class="note info">{words.processing.rescaled(inOutput(funded ?? order.expectedOutput))}</p>}
      </>
    ),
  };
};
