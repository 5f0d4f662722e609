import { type Trouble, Troubles } from '../parts/field.tsx';
import { Note } from '../parts/notice.tsx';
import type { Answer, Site, Visit } from '../server/site.ts';
import type { Webhook } from './partner-desk.ts';
import { Pill, type Room, roomPage, roomPath, roomsOn, type Tone } from './room.tsx';
import { refusedAs } from './trouble.ts';
import { secretPage, typedWebhook, WebhookFields, wantedEvents } from './webhook-form.tsx';

export const HOOK_TONES: Readonly<Record<Webhook['status'], Tone>> = {
  active: 'good',
  paused: 'soft',
  disabled: 'bad',
};

/** Where the desk tells a partner's server what happens. */
export function mountWebhooks(site: Site): void {
  const rooms = roomsOn(site);
  rooms.get('/webhooks', (visit, room) => list(visit, room, []));

  rooms.post('/webhooks', async (visit, room) => {
    const { view, form, partner } = visit;
    const { integrationId } = room.integration;
    const typed = typedWebhook(form);
    if (typed.url === '') return list(visit, room, [{ field: 'url', text: view.words.hooks.urlMissing }]);
    // The form says how many there were: sent twice, it does not make two.
    if (form.text('known') !== `${(await partner.webhooks(integrationId)).length}`)
      return list(visit, room, [{ field: 'main', text: view.words.partners.gone }]);
    const events = wantedEvents(typed);
    try {
      const made = await partner.createWebhook(integrationId, { url: typed.url, ...(events ? { events } : {}) });
      return secretPage(visit, room, made.secret, `${roomPath(room, 'webhooks')}/${made.webhookId}`);
    } catch (error) {
      return list(visit, room, [refusedAs(view, error, 'url')]);
    }
  });
}

async function list(visit: Visit, room: Room, troubles: readonly Trouble[]): Promise<Answer> {
  const { view, partner, form } = visit;
  const { words, base } = view;
  const webhooks = await partner.webhooks(room.integration.integrationId);
  const path = `${base}${roomPath(room, 'webhooks')}`;
  return roomPage(visit, room, {
    name: 'webhooks',
    title: words.hooks.title,
    lead: words.hooks.line,
    status: troubles.length > 0 ? 422 : 200,
    children: (
      <>
        <Troubles title={words.errors.summary} troubles={troubles} />
        {webhooks.length > 0 && (
          <section class="card">
            <ul class="entries">
              {webhooks.map(({ webhookId, url, status }) => (
                <li>
                  <a class="entry-link code" dir="ltr" href={`${path}/${webhookId}`}>
                    {url}
                  </a>
                  <Pill tone={HOOK_TONES[status]}>{words.hooks.status[status]}</Pill>
                </li>
              ))}
            </ul>
          </section>
        )}
        {room.isOwner ? (
          <form method="post" action={path} class="card action">
            <h2>{words.hooks.add}</h2>
            <input type="hidden" name="known" value={`${webhooks.length}`} />
            <WebhookFields view={view} typed={typedWebhook(form)} troubles={troubles} />
            <button type="submit" class="button">
              {words.hooks.create}
            </button>
          </form>
        ) : (
          <Note>{words.partners.onlyOwner}</Note>
        )}
      </>
    ),
  });
}
