import type { VNode } from 'preact';
import { curlOf, type Guide, isCall, type Step, settingsOf } from '../guides/guide.ts';
import { ORDER_GUIDES } from '../guides/orders.ts';
import { PARTNER_GUIDES } from '../guides/partners.ts';
import { type Contract, callsOf } from '../server/contract.ts';
import type { Answer, Site, Visit } from '../server/site.ts';
import { originOf, type View } from '../server/view.ts';

export const GUIDES: readonly Guide[] = [...ORDER_GUIDES, ...PARTNER_GUIDES];

/** A page for each task, in the language of the contract. */
export function mountGuides(site: Site, readContract: () => Promise<Contract>): void {
  site.get('/docs/guide/:name', async (visit) => {
    const guide = GUIDES.find(({ name }) => name === visit.params.name);
    return guide ? guidePage(visit, guide, await readContract()) : { to: '/docs' };
  });
}

export const GuideList = ({ view: { base } }: { readonly view: View }): VNode => (
  <ul class="calls" lang="en" dir="ltr">
    {GUIDES.map(({ name, title, line }) => (
      <li>
        <a href={`${base}/docs/guide/${name}`}>{title}</a>
        <small>{line}</small>
      </li>
    ))}
  </ul>
);

function guidePage({ view }: Visit, guide: Guide, contract: Contract): Answer {
  const { words, base } = view;
  return {
    title: guide.title,
    page: (
      <div class="narrow prose">
        <p class="crumb">
          <a href={`${base}/docs`}>{words.docs.title}</a>
        </p>
        <div class="stack" lang="en" dir="ltr">
          <h1>{guide.title}</h1>
          <p class="lead">{guide.line}</p>
          <pre>{settingsOf(guide, originOf(view))}</pre>
          <ol class="guide">
            {guide.steps.map((step) => (
              <li>
                <p>{step.text}</p>
                <pre>{isCall(step) ? curlOf(step, view.settings.publicUrl) : step.code}</pre>
                <CallLink base={base} step={step} contract={contract} />
              </li>
            ))}
          </ol>
        </div>
      </div>
    ),
  };
}

/** To the page about the call, where the contract has it. */
function CallLink(props: { readonly base: string; readonly step: Step; readonly contract: Contract }): VNode | null {
  const { base, step, contract } = props;
  if (!isCall(step)) return null;
  const asked = step.path.split('?')[0]?.replaceAll(/\$[A-Z]+/g, '{id}');
  const call = callsOf(contract).find(
    ({ method, path }) => method === step.method && path.replaceAll(/\{\w+\}/g, '{id}') === asked,
  );
  if (!call) return null;
  return (
    <p class="hint">
      <a href={`${base}/docs/${call.operation.operationId}`}>{call.operation.summary}</a>
    </p>
  );
}
