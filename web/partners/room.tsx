import type { ComponentChildren, VNode } from 'preact';
import { WherryError } from '../../sdk/src/index.ts';
import { Note } from '../parts/notice.tsx';
import type { Answer, Site, Visit } from '../server/site.ts';
import { plainName, type View } from '../server/view.ts';
import type { Integration, Me } from './partner-desk.ts';

/** One integration, and who looks at it. */
export interface Room {
  readonly me: Me;
  readonly integration: Integration;
  readonly isOwner: boolean;
}

const ROOMS = {
  overview: '',
  orders: '/orders',
  fees: '/fees',
  keys: '/keys',
  webhooks: '/webhooks',
  links: '/links',
  team: '/team',
  limits: '/limits',
  history: '/history',
} as const;
export type RoomName = keyof typeof ROOMS;

export const roomPath = ({ integration }: Room, name: RoomName): string =>
  `/partners/${integration.integrationId}${ROOMS[name]}`;

type RoomWork = (visit: Visit, room: Room) => Promise<Answer>;

/** Pages of one integration, for its members. */
export function roomsOn(site: Site) {
  const entered = (work: RoomWork) => async (visit: Visit) => {
    try {
      const [me, integration] = await Promise.all([visit.partner.me(), visit.partner.read(visit.params.id ?? '')]);
      const isOwner = integration.members.some(({ address, role }) => address === me.address && role === 'owner');
      return await work(visit, { me, integration, isOwner });
    } catch (error) {
      return outside(visit, error);
    }
  };
  return {
    get: (path: string, work: RoomWork) => site.get(`/partners/:id${path}`, entered(work)),
    post: (path: string, work: RoomWork) => site.post(`/partners/:id${path}`, entered(work)),
  };
}

/** Whoever is not signed in any more is asked to; every other refusal that no form has shown is a page of its own. */
export function outside({ view }: Visit, error: unknown): Answer {
  if (!(error instanceof WherryError)) throw error;
  const { words } = view;
  if (error.code === 'not_signed_in') return { to: '/partners?over=1' };
  if (error.code !== 'forbidden' && error.code !== 'not_found') throw error;
  const text = error.code === 'forbidden' ? words.partners.forbidden : words.errors.notFound;
  return {
    title: words.errors.notFoundTitle,
    status: error.status,
    isUnlisted: true,
    isPrivate: true,
    page: (
      <div class="narrow">
        <section class="card">
          <h1>{words.errors.notFoundTitle}</h1>
          <p>{text}</p>
          <p>
            <a class="button quiet" href={`${view.base}/partners`}>
              {words.partners.integrations}
            </a>
          </p>
        </section>
      </div>
    ),
  };
}

interface Shown {
  readonly name: RoomName;
  readonly title: string;
  readonly lead?: string | undefined;
  readonly status?: number;
  readonly children: ComponentChildren;
}

/** Kept by nobody: what stands here is one company's own. */
export const roomPage = ({ view }: Visit, room: Room, { name, title, lead, status, children }: Shown): Answer => ({
  title: `${title} · ${plainName(room.integration.name)}`,
  script: 'partners',
  isUnlisted: true,
  isPrivate: true,
  ...(status === undefined ? {} : { status }),
  page: (
    <div class="room">
      <Rooms view={view} room={room} current={name} />
      <div class="room-body">
        <header class="headline-plain">
          <h1>{title}</h1>
          {lead && <p class="lead">{lead}</p>}
        </header>
        {room.integration.status !== 'active' && (
          <Note level="warning">{view.words.partners.status[room.integration.status]}</Note>
        )}
        {children}
      </div>
    </div>
  ),
});

function Rooms({
  view,
  room,
  current,
}: {
  readonly view: View;
  readonly room: Room;
  readonly current: RoomName;
}): VNode {
  const { words, base } = view;
  return (
    <div class="room-side">
      <p class="room-name">
        <a href={`${base}/partners`}>{words.partners.integrations}</a>
        <strong>{plainName(room.integration.name)}</strong>
      </p>
      <nav class="rooms" aria-label={plainName(room.integration.name)}>
        {(Object.keys(ROOMS) as RoomName[]).map((name) => (
          <a href={`${base}${roomPath(room, name)}`} aria-current={name === current ? 'page' : undefined}>
            {words.partners.room[name]}
          </a>
        ))}
      </nav>
      <SignOut view={view} />
    </div>
  );
}

export const SignOut = ({ view: { words, base } }: { readonly view: View }): VNode => (
  <form method="post" action={`${base}/partners/sign-out`} class="sign-out">
    <button type="submit" class="quiet">
      {words.partners.signOut}
    </button>
  </form>
);

/** Something that cannot be undone takes two steps, with script and without. */
export function TwoSteps({
  action,
  first,
  line,
  second,
  children,
}: {
  readonly action: string;
  readonly first: string;
  readonly line?: string;
  readonly second: string;
  readonly children?: ComponentChildren;
}): VNode {
  return (
    <details class="two-steps">
      <summary>{first}</summary>
      <form method="post" action={action}>
        {line && <p class="hint">{line}</p>}
        {children}
        <button type="submit" class="quiet warn">
          {second}
        </button>
      </form>
    </details>
  );
}

export type Tone = 'good' | 'warn' | 'bad' | 'soft';
export const Pill = ({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }): VNode => (
  <span class={`pill ${tone}`}>{children}</span>
);

/** What was just done, said once, on the page that follows. */
export const Done = ({ view, text }: { readonly view: View; readonly text?: string | undefined }): VNode | null =>
  text === undefined ? null : (
    <p class="note good" role="status" lang={view.language}>
      {text}
    </p>
  );
