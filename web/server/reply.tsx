import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderToString } from 'preact-render-to-string';
import { WherryError } from '../../sdk/src/index.ts';
import { Layout } from '../parts/layout.tsx';
import type { Words } from '../words/en.ts';
import type { Origin } from './headers.ts';
import { billCookie, choiceCookie, memberCookie, ownershipCookie } from './ownership.ts';
import { whyUnavailable } from './refused.ts';
import type { PagesSettings } from './settings.ts';
import type { Answer, Visit } from './site.ts';
import type { View } from './view.ts';

export type VisitOf = (request: FastifyRequest) => Promise<Visit>;

export function originOf(request: FastifyRequest, { onionAddress, publicUrl }: PagesSettings): Origin {
  const isOnion = onionAddress !== undefined && request.hostname === onionAddress;
  // A proxy that ends TLS may not say so; the address under which the pages are known does.
  const isSecure = request.protocol === 'https' || (!isOnion && (publicUrl?.startsWith('https:') ?? false));
  return { isSecure, isOnion, onionUrl: onionAddress && `http://${onionAddress}${request.url}` };
}

export function plainPage(view: View, title: string, text: string, status: number, requestId?: string): Answer {
  return {
    title,
    status,
    isUnlisted: true,
    page: (
      <div class="narrow">
        <section class="card">
          <h1>{title}</h1>
          <p>{text}</p>
          {requestId && <p class="hint">{view.words.errors.request(requestId)}</p>}
          <p>
            <a class="button quiet" href={`${view.base}/`}>
              {view.words.nav.swap}
            </a>
          </p>
        </section>
      </div>
    ),
  };
}

export function send(request: FastifyRequest, reply: FastifyReply, { view }: Visit, answer: Answer): FastifyReply {
  const { isSecure } = originOf(request, view.settings);
  if ('to' in answer) {
    const { to, ownership, bill, choices = [], member } = answer;
    if (ownership) reply.header('set-cookie', ownershipCookie(ownership, view.base, isSecure));
    if (ownership && bill) reply.header('set-cookie', billCookie(bill, ownership, view.base, isSecure));
    if (member) {
      const { token, maxAge } = member === 'gone' ? { token: '', maxAge: '0' } : member;
      reply.header('set-cookie', memberCookie(token, maxAge, view.base, isSecure));
    }
    for (const [name, value] of choices) reply.header('set-cookie', choiceCookie(name, value, view.base, isSecure));
    return reply
      .code(303)
      .header('location', to.startsWith(view.base) && view.base !== '' ? to : `${view.base}${to}`)
      .send();
  }
  if ('text' in answer) {
    if (answer.file) reply.header('content-disposition', `attachment; filename="${answer.file}"`);
    return reply.header('content-type', answer.type).send(answer.text);
  }
  reply.header('content-type', 'text/html; charset=utf-8').code(answer.status ?? 200);
  // A form is still there, as it was filled in, for whoever goes back to it; a page with a key of its own is kept nowhere.
  if (!('part' in answer) && !answer.isPrivate) reply.header('cache-control', 'private, no-cache');
  if ('part' in answer) return reply.send(renderToString(answer.part));
  const { page, title, script, mood = 'idle', reload, feed, isUnlisted = false, back } = answer;
  const shown = back === undefined ? view : { ...view, back: `${view.base}${back}` };
  const html = renderToString(
    <Layout view={shown} title={title} mood={mood} script={script} reload={reload} feed={feed} isUnlisted={isUnlisted}>
      {page}
    </Layout>,
  );
  return reply.send(`<!doctype html>${html}`);
}

const WAIT_SECONDS = 60;

/** A page about what went wrong, with the request's name; the refusals of forms are on the forms themselves. */
export async function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  visitOf: VisitOf,
  words: Words,
): Promise<FastifyReply> {
  const status = error instanceof WherryError ? error.status : ((error as { statusCode?: number }).statusCode ?? 500);
  if (status >= 500 && !(error instanceof WherryError))
    request.log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'page failed');
  const retryAfter = error instanceof WherryError ? (error.retryAfter ?? WAIT_SECONDS) : WAIT_SECONDS;
  if (status === 429) reply.header('retry-after', `${retryAfter}`);
  const visit = await visitOf(request).catch(() => undefined);
  // Without the desk there is no list to show: the plainest page that says so.
  if (!visit)
    return reply
      .code(status === 429 ? 429 : 503)
      .header('content-type', 'text/plain; charset=utf-8')
      .send(
        `${status === 429 ? words.errors.rateLimited(retryAfter) : whyUnavailable({ words }, error)} (${request.id})\n`,
      );
  const [title, text] = wordsFor(status, words, retryAfter, error);
  return send(request, reply, visit, plainPage(visit.view, title, text, status, request.id));
}

function wordsFor(status: number, words: Words, retryAfter: number, error: unknown): readonly [string, string] {
  const { errors } = words;
  if (status === 429) return [errors.limitedTitle, errors.rateLimited(retryAfter)];
  if (status === 413) return [errors.notFoundTitle, errors.tooLarge];
  if (status < 500) return [errors.notFoundTitle, errors.notFound];
  return [errors.failedTitle, status === 503 ? whyUnavailable({ words }, error) : errors.failed];
}
