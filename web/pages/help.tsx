import type { VNode } from 'preact';
import { Contact } from '../parts/contact.tsx';
import type { Site } from '../server/site.ts';
import { showSeconds } from '../server/view.ts';

const PARTS = ['how', 'refunds', 'fees', 'privacy', 'never'];

export function mountHelp(site: Site): void {
  // All of it is one page; each part has an address that can be told.
  site.get('/help/:part', async ({ params }) => ({
    to: `/help${PARTS.includes(params.part ?? '') ? `#${params.part}` : ''}`,
  }));

  site.get('/help', async ({ view }) => {
    const { words, rules } = view;
    const { help } = words;
    return {
      title: help.title,
      page: (
        <div class="narrow prose">
          <h1>{help.title}</h1>
          <Part id="how" title={help.how} texts={help.howText} />
          <Part
            id="refunds"
            title={help.deposits}
            texts={help.depositRules(
              rules.enoughPercent,
              showSeconds(view, rules.fundingWindowSeconds),
              rules.continueFromUsd,
            )}
          />
          <Part id="fees" title={help.fees} texts={help.feesText} />
          <Part id="privacy" title={help.privacy} texts={help.privacyText} />
          <Part id="never" title={help.never} texts={help.neverText} />
          <p>
            <Contact view={view} />
          </p>
        </div>
      ),
    };
  });
}

const Part = ({
  id,
  title,
  texts,
}: {
  readonly id: string;
  readonly title: string;
  readonly texts: readonly string[];
}): VNode => (
  <section class="card" id={id}>
    <h2>{title}</h2>
    {texts.map((text) => (
      <p>{text}</p>
    ))}
  </section>
);
