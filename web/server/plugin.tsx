import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
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
import { type AssetFiles, mountAssets } from './assets.ts';
import type { Contract } from './contract.ts';
import { deskFor, type FetchAs, openBook } from './desk.ts';
import { FORM_BYTES, readForm } from './forms.ts';
import { pageHeaders } from './headers.ts';
import { chooseLanguage, isLanguage, type Language, WORDS } from './language.ts';
import { mountLive, type Watch } from './live.tsx';
import { isLocalPath } from './local-path.ts';
import { BILL, OWNERSHIP_COOKIE, readBill, readCookie } from './ownership.ts';
import { answerError, originOf, plainPage, send, type VisitOf } from './reply.tsx';
import type { PagesSettings, ShownRules, Stopped } from './settings.ts';
import type { Site, Work } from './site.ts';
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
    // No form is longer than this, so that no address is cut.
    const back = form.text('back', FORM_BYTES);
    const to = isLocalPath(back) ? back : '/';
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

function siteOn(scope: FastifyInstance, base: string, visitOf: VisitOf): Site {
  const answer = (method: 'GET' | 'POST', work: Work) => async (request: FastifyRequest, reply: FastifyReply) => {
    const visit = await visitOf(request);
    if (method === 'POST' && !isSameOrigin(request)) {
      const { errors } = visit.view.words;
      return send(request, reply, visit, plainPage(visit.view, errors.notFoundTitle, errors.crossSite, 403));
    }
    return send(request, reply, visit, await work(visit));
  };
  const route = (method: 'GET' | 'POST', path: string, work: Work) => {
    // The first page below a path is asked for with and without the stroke at its end.
    for (const url of path === '/' && base !== '' ? [base, `${base}/`] : [`${base}${path}`])
      scope.route({ method, url, schema: { hide: true }, handler: answer(method, work) });
  };
  return { get: (path, work) => route('GET', path, work), post: (path, work) => route('POST', path, work) };
}

/** Browsers name the origin of every form; whoever names another one is not ours. */
function isSameOrigin(request: FastifyRequest): boolean {
  const { origin } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === request.host;
}

const pathOf = ({ url }: FastifyRequest): string => url.split('?')[0] ?? '/';
const queryOf = ({ url }: FastifyRequest): URLSearchParams => new URLSearchParams(url.split('?')[1] ?? '');

/**
 * Where a choice of language or colours leads back to: this page as it was asked for, less a language that its address names. What
 * answered a form may have no page of its own: then it is the nearest one above that has.
 */
function backTo(request: FastifyRequest): string {
  const path = pathOf(request);
  if (request.method !== 'POST') {
    const query = queryOf(request);
    query.delete('lang');
    return query.size > 0 ? `${path}?${query}` : path;
  }
  const route = (request.routeOptions.url ?? '').split('/');
  const parts = path.split('/');
  while (route.length > 1 && !request.server.hasRoute({ method: 'GET', url: route.join('/') })) {
    route.pop();
    parts.pop();
  }
  return parts.join('/') || '/';
}

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
      path: pathOf(request),
      back: backTo(request),
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
      bill: readBill(cookie(BILL)),
      newKey: deps.newKey,
    };
  };
}
