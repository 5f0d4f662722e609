import type { VNode } from 'preact';
import { FEE_FIELDS } from '../../src/kernel/fee-field.ts';
import { Address } from '../parts/address.tsx';
import { Field, type Trouble, Troubles } from '../parts/field.tsx';
import { Facts, Note } from '../parts/notice.tsx';
import type { Answer, Site, Visit } from '../server/site.ts';
import { showTime, type View } from '../server/view.ts';
import { FeeFields, feesOf, feeTroubles, readFees, type TypedFees, typedFees } from './fee-form.tsx';
import { Done, type Room, roomPage, roomPath, roomsOn } from './room.tsx';

/** What is earned, and where it goes. */
export function mountFees(site: Site): void {
  const rooms = roomsOn(site);
  rooms.get('/fees', async (visit, room) => page(visit, room, feesOf(room.integration), []));

  rooms.post('/fees', async (visit, room) => {
    const { view, form, partner } = visit;
    const { integration } = room;
    const typed = typedFees(form);
    const name = form.text('name');
    const { change, troubles } = readFees(view, typed, integration);
    const missing = name === '' ? [{ field: 'name', text: view.words.partners.nameMissing }] : [];
    if (troubles.length + missing.length > 0) return page(visit, room, typed, [...missing, ...troubles]);
    try {
      await partner.change(integration.integrationId, { ...change, ...(name === integration.name ? {} : { name }) });
      return { to: `${roomPath(room, 'fees')}?done=saved` };
    } catch (error) {
      const found = feeTroubles(view, error, typed);
      if (!found) throw error;
      return page(visit, room, typed, found);
    }
  });

  /** Asking for the address that is set takes back the change that waits. */
  rooms.post('/fees/keep', async ({ form, partner }, room) => {
    const { integration } = room;
    const field = FEE_FIELDS.find((one) => one === form.text('field'));
    if (field && integration.pendingChange?.[field])
      await partner.change(integration.integrationId, { [field]: integration[field] });
    return { to: `${roomPath(room, 'fees')}?done=saved` };
  });
}

function page(visit: Visit, room: Room, typed: TypedFees, troubles: readonly Trouble[]): Answer {
  const { view, query, form } = visit;
  const { words, base } = view;
  const { integration, isOwner } = room;
  return roomPage(visit, room, {
    name: 'fees',
    title: words.partnerFees.title,
    status: troubles.length > 0 ? 422 : 200,
    children: (
      <>
        <Done view={view} text={query.get('done') === 'saved' ? words.partners.saved : undefined} />
        <Troubles title={words.errors.summary} troubles={troubles} />
        <Pending view={view} room={room} />
        {isOwner ? (
          <form method="post" action={`${base}${roomPath(room, 'fees')}`} class="card action">
            <Field
              name="name"
              label={words.partners.name}
              value={form.has('name') || troubles.length > 0 ? form.text('name') : integration.name}
              error={troubles.find(({ field }) => field === 'name')?.text}
              required
            />
            <FeeFields view={view} typed={typed} troubles={troubles} />
            <p class="hint">{words.partnerFees.waits}</p>
            <button type="submit" class="button">
              {words.partners.save}
            </button>
          </form>
        ) : (
          <section class="card">
            <Facts
              rows={[
                [words.partnerFees.percent, `${integration.feePercent} %`],
                ...FEE_FIELDS.map((field) => {
                  const address = integration[field];
                  return [words.partnerFees[field], address === null ? '–' : <Address text={address} />] as const;
                }),
              ]}
            />
            <Note>{words.partners.onlyOwner}</Note>
          </section>
        )}
      </>
    ),
  });
}

/** Changes that wait, each with its time and a way to take it back. */
function Pending({ view, room }: { readonly view: View; readonly room: Room }): VNode | null {
  const { words, base } = view;
  const { pendingChange } = room.integration;
  if (!pendingChange) return null;
  return (
    <section class="card waiting-change">
      <h2>{words.partnerFees.pendingTitle}</h2>
      <ul class="entries">
        {FEE_FIELDS.map((field) => {
          const change = pendingChange[field];
          if (!change) return null;
          return (
            <li class="stacked">
              <strong>{words.partnerFees[field]}</strong>
              {change.value === null ? words.partnerFees.pendingNone : <Address text={change.value} />}
              <span class="hint">{words.partnerFees.pending(showTime(view, change.effectiveAt))}</span>
              {room.isOwner && (
                <form method="post" action={`${base}${roomPath(room, 'fees')}/keep`}>
                  <input type="hidden" name="field" value={field} />
                  <button type="submit" class="quiet">
                    {words.partnerFees.keepOld}
                  </button>
                </form>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
