import type { VNode } from 'preact';
import { type Call, type Contract, callsOf, follow, type Schema, typeOf } from '../server/contract.ts';
import type { Answer, Site, Visit } from '../server/site.ts';
import type { View } from '../server/view.ts';
import { GuideList, mountGuides } from './guides.tsx';

/** The contract as plain pages, one for each call, made from what programs read. */
export function mountDocs(site: Site, readContract: () => Promise<Contract>): void {
  const overview = async (visit: Visit) => overviewPage(visit, await readContract());
  site.get('/docs', overview);
  site.get('/v2/docs', overview);
  mountGuides(site, readContract);
  site.get('/docs/:name', async (visit) => {
    const contract = await readContract();
    const call = callsOf(contract).find(({ operation }) => operation.operationId === visit.params.name);
    return call ? callPage(visit, contract, call) : { to: '/docs' };
  });
}

function overviewPage({ view }: Visit, contract: Contract): Answer {
  const { words, base } = view;
  const { docs } = words;
  const calls = callsOf(contract);
  const tags = [...new Set(calls.flatMap(({ operation }) => operation.tags ?? []))];
  return {
    title: docs.title,
    page: (
      <div class="narrow prose">
        <h1>{docs.title}</h1>
        <p class="lead">
          {docs.lead}{' '}
          <a dir="ltr" href="/v2/openapi.json">
            /v2/openapi.json
          </a>
        </p>
        <p>
          <a href={`${base}/partners`}>{words.nav.partners}</a>{' '}
          <a dir="ltr" href="/partner/openapi.json">
            /partner/openapi.json
          </a>
        </p>
        <section class="card">
          <h2>{docs.guides}</h2>
          <GuideList view={view} />
        </section>
        <section class="card">
          <h2>{docs.calls}</h2>
          {tags.map((tag) => (
            <>
              <h3 dir="ltr" lang="en">
                {tag}
              </h3>
              <ul class="calls" dir="ltr">
                {calls
                  .filter(({ operation }) => operation.tags?.includes(tag))
                  .map(({ method, path, operation }) => (
                    <li>
                      <a href={`${base}/docs/${operation.operationId}`}>{operation.summary}</a>
                      <bdi class="code">{`${method} ${path}`}</bdi>
                    </li>
                  ))}
              </ul>
            </>
          ))}
        </section>
      </div>
    ),
  };
}

function callPage({ view }: Visit, contract: Contract, { method, path, operation }: Call): Answer {
  const { words, base } = view;
  const { docs } = words;
  const json = 'application/json';
  const [status = '200', good] = Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? [];
  const body = operation.requestBody?.content?.[json]?.schema;
  const reply = good?.content?.[json];
  const [example] = Object.values(reply?.examples ?? {});
  const parameters = (operation.parameters ?? []).map((one) => follow(contract, one));
  return {
    title: operation.summary ?? path,
    page: (
      // The contract is in English, whatever the language of the page around it.
      <div class="narrow prose" dir="ltr">
        <p class="crumb">
          <a href={`${base}/docs`}>{docs.title}</a>
        </p>
        <h1 lang="en">{operation.summary}</h1>
        <p class="code">
          <bdi>{`${method} ${path}`}</bdi>
        </p>
        {operation.description && <p lang="en">{operation.description}</p>}
        {(parameters.length > 0 || body) && (
          <section class="card">
            <h2>{docs.request}</h2>
            <FieldList
              view={view}
              rows={[
                ...parameters.map((one) => ({
                  name: `${one.name} (${one.in})`,
                  type: one.schema ? typeOf(contract, one.schema) : '',
                  isRequired: one.required ?? false,
                  text: one.description,
                })),
                ...(body ? rowsOf(contract, body) : []),
              ]}
            />
          </section>
        )}
        <section class="card">
          <h2>{`${docs.reply} ${status}`}</h2>
          {reply?.schema && <FieldList view={view} rows={rowsOf(contract, reply.schema)} />}
          {example && <pre dir="ltr">{JSON.stringify(follow(contract, example).value, null, 1)}</pre>}
        </section>
        <section class="card">
          <h2>{docs.refusals}</h2>
          <ul class="bulleted" lang="en">
            {Object.entries(operation.responses)
              .filter(([code]) => !code.startsWith('2'))
              .map(([code, { description }]) => (
                <li>{`${code} ${description ?? ''}`}</li>
              ))}
          </ul>
        </section>
      </div>
    ),
  };
}

interface Row {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly text: string | undefined;
}

function rowsOf(contract: Contract, schema: Schema): readonly Row[] {
  const found = follow(contract, schema);
  return Object.entries(found.properties ?? {}).map(([name, one]) => ({
    name,
    type: typeOf(contract, one),
    isRequired: found.required?.includes(name) ?? false,
    text: follow(contract, one).description,
  }));
}

/** A name and what it is, one below the other: names of fields are long, and phones are narrow. */
function FieldList({ view, rows }: { readonly view: View; readonly rows: readonly Row[] }): VNode {
  const { docs } = view.words;
  return (
    <dl class="fields">
      {rows.map(({ name, type, isRequired, text }) => (
        <div>
          <dt>
            <bdi class="code">{name}</bdi> {isRequired && <small>{docs.required}</small>}
          </dt>
          <dd>
            <bdi class="code">{type}</bdi>
            {text && <small lang="en">{text}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
