import { Address } from '../parts/address.tsx';
import { Field, type Trouble, Troubles } from '../parts/field.tsx';
import type { Answer, Site, Visit } from '../server/site.ts';
import { plainName } from '../server/view.ts';
import { FeeFields, feeTroubles, readFees, typedFees } from './fee-form.tsx';
import { outside, Pill, SignOut } from './room.tsx';
import { askAccount } from './sign-in.tsx';

/** Signing in, and the integrations of whoever has. */
export function mountHome(site: Site): void {
  site.get('/partners', async (visit) => {
    try {
      return await list(visit);
    } catch (error) {
      const answer = outside(visit, error);
      return 'to' in answer ? askAccount(visit) : answer;
    }
  });

  site.get('/partners/new', async (visit) => {
    try {
      await visit.partner.me();
      return newPage(visit, []);
    } catch (error) {
      return outside(visit, error);
    }
  });

  site.post('/partners/new', async (visit) => {
    const { view, form, partner } = visit;
    const name = form.text('name');
    const { change, troubles } = readFees(view, typedFees(form), undefined);
    const missing = name === '' ? [{ field: 'name', text: view.words.partners.nameMissing }] : [];
    if (troubles.length + missing.length > 0) return newPage(visit, [...missing, ...troubles]);
    try {
      const { integrationId } = await partner.create({ ...change, name });
      return { to: `/partners/${integrationId}` };
    } catch (error) {
      const found = feeTroubles(view, error, typedFees(form));
      return found ? newPage(visit, found) : outside(visit, error);
    }
  });
}

async function list({ view, partner }: Visit): Promise<Answer> {
  const { words, base } = view;
  const { address, integrations } = await partner.me();
  return {
    title: words.partners.integrations,
    script: 'partners',
    isPrivate: true,
    isUnlisted: true,
    page: (
      <div class="narrow">
        <h1>{words.partners.integrations}</h1>
        <section class="card">
          {integrations.length === 0 && <p>{words.partners.none}</p>}
          <ul class="entries">
            {integrations.map(({ integrationId, name, role }) => (
              <li>
                <a class="entry-link" href={`${base}/partners/${integrationId}`}>
                  {plainName(name)}
                </a>
                <Pill tone="soft">{words.partners[role]}</Pill>
              </li>
            ))}
          </ul>
          <p>
            <a class={integrations.length === 0 ? 'button' : 'button quiet'} href={`${base}/partners/new`}>
              {words.partners.make}
            </a>
          </p>
        </section>
        <section class="card account">
          <span class="hint">{words.partners.signedInAs}</span>
          <Address text={address} />
          <SignOut view={view} />
        </section>
      </div>
    ),
  };
}

const FIRST_PERCENT = '0.5';

function newPage({ view, form }: Visit, troubles: readonly Trouble[]): Answer {
  const { words, base } = view;
  const typed = typedFees(form);
  const isFirst = troubles.length === 0;
  return {
    title: words.partners.make,
    script: 'partners',
    isPrivate: true,
    isUnlisted: true,
    status: troubles.length > 0 ? 422 : 200,
    page: (
      <div class="narrow">
        <p class="crumb">
          <a href={`${base}/partners`}>{words.partners.integrations}</a>
        </p>
        <h1>{words.partners.make}</h1>
        <p class="lead">{words.partners.makeLine}</p>
        <Troubles title={words.errors.summary} troubles={troubles} />
        <form method="post" action={`${base}/partners/new`} class="card action">
          <Field
            name="name"
            label={words.partners.name}
            hint={words.partners.nameHint}
            value={form.text('name')}
            error={troubles.find(({ field }) => field === 'name')?.text}
            required
          />
          <FeeFields
            view={view}
            typed={isFirst ? { ...typed, feePercent: FIRST_PERCENT } : typed}
            troubles={troubles}
          />
          <button type="submit" class="button">
            {words.partners.create}
          </button>
        </form>
      </div>
    ),
  };
}
