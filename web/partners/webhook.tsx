import type { VNode } from 'preact';
import { Moment } from '../parts/deadline.tsx';
import { type Trouble, Troubles } from '../parts/field.tsx';
import type { Answer, Site, Visit } from '../server/site.ts';
import type { View } from '../server/view.ts';
import { Pager } from './pager.tsx';
import { type Delivery, EVENTS, type Webhook } from './partner-desk.ts';
import { Done, Pill, type Room, roomPage, roomPath, roomsOn, type Tone, TwoSteps } from './room.tsx';
import { refusedAs } from './trouble.ts';
import { secretPage, typedWebhook, WebhookFields, wantedEvents } from './webhook-form.tsx';
import { HOOK_TONES } from './webhooks.tsx';

const STATES = ['pending', 'delivered', 'failed'] as const;
const STATE_TONES: Readonly<Record<Delivery['state'], Tone>> = { pending: 'warn', delivered: 'good', failed: 'bad' };

const pathOf = (room: Room, hook: string): string => `${roomPath(room, 'webhooks')}/${hook}`;

/** One endpoint: what was sent to it, what it answered, and what can be done about it. */
export function mountWebhook(site: Site): void {
  const rooms = roomsOn(site);
  const idOf = ({ params }: Visit) => params.hook ?? '';
  rooms.get('/webhooks/:hook', (visit, room) => page(visit, room, []));

  /** Whatever is done leads back to the endpoint, and a refusal is shown there. */
  const act = (path: string, done: string, work: (visit: Visit, room: Room) => Promise<unknown>) =>
    rooms.post(`/webhooks/:hook${path}`, async (visit, room) => {
      try {
        await work(visit, room);
      } catch (error) {
        return page(visit, room, [refusedAs(visit.view, error, 'main')]);
      }
      return { to: `${pathOf(room, idOf(visit))}?done=${done}` };
    });
  act('/test', 'tested', (visit, { integration }) => visit.partner.sendTest(integration.integrationId, idOf(visit)));
  act('/pause', 'saved', (visit, { integration }) =>
    visit.partner.changeWebhook(integration.integrationId, idOf(visit), { status: 'paused' }),
  );
  act('/resume', 'saved', (visit, { integration }) =>
    visit.partner.changeWebhook(integration.integrationId, idOf(visit), { status: 'active' }),
  );
  act('/resend', 'resent', (visit, { integration }) =>
    visit.partner.resend(integration.integrationId, idOf(visit), visit.form.text('delivery')),
  );

  rooms.post('/webhooks/:hook/change', async (visit, room) => {
    const { view, form, partner } = visit;
    const typed = typedWebhook(form);
    if (typed.url === '') return page(visit, room, [{ field: 'url', text: view.words.hooks.urlMissing }]);
    try {
      await partner.changeWebhook(room.integration.integrationId, idOf(visit), {
        url: typed.url,
        events: wantedEvents(typed) ?? null,
      });
    } catch (error) {
      return page(visit, room, [refusedAs(view, error, 'url')]);
    }
    return { to: `${pathOf(room, idOf(visit))}?done=saved` };
  });

  rooms.post('/webhooks/:hook/rotate', async (visit, room) => {
    const { secret } = await visit.partner.rotate(room.integration.integrationId, idOf(visit));
    return secretPage(visit, room, secret, pathOf(room, idOf(visit)));
  });

  rooms.post('/webhooks/:hook/delete', async (visit, room) => {
    await visit.partner.deleteWebhook(room.integration.integrationId, idOf(visit));
    return { to: roomPath(room, 'webhooks') };
  });
}

async function page(visit: Visit, room: Room, troubles: readonly Trouble[]): Promise<Answer> {
  const { view, query, partner, params } = visit;
  const { words } = view;
  const { integrationId } = room.integration;
  const hook = params.hook ?? '';
  const state = STATES.find((one) => one === query.get('state'));
  const cursor = query.get('cursor')?.slice(0, 256);
  const [webhook, { deliveries, nextCursor }] = await Promise.all([
    partner.webhook(integrationId, hook),
    partner.deliveries(integrationId, hook, { ...(state ? { state } : {}), ...(cursor ? { cursor } : {}) }),
  ]);
  const said: Readonly<Record<string, string>> = {
    saved: words.partners.saved,
    tested: words.hooks.tested,
    resent: words.hooks.resent,
  };
  return roomPage(visit, room, {
    name: 'webhooks',
    title: words.hooks.title,
    status: troubles.length > 0 ? 422 : 200,
    children: (
      <>
        <Done view={view} text={said[query.get('done') ?? '']} />
        <Troubles title={words.errors.summary} troubles={troubles} />
        <Endpoint visit={visit} room={room} webhook={webhook} troubles={troubles} />
        <section class="card">
          <h2>{words.hooks.deliveries}</h2>
          <States view={view} room={room} hook={hook} current={state} />
          {deliveries.length === 0 && <p>{words.partners.nothing}</p>}
          <ul class="entries">
            {deliveries.map((delivery) => (
              <DeliveryRow view={view} room={room} webhook={webhook} delivery={delivery} />
            ))}
          </ul>
          <Pager view={view} path={pathOf(room, hook)} query={query} next={nextCursor} />
        </section>
      </>
    ),
  });
}

