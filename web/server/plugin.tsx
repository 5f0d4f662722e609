import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { renderToString } from 'preact-render-to-string';
import { WherryError } from '../../sdk/src/index.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { mountBridge } from '../pages/bridge.tsx';
import { mountDocs } from '../pages/docs.tsx';
import { mountHelp } from '../pages/help.tsx';
import { mountOrder } from '../pages/order.tsx';
import { mountOrderPapers } from '../pages/order-papers.tsx';
import { mountOrders } from '../pages/orders.tsx';
import { mountPay } from '../pages/pay.tsx';
import { mountRecover } from '../pages/recover.tsx';
import { mountStatus } from '../pages/status.tsx';
import { mountSwap } from '../pages/swap.tsx';
import { mountTrack } from '../pages/track.tsx';
import { mountPartners } from '../partners/mount.ts';
import { MEMBER_COOKIE, partnerDesk } from '../partners/partner-desk.ts';
import { Layout } from '../parts/layout.tsx';
import type { Words } from '../words/en.ts';
import { type AssetFiles, mountAssets } from './assets.ts';
import type { Contract } from './contract.ts';
import { deskFor, type FetchAs, openBook } from './desk.ts';
import { FORM_BYTES, readForm } from './forms.ts';
import { type Origin, pageHeaders } from './headers.ts';
import { chooseLanguage, isLanguage, type Language, WORDS } from './language.ts';
import { mountLive, type Watch } from './live.tsx';
import { choiceCookie, memberCookie, OWNERSHIP_COOKIE, ownershipCookie, readCookie } from './ownership.ts';
import { whyUnavailable } from './refused.ts';
import type { PagesSettings, ShownRules, Stopped } from './settings.ts';
import type { Answer, Site, Visit, Work } from './site.ts';
import type { View } from './view.ts';

export interface PagesDeps {
  readonly fetchAs: FetchAs;
  readonly watch: Watch;
  readonly clock: Clock;
  readonly settings: PagesSettings;
  readonly rules: ShownRules;
  readonly files: AssetFiles;
  /** What an operator has stopped, as creation itself would find it. */
  stopped(): Promise<readonly Stopped[]>;
  newKey(): string;
}

/** The pages for people, in a context of their own beside the interface for programs. */
export async function mountPages(app: FastifyInstance, deps: PagesDeps): Promise<void> {
  const base =
    deps.settings.publicUrl === undefined ? '' : new URL(deps.settings.publicUrl).pathname.replace(/\/$/, '');
  const visitOf = visits(deps, base);
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_BYTES },
      (_, body, done) => done(null, body),
    );
    scope.addHook('onRequest', async (request, reply) => {
      for (const name of ['access-control-allow-origin', 'access-control-expose-headers']) reply.removeHeader(name);
      reply.headers(pageHeaders(originOf(request, deps.settings)));
    });
    scope.setErrorHandler(async (error, request, reply) =>
      answerError(error, request, reply, visitOf, WORDS[languageOf(request, deps.settings)]),
    );
    mountAssets(scope, base, deps.files);
    const site = siteOn(scope, base, visitOf);
    mountAll(site, deps);
    mountLive(scope, base, { watch: deps.watch, visitOf });
    // Whatever else is asked for below the base, the interface for programs aside.
    scope.get(`${base}/*`, { schema: { hide: true } }, async (request, reply) => {
      if (/^\/(?:v1|v2|partner|operator)(?:\/|\?|$)|^\/rates\.xml/.test(request.url)) return reply.callNotFound();
      const visit = await visitOf(request);
      return send(
        request,
        reply,
        visit,
        plainPage(visit.view, visit.view.words.errors.notFoundTitle, visit.view.words.errors.notFound, 404),
      );
    });
  });
}

function mountAll(site: Site, deps: PagesDeps): void {
  for (const mount of [
    mountSwap,
    mountOrder,
    mountOrderPapers,
    mountRecover,
    mountOrders,
    mountTrack,
    mountBridge,
    mountPay,
    mountHelp,
    mountPartners,
  ]) {
    mount(site);
  }
  mountStatus(site, deps.stopped);
  mountDocs(site, async () => {
    const response = await deps.fetchAs({ ip: '127.0.0.1' })('http://desk/v2/openapi.json');
    return (await response.json()) as Contract;
  });
  site.post('/choices', async ({ form }) => {
    const to = localPath(form.text('back'));
    const [lang, theme] = [form.text('lang'), form.text('theme')];
    return {
      to,
      choices: [
        ...(isLanguage(lang) ? [['lang', lang] as const] : []),
        ...(['light', 'dark', 'system'].includes(theme) ? [['theme', theme] as const] : []),
      ],
    };
  });
}

