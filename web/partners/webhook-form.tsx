import type { VNode } from 'preact';
import { Copy } from '../parts/amount.tsx';
import { Field, type Trouble } from '../parts/field.tsx';
import { Note } from '../parts/notice.tsx';
import type { Form } from '../server/forms.ts';
import type { Answer, Visit } from '../server/site.ts';
import type { View } from '../server/view.ts';
import { EVENTS } from './partner-desk.ts';
import { type Room, roomPage } from './room.tsx';

const URL_CHARS = 2_048;

export interface TypedWebhook {
  readonly url: string;
  /** Every kind of event, those to come included. */
  readonly isAll: boolean;
  readonly events: readonly string[];
}

export const typedWebhook = (form: Form): TypedWebhook => ({
  url: form.text('url', URL_CHARS),
  isAll: form.text('which') !== 'some',
  events: EVENTS.filter((event) => form.all('event').includes(event)),
});

/** An endpoint that wants nothing wants everything: nobody adds one to hear nothing. */
export const wantedEvents = ({ isAll, events }: TypedWebhook): readonly string[] | undefined =>
  isAll || events.length === 0 || events.length === EVENTS.length ? undefined : events;

/** Where to, and what about. */
export function WebhookFields({
  view,
  typed,
  troubles,
}: {
  readonly view: View;
  readonly typed: TypedWebhook;
  readonly troubles: readonly Trouble[];
}): VNode {
  const { hooks } = view.words;
  return (
    <>
      <Field
        name="url"
        label={hooks.url}
        hint={hooks.urlHint}
        value={typed.url}
        error={troubles.find(({ field }) => field === 'url')?.text}
        most={URL_CHARS}
        isCode
        required
      />
      <fieldset class="options">
        <legend>{hooks.events}</legend>
        <label class="option">
          <input type="radio" name="which" value="all" checked={typed.isAll} />
          <span>{hooks.all}</span>
        </label>
        <label class="option">
          <input type="radio" name="which" value="some" checked={!typed.isAll} />
          <span>{hooks.some}</span>
        </label>
        <div class="ticks">
          {EVENTS.map((event) => (
            <label class="option">
              <input type="checkbox" name="event" value={event} checked={typed.isAll || typed.events.includes(event)} />
              <bdi class="code">{event}</bdi>
            </label>
          ))}
        </div>
      </fieldset>
    </>
  );
}

/** The secret, on the answer to the form itself: it is in no address and is kept nowhere. */
export function secretPage(visit: Visit, room: Room, secret: string, next: string): Answer {
  const { view } = visit;
  const { hooks, partnerKeys } = view.words;
  return roomPage(visit, room, {
    name: 'webhooks',
    title: hooks.secret,
    children: (
      <section class="card">
        <Note level="warning">{hooks.secretOnce}</Note>
        <p class="secret with-copy">
          <bdi class="code">{secret}</bdi>
          <Copy view={view} text={secret} label={hooks.secret} />
        </p>
        <h2>{hooks.verify}</h2>
        <pre dir="ltr">{EXAMPLE}</pre>
        <p>
          <a class="button" href={`${view.base}${next}`}>
            {partnerKeys.kept}
          </a>
        </p>
      </section>
    ),
  });
}

const EXAMPLE = `import { verifyWebhook } from '@wherry/client';

// body: the raw text of the request
const event = await verifyWebhook(secret, request.headers, body);
if (event.type === 'order.completed') deliver(event.data.orderId);`;