interface EndpointProps {
  readonly visit: Visit;
  readonly room: Room;
  readonly webhook: Webhook;
  readonly troubles: readonly Trouble[];
}

function Endpoint({ visit, room, webhook, troubles }: EndpointProps): VNode {
  const { view, form } = visit;
  const { hooks, partners } = view.words;
  const path = `${view.base}${pathOf(room, webhook.webhookId)}`;
  const isActive = webhook.status === 'active';
  const isWrong = troubles.some(({ field }) => field === 'url');
  const typed = isWrong
    ? typedWebhook(form)
    : { url: webhook.url, isAll: webhook.events.length === EVENTS.length, events: webhook.events };
  return (
    <section class="card">
      <p class="entry-head">
        <bdi class="code">{webhook.url}</bdi>
        <Pill tone={HOOK_TONES[webhook.status]}>{hooks.status[webhook.status]}</Pill>
      </p>
      {webhook.status === 'paused' && <p class="hint">{hooks.pausedLine}</p>}
      {room.isOwner && (
        <>
          <div class="row">
            {isActive && <Press action={`${path}/test`} text={hooks.test} />}
            <Press action={`${path}/${isActive ? 'pause' : 'resume'}`} text={isActive ? hooks.pause : hooks.resume} />
          </div>
          <details class="two-steps" open={isWrong}>
            <summary>{hooks.change}</summary>
            <form method="post" action={`${path}/change`} class="action">
              <WebhookFields view={view} typed={typed} troubles={troubles} />
              <button type="submit" class="button quiet">
                {partners.save}
              </button>
            </form>
          </details>
          <TwoSteps action={`${path}/rotate`} first={hooks.rotate} line={hooks.rotateLine} second={hooks.rotateNow} />
          <TwoSteps action={`${path}/delete`} first={hooks.remove} line={hooks.removeLine} second={hooks.removeNow} />
        </>
      )}
    </section>
  );
}

const Press = ({ action, text }: { readonly action: string; readonly text: string }): VNode => (
  <form method="post" action={action}>
    <button type="submit" class="quiet">
      {text}
    </button>
  </form>
);

function States({
  view,
  room,
  hook,
  current,
}: {
  readonly view: View;
  readonly room: Room;
  readonly hook: string;
  readonly current: string | undefined;
}): VNode {
  const { hooks } = view.words;
  const at = `${view.base}${pathOf(room, hook)}`;
  return (
    <nav aria-label={hooks.deliveries}>
      <a href={at} aria-current={current === undefined ? 'true' : undefined}>
        {hooks.any}
      </a>
      {STATES.map((state) => (
        <a href={`${at}?state=${state}`} aria-current={state === current ? 'true' : undefined}>
          {hooks.state[state]}
        </a>
      ))}
    </nav>
  );
}

/** Attempts beyond these look like them. */
const SHOWN_ATTEMPTS = 5;

interface DeliveryProps {
  readonly view: View;
  readonly room: Room;
  readonly webhook: Webhook;
  readonly delivery: Delivery;
}

function DeliveryRow({ view, room, webhook, delivery }: DeliveryProps): VNode {
  const { hooks } = view.words;
  const { attempts } = delivery;
  return (
    <li class="stacked">
      <span class="entry-head">
        <bdi class="code">{delivery.type}</bdi>
        <Pill tone={STATE_TONES[delivery.state]}>{hooks.state[delivery.state]}</Pill>
      </span>
      {delivery.orderId && <bdi class="hint code">{delivery.orderId}</bdi>}
      <span class="hint">
        <Moment view={view} at={delivery.createdAt} />
      </span>
      {attempts.length > 0 && (
        <details>
          <summary>{`${hooks.attempts}: ${attempts.length}`}</summary>
          <ol class="attempts">
            {attempts.slice(-SHOWN_ATTEMPTS).map(({ at, status, ms, error }) => (
              <li>
                <Moment view={view} at={at} />{' '}
                <bdi>{status === null ? hooks.noAnswer(error ?? '–', ms) : hooks.answered(`${status}`, ms)}</bdi>
              </li>
            ))}
          </ol>
        </details>
      )}
      {room.isOwner && webhook.status === 'active' && delivery.state !== 'pending' && (
        <form method="post" action={`${view.base}${pathOf(room, webhook.webhookId)}/resend`}>
          <input type="hidden" name="delivery" value={delivery.deliveryId} />
          <button type="submit" class="quiet">
            {hooks.resend}
          </button>
        </form>
      )}
    </li>
  );
}
