import { isAddress } from 'viem/utils';
import { Address } from '../parts/address.tsx';
import { Field, type Trouble, Troubles } from '../parts/field.tsx';
import { Note } from '../parts/notice.tsx';
import type { Answer, Site, Visit } from '../server/site.ts';
import { Pager, partOf } from './pager.tsx';
import { Pill, type Room, roomPage, roomPath, roomsOn, TwoSteps } from './room.tsx';
import { refusedAs } from './trouble.ts';

/** Who may look, and who may change things. */
export function mountTeam(site: Site): void {
  const rooms = roomsOn(site);
  rooms.get('/team', async (visit, room) => page(visit, room, []));

  rooms.post('/team', async (visit, room) => {
    const { view, form, partner } = visit;
    const account = form.text('account');
    const role = form.text('role') === 'owner' ? 'owner' : 'viewer';
    if (!isAddress(account)) return page(visit, room, [{ field: 'account', text: view.words.team.notAccount }]);
    try {
      await partner.setMember(room.integration.integrationId, account, role);
      return { to: roomPath(room, 'team') };
    } catch (error) {
      return page(visit, room, [refusedAs(view, error, 'account')]);
    }
  });

  rooms.post('/team/remove', async (visit, room) => {
    const { view, form, partner, params } = visit;
    try {
      await partner.removeMember(params.id ?? '', form.text('account'));
    } catch (error) {
      return page(visit, room, [refusedAs(view, error, 'main')]);
    }
    return { to: form.text('account') === room.me.address ? '/partners' : roomPath(room, 'team') };
  });
}

const MEMBERS_SHOWN = 12;

function page(visit: Visit, room: Room, troubles: readonly Trouble[]): Answer {
  const { view, form } = visit;
  const { words, base } = view;
  const { team } = words;
  const path = `${base}${roomPath(room, 'team')}`;
  const part = partOf(room.integration.members, visit.query, MEMBERS_SHOWN);
  return roomPage(visit, room, {
    name: 'team',
    title: team.title,
    lead: team.line,
    status: troubles.length > 0 ? 422 : 200,
    children: (
      <>
        <Troubles title={words.errors.summary} troubles={troubles} />
        <section class="card">
          <ul class="entries">
            {part.rows.map(({ address, role }) => (
              <li class="stacked">
                <span class="entry-head">
                  <Address text={address} />
                  <Pill tone={role === 'owner' ? 'good' : 'soft'}>
                    {address === room.me.address ? `${words.partners[role]} · ${team.you}` : words.partners[role]}
                  </Pill>
                </span>
                {room.isOwner && (
                  <TwoSteps action={`${path}/remove`} first={team.remove} second={team.removeNow}>
                    <input type="hidden" name="account" value={address} />
                  </TwoSteps>
                )}
              </li>
            ))}
          </ul>
          <Pager view={view} path={roomPath(room, 'team')} query={visit.query} next={part.next} />
        </section>
        {room.isOwner ? (
          <form method="post" action={path} class="card action">
            <h2>{team.add}</h2>
            <Field
              name="account"
              label={team.account}
              value={form.text('account')}
              error={troubles.find(({ field }) => field === 'account')?.text}
              isCode
              required
            />
            <div class="field">
              <label for="role">{team.role}</label>
              <select id="role" name="role">
                {(['viewer', 'owner'] as const).map((role) => (
                  <option value={role} selected={form.text('role') === role}>
                    {words.partners[role]}
                  </option>
                ))}
              </select>
            </div>
            <button type="submit" class="button">
              {team.addNow}
            </button>
          </form>
        ) : (
          <Note>{words.partners.onlyOwner}</Note>
        )}
      </>
    ),
  });
}
