import { AskForCode } from '../parts/ask-for-code.tsx';
import { readRecoveryCode } from '../server/ownership.ts';
import type { Answer, Site, Visit } from '../server/site.ts';
import { readOrder } from './order.tsx';

export function mountRecover(site: Site): void {
  site.get('/recover', async (visit) => ask(visit));

  site.post('/recover', async (visit) => {
    const ownership = readRecoveryCode(visit.form.text('code'));
    const order = ownership && (await readOrder(visit.desk, ownership.id, ownership.session));
    // A wrong code, another desk's code and an order that does not exist look alike.
    return ownership && order
      ? { to: `/order/${ownership.id}`, ownership }
      : ask(visit, visit.view.words.recovery.wrong);
  });
}

function ask({ view }: Visit, error?: string): Answer {
  const { words } = view;
  return {
    page: <AskForCode view={view} title={words.nav.recover} line={words.recovery.line} error={error} />,
    title: words.nav.recover,
    script: 'recover',
    ...(error ? { status: 422 } : {}),
  };
}