/** Only a path of ours, below the base: no other site is ever sent to. */
const localPath = (text: string): string => (/^\/(?![/\\])[\w./~-]*$/.test(text) ? text : '/');

type VisitOf = (request: FastifyRequest) => Promise<Visit>;

function siteOn(scope: FastifyInstance, base: string, visitOf: VisitOf): Site {
  const route = (method: 'GET' | 'POST', path: string, work: Work) =>
    scope.route({
      method,
      url: path === '/' && base !== '' ? base : `${base}${path}`,
      schema: { hide: true },
      handler: async (request, reply) => {
        const visit = await visitOf(request);
        if (method === 'POST' && !isSameOrigin(request)) {
          const { errors } = visit.view.words;
          return send(request, reply, visit, plainPage(visit.view, errors.notFoundTitle, errors.crossSite, 403));
        }
        return send(request, reply, visit, await work(visit));
      },
    });
  return { get: (path, work) => void route('GET', path, work), post: (path, work) => void route('POST', path, work) };
}

/** Browsers name the origin of every form; whoever names another one is not ours. */
function isSameOrigin(request: FastifyRequest): boolean {
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === request.host;
}

function originOf(request: FastifyRequest, { onionAddress, publicUrl }: PagesSettings): Origin {
  const isOnion = onionAddress !== undefined && request.hostname === onionAddress;
  // A proxy that ends TLS may not say so; the address under which the pages are known does.
  const isSecure = request.protocol === 'https' || (!isOnion && (publicUrl?.startsWith('https:') ?? false));
  return { isSecure, isOnion, onionUrl: onionAddress && `http://${onionAddress}${request.url}` };
}

const queryOf = ({ url }: FastifyRequest): URLSearchParams => new URLSearchParams(url.split('?')[1] ?? '');

const languageOf = (request: FastifyRequest, { languages }: PagesSettings): Language =>
  chooseLanguage(
    languages,
    queryOf(request).get('lang') ?? readCookie(request.headers.cookie, 'lang'),
    request.headers['accept-language'],
  );

function visits(deps: PagesDeps, base: string): VisitOf {
  const { settings, clock, fetchAs, rules, files } = deps;
  const readBook = openBook(clock);
  return async (request) => {
    const send = fetchAs({ ip: request.ip });
    const desk = deskFor(send);
    const cookie = (name: string) => readCookie(request.headers.cookie, name);
    const query = queryOf(request);
    const language = languageOf(request, settings);
    const theme = cookie('theme');
    const view: View = {
      words: WORDS[language],
      language,
      theme: theme === 'light' || theme === 'dark' ? theme : undefined,
      base,
      path: request.url.split('?')[0] ?? '/',
      isOnion: originOf(request, settings).isOnion,
      settings,
      rules,
      now: clock.now(),
      book: await readBook(desk),
      file: (name) => `${base}/assets/${files[name]?.name ?? name}`,
    };
    const form = readForm(typeof request.body === 'string' ? request.body : '');
    return {
      view,
      desk,
      deskBy: (ref) => deskFor(send, ref),
      partner: partnerDesk(send, cookie(MEMBER_COOKIE)),
      query,
      form,
      params: request.params as Record<string, string>,
      session: cookie(OWNERSHIP_COOKIE),
      newKey: deps.newKey,
    };
  };
}

function plainPage(view: View, title: string, text: string, status: number, requestId?: string): Answer {
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

function send(request: FastifyRequest, reply: FastifyReply, { view }: Visit, answer: Answer): FastifyReply {
  const { isSecure } = originOf(request, view.settings);
  if ('to' in answer) {
    const { to, ownership, choices = [], member } = answer;
    if (ownership) reply.header('set-cookie', ownershipCookie(ownership, view.base, isSecure));
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
  const { page, title, script, mood = 'idle', reload, feed, isUnlisted = false } = answer;
  const html = renderToString(
    <Layout view={view} title={title} mood={mood} script={script} reload={reload} feed={feed} isUnlisted={isUnlisted}>
      {page}
    </Layout>,
  );
  return reply.send(`<!doctype html>${html}`);
}

const WAIT_SECONDS = 60;

/** A page about what went wrong, with the request's name; the refusals of forms are on the forms themselves. */
async function answerError(
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
  const { errors } = words;
  const text =
    status === 429
      ? errors.rateLimited(retryAfter)
      : status === 503
        ? whyUnavailable({ words }, error)
        : status === 413
          ? errors.tooLarge
          : status < 500
            ? errors.notFound
            : errors.failed;
  return send(
    request,
    reply,
    visit,
    plainPage(visit.view, status < 500 ? errors.notFoundTitle : errors.failedTitle, text, status, request.id),
  );
}
