import type { VNode } from 'preact';
import { Moment } from '../parts/deadline.tsx';
import type { Site } from '../server/site.ts';
import { shorten, type View } from '../server/view.ts';
import { Pager } from './pager.tsx';
import type { AuditEntry } from './partner-desk.ts';
import { roomPage, roomPath, roomsOn } from './room.tsx';

/** Every change, by whomever. */
export function mountHistory(site: Site): void {
  roomsOn(site).get('/history', async (visit, room) => {
    const { view, query, partner } = visit;
    const { words } = view;
    const cursor = query.get('cursor')?.slice(0, 256);
    const { entries, nextCursor } = await partner.audit(room.integration.integrationId, cursor);
    return roomPage(visit, room, {
      name: 'history',
      title: words.history.title,
      lead: words.history.line,
      children: (
        <section class="card">
          <ul class="entries">
            {entries.map((entry) => (
              <Entry view={view} entry={entry} />
            ))}
          </ul>
          <Pager view={view} path={roomPath(room, 'history')} query={query} next={nextCursor} />
        </section>
      ),
    });
  });
}

const DETAILS_CHARS = 400;

function Entry({ view, entry }: { readonly view: View; readonly entry: AuditEntry }): VNode {
  const { history } = view.words;
  const details = Object.entries(entry.details).filter(([, value]) => value !== null && value !== undefined);
  return (
    <li class="stacked">
      <span class="entry-head">
        <strong>{history.actions[entry.action] ?? entry.action}</strong>
        <span class="hint">
          <Moment view={view} at={entry.at} />
        </span>
      </span>
      <span class="hint">
        <bdi>{actorOf(view, entry.actor)}</bdi>
      </span>
      {details.length > 0 && (
        <bdi class="hint code">
          {details
            .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
            .join(' · ')
            .slice(0, DETAILS_CHARS)}
        </bdi>
      )}
    </li>
  );
}

function actorOf({ words: { history } }: View, actor: string): string {
  if (actor === 'operator') return history.operator;
  if (actor === 'service') return history.service;
  return actor.startsWith('key:') ? history.key(actor.slice('key:'.length)) : shorten(actor);
}
