import type { SwapOrder } from '../../sdk/src/index.ts';
import { Copy } from '../parts/amount.tsx';
import { Fills, OrderFacts } from '../parts/order-details.tsx';
import { recoveryCode } from '../server/ownership.ts';
import type { Answer, Site, Visit } from '../server/site.ts';
import type { View } from '../server/view.ts';
import { showState } from '../state/index.ts';
import { OrderState, owned } from './order.tsx';

/** What belongs to an order beside its page: state, trades, receipt and recovery code. */
export function mountOrderPapers(site: Site): void {
  site.get('/order/:id/state', (visit) =>
    owned(visit, async (order) => ({ part: <OrderState view={visit.view} order={order} /> })),
  );

  site.get('/order/:id/fills', (visit) =>
    owned(visit, async (order, session) => {
      const cursor = visit.query.get('cursor') ?? undefined;
      const { fills, nextCursor } = await visit.desk.listFills(
        { id: order.orderId, limit: 50, ...(cursor ? { cursor } : {}) },
        { session },
      );
      const { view } = visit;
      const { words, base } = view;
      const path = `${base}/order/${order.orderId}`;
      return paper(
        words.order.fills,
        <section class="card">
          <h1>{words.order.fills}</h1>
          <Fills view={view} fills={fills} />
          {nextCursor && <a href={`${path}/fills?cursor=${encodeURIComponent(nextCursor)}`}>{words.order.older}</a>}
          <p>
            <a href={path}>{words.recovery.back}</a>
          </p>
        </section>,
      );
    }),
  );

  site.get('/order/:id/receipt', (visit) => owned(visit, async (order) => receipt(visit, order)));

  site.get('/order/:id/recovery', (visit) => owned(visit, async (order, session) => recovery(visit, order, session)));

  site.get('/order/:id/recovery.txt', (visit) =>
    owned(visit, async ({ orderId }, session) => ({
      text: `${recoveryCode({ id: orderId, session })}\n`,
      type: 'text/plain; charset=utf-8',
      file: `wherry-${orderId}.txt`,
    })),
  );
}

const paper = (title: string, body: preact.VNode): Answer => ({
  page: <div class="narrow">{body}</div>,
  title,
  script: 'order',
  isPrivate: true,
  isUnlisted: true,
});

/** No order is of this day, so that none of its times is told without one. */
const NEVER = 0 as View['now'];

function receipt({ view }: Visit, order: SwapOrder): Answer {
  const { words, settings, base } = view;
  const state = showState({ view, order });
  // A receipt is read on another day: every time on it has its date.
  const dated = { ...view, now: NEVER };
  return paper(
    words.order.receipt,
    <>
      <section class="card receipt">
        <div>
          <h1>{settings.name}</h1>
          <p>{state.title}</p>
        </div>
        <OrderFacts view={dated} order={order} />
      </section>
      <p class="no-print">
        <a href={`${base}/order/${order.orderId}`}>{words.recovery.back}</a>
      </p>
    </>,
  );
}

function recovery({ view, query }: Visit, order: SwapOrder, session: string): Answer {
  const { words, base } = view;
  const path = `${base}/order/${order.orderId}`;
  const code = recoveryCode({ id: order.orderId, session });
  return paper(
    words.recovery.title,
    <section class="card">
      <h1>{words.recovery.title}</h1>
      <p>{words.recovery.line}</p>
      <p class="note warning">{words.recovery.keep}</p>
      {query.has('show') ? (
        <p class="chosen">
          <bdi class="code">{code}</bdi>
          <Copy view={view} text={code} label={words.recovery.title} />
        </p>
      ) : (
        <p class="buttons no-print">
          <a class="button" href={`${path}/recovery?show=1`}>
            {words.recovery.show}
          </a>
          <a class="button quiet" href={`${path}/recovery.txt`} download>
            {words.recovery.save}
          </a>
        </p>
      )}
      <p class="no-print">
        <a href={path}>{words.recovery.back}</a>
      </p>
    </section>,
  );
}
