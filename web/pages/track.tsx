import { type Operations, WherryError } from '../../sdk/src/index.ts';
import { Facts, Headline } from '../parts/notice.tsx';
import { STEPS, Steps } from '../parts/steps.tsx';
import { Transaction } from '../parts/transaction.tsx';
import type { Mood } from '../server/qr.ts';
import type { Answer, Site, Visit } from '../server/site.ts';
import { delivered, money, showTime, type View } from '../server/view.ts';
import { atomFeed } from './track-feed.ts';

type Tracked = Operations['trackOrder']['reply'];

const MOODS: Readonly<Record<Tracked['status'], Mood>> = {
  pending: 'waiting',
  processing: 'working',
  info_needed: 'attention',
  expired: 'idle',
  refunded: 'done',
  failed: 'attention',
  completed: 'done',
};

/** A right to look, never to act. */
export function mountTrack(site: Site): void {
  site.get('/track/:tracking', async (visit) => {
    const named = visit.params.tracking ?? '';
    const isFeed = named.endsWith('.atom');
    const trackingId = isFeed ? named.slice(0, -'.atom'.length) : named;
    const order = await visit.desk.trackOrder({ trackingId }).catch((error: unknown) => {
      if (error instanceof WherryError && error.status === 404) return undefined;
      throw error;
    });
    if (!order) return missing(visit.view);
    return isFeed
      ? { text: atomFeed(visit.view, trackingId, order), type: 'application/atom+xml; charset=utf-8' }
      : trackPage(visit, trackingId, order);
  });
}

const missing = ({ words }: View): Answer => ({
  page: (
    <div class="narrow">
      <section class="card">
        <h1>{words.errors.notFoundTitle}</h1>
        <p>{words.errors.notFound}</p>
      </section>
    </div>
  ),
  title: words.errors.notFoundTitle,
  status: 404,
  isUnlisted: true,
});

function trackPage({ view }: Visit, trackingId: string, order: Tracked): Answer {
  const { words, base, book } = view;
  const title = words.track.status[order.status] ?? order.status;
  const mood = MOODS[order.status] ?? 'working';
  const paid = delivered(order);
  const step = STEPS.find((one) => one === order.customerState.step);
  const [from, to] = [book.chain(order.fromChainId).name, book.chain(order.toChainId).name];
  return {
    title,
    mood,
    isPrivate: true,
    isUnlisted: true,
    feed: `${base}/track/${trackingId}.atom`,
    page: (
      <div class="narrow">
        <p class="crumb">{words.track.title}</p>
        <section class="card state">
          <Headline mood={mood} title={title} line={words.track.line} />
          {step && <Steps view={view} step={step} />}
          <Facts
            rows={[
              [words.order.youSend, `${money(order.depositAmount, order.fromDecimals, order.fromSymbol)} · ${from}`],
              order.observedDepositAmount !== undefined && [
                words.notice.arrived,
                money(order.observedDepositAmount, order.fromDecimals, order.fromSymbol),
              ],
              [
                words.order.expected,
                `${words.quote.about(money(order.expectedOutput, order.toDecimals, order.toSymbol))} · ${to}`,
              ],
              paid !== undefined && [words.done.delivered, paid],
              order.depositTxHash !== undefined && [
                words.order.depositTx,
                <Transaction view={view} chainId={order.fromChainId} hash={order.depositTxHash} />,
              ],
              order.payoutTxHash !== undefined && [
                words.order.payoutTx,
                <Transaction view={view} chainId={order.toChainId} hash={order.payoutTxHash} />,
              ],
              order.refundTxHash !== undefined && [words.order.refundTx, <bdi class="code">{order.refundTxHash}</bdi>],
              [words.track.updated, showTime(view, order.updatedAt)],
            ]}
          />
          <p>
            <a href={`${base}/track/${trackingId}.atom`}>{words.order.feed}</a>
          </p>
        </section>
      </div>
    ),
  };
}
