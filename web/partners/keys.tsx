import type { VNode } from 'preact';
import { Copy } from '../parts/amount.tsx';
import { Field, type Trouble, Troubles } from '../parts/field.tsx';
import { Note } from '../parts/notice.tsx';
import type { Answer, Site, Visit } from '../server/site.ts';
import { plainName, showTime, type View } from '../server/view.ts';
import { Pager, partOf } from './pager.tsx';
import type { Key } from './partner-desk.ts';
import { Pill, type Room, roomPage, roomPath, roomsOn, TwoSteps } from './room.tsx';
import { refusedAs } from './trouble.ts';

const NAME_CHARS = 100;

/** Keys are shown once, when they are made. */
export function mountKeys(site: Site): void {
  const rooms = roomsOn(site);
  rooms.get('/keys', (visit, room) => list(visit, room, []));

  rooms.post('/keys', async (visit, room) => {
    const { view, form, partner } = visit;
    const { integrationId } = room.integration;
    const kind = form.text('kind') === 'public' ? 'public' : 'server';
    const name = form.text('name', NAME_CHARS);
    // The form says how many keys there were: sent twice, it does not make two.
    if (form.text('known') !== `${(await partner.keys(integrationId)).length}`)
      return list(visit, room, [{ field: 'main', text: view.words.partners.gone }]);
    try {
      const made = await partner.createKey(integrationId, { kind, ...(name === '' ? {} : { name }) });
      return shownOnce(visit, room, made.key);
    } catch (error) {
      return list(visit, room, [refusedAs(view, error, 'name')]);
    }
  });

  rooms.post('/keys/:keyId/revoke', async ({ partner, params }, room) => {
    await partner.revokeKey(room.integration.integrationId, params.keyId ?? '');
    return { to: roomPath(room, 'keys') };
  });
}

async function list(visit: Visit, room: Room, troubles: readonly Trouble[]): Promise<Answer> {
  const { view, partner } = visit;
  const { words, base } = view;
  const keys = await partner.keys(room.integration.integrationId);
  const [live, revoked] = [keys.filter((key) => !key.revokedAt), keys.filter((key) => key.revokedAt)];
  const path = `${base}${roomPath(room, 'keys')}`;
  const part = partOf(live, visit.query, KEYS_SHOWN);
  return roomPage(visit, room, {
    name: 'keys',
    title: words.partnerKeys.title,
    lead: words.partnerKeys.line,
    status: troubles.length > 0 ? 422 : 200,
    children: (
      <>
        <Troubles title={words.errors.summary} troubles={troubles} />
        <section class="card">
          <h2>{words.partnerKeys.current}</h2>
          {live.length === 0 && <p>{words.partners.nothing}</p>}
          <ul class="entries">
            {part.rows.map((key) => (
              <KeyRow view={view} entry={key} path={path} isOwner={room.isOwner} />
            ))}
          </ul>
          <Pager view={view} path={roomPath(room, 'keys')} query={visit.query} next={part.next} />
        </section>
        {room.isOwner ? (
          <NewKey view={view} path={path} known={keys.length} />
        ) : (
          <Note>{words.partners.onlyOwner}</Note>
        )}
        {revoked.length > 0 && (
          <details class="card">
            <summary>{words.partnerKeys.old}</summary>
            <ul class="entries">
              {revoked.slice(0, MOST_OLD).map((key) => (
                <KeyRow view={view} entry={key} path={path} isOwner={false} />
              ))}
            </ul>
          </details>
        )}
      </>
    ),
  });
}

/** Newest first; nobody looks for older ones here, and the history has them all. */
const MOST_OLD = 8;
const KEYS_SHOWN = 12;

const KeyRow = ({
  view,
  entry,
  path,
  isOwner,
}: {
  readonly view: View;
  readonly entry: Key;
  readonly path: string;
  readonly isOwner: boolean;
}): VNode => {
  const { partnerKeys } = view.words;
  const used = entry.lastUsedAt === null ? partnerKeys.unused : partnerKeys.used(showTime(view, entry.lastUsedAt));
  return (
    <li class="stacked">
      <span class="entry-head">
        <strong>{entry.name === null ? partnerKeys.unnamed : plainName(entry.name)}</strong>
        <Pill tone={entry.kind === 'server' ? 'warn' : 'soft'}>{partnerKeys[entry.kind]}</Pill>
      </span>
      <bdi class="code">{`${entry.prefix}_…`}</bdi>
      <span class="hint">
        {entry.revokedAt === null
          ? `${partnerKeys.createdAt(showTime(view, entry.createdAt))} · ${used}`
          : partnerKeys.revoked(showTime(view, entry.revokedAt))}
      </span>
      {isOwner && (
        <TwoSteps
          action={`${path}/${entry.keyId}/revoke`}
          first={partnerKeys.revoke}
          line={partnerKeys.revokeLine}
          second={partnerKeys.revokeNow}
        />
      )}
    </li>
  );
};

function NewKey({ view, path, known }: { readonly view: View; readonly path: string; readonly known: number }): VNode {
  const { partnerKeys } = view.words;
  return (
    <form method="post" action={path} class="card action">
      <h2>{partnerKeys.make}</h2>
      <input type="hidden" name="known" value={`${known}`} />
      <fieldset class="options">
        <legend>{partnerKeys.kind}</legend>
        {(['server', 'public'] as const).map((kind) => (
          <label class="option">
            <input type="radio" name="kind" value={kind} checked={kind === 'server'} />
            <span>
              {partnerKeys[kind]}
              <small>{partnerKeys[`${kind}Line`]}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <Field name="name" label={partnerKeys.name} most={NAME_CHARS} />
      <button type="submit" class="button">
        {partnerKeys.make}
      </button>
    </form>
  );
}

/** The answer to the form itself, so that the key is in no address and is kept nowhere. */
function shownOnce(visit: Visit, room: Room, key: string): Answer {
  const { view } = visit;
  const { partnerKeys } = view.words;
  return roomPage(visit, room, {
    name: 'keys',
    title: partnerKeys.made,
    children: (
      <section class="card">
        <Note level="warning">{partnerKeys.once}</Note>
        <p class="secret with-copy">
          <bdi class="code">{key}</bdi>
          <Copy view={view} text={key} label={partnerKeys.made} />
        </p>
        <p>
          <a class="button" href={`${view.base}${roomPath(room, 'keys')}`}>
            {partnerKeys.kept}
          </a>
        </p>
      </section>
    ),
  });
}
