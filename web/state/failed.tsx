import { Contact } from '../parts/contact.tsx';
import { Facts, Headline } from '../parts/notice.tsx';
import { owed, type State } from './state.ts';

export const failed: State = ({ view, order }) => {
  const { words } = view;
  const { refundRecovery: recovery, customerState, errorCode } = order;
  return {
    mood: 'attention',
    title: words.failed.title,
    body: (
      <>
        <Headline mood="attention" title={words.failed.title} line={words.failed.line} />
        {/* Said only where a claim of the customer is on record. */}
        {recovery && <p class="note info">{words.failed.kept(owed(view, recovery))}</p>}
        <Facts rows={[[words.failed.code, <bdi class="code">{customerState.code ?? errorCode ?? 'unknown'}</bdi>]]} />
        {recovery?.phase !== 'blocked' && (
          <p>
            <Contact view={view} />
          </p>
        )}
      </>
    ),
  };
};
