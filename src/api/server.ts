import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { MAX_BODY_BYTES } from '../kernel/limits.ts';
import { refuse } from '../kernel/refusal.ts';
import { registerContract, serveContract } from './contract.ts';
import type { ApiDeps } from './deps.ts';
import { mount } from './endpoint.ts';
import { refusalOf } from './framework-errors.ts';
import { MAX_CONNECTIONS, MAX_PARAM_CHARS, QUOTA_SWEEP_MS, REQUEST_DEADLINE_MS } from './limits.ts';
import { mountPartnerCalls } from './partner/routes.ts';
import { believeProxies } from './proxy-line.ts';
import { mountRates } from './rates-xml.ts';
import { generationOf, sendSpoken, speak, speakFailure } from './refusals.ts';
import { ENDPOINTS, methodsAt } from './routes.ts';
import { PlainOrSocket, registerSockets } from './sockets.ts';
import { mountEvents } from './v2/events.ts';

/** Both generations of the interface, ready to listen. Closing it finishes what runs and sends the sockets away. */
export async function buildApi(deps: ApiDeps): Promise<FastifyInstance> {
  const newRequestId = requestIds(deps);
  const { requestDeadlineMs: deadlineMs = REQUEST_DEADLINE_MS } = deps;
  const app = fastify({
    loggerInstance: deps.log,
    // Addresses carry proofs of ownership, so they are not logged.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: deadlineMs,
    http: { IncomingMessage: PlainOrSocket, headersTimeout: deadlineMs, connectionsCheckingInterval: deadlineMs / 15 },
    // Without any, the address is that of the socket, whatever a header says.
    trustProxy: deps.trustedProxies?.length ? [...deps.trustedProxies] : false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_CHARS },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: true } },
    frameworkErrors: (error, request, reply) => answerError(error, request, marked(reply, request.id), deps),
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, newRequestId()),
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  acceptOnlyJson(app);
  if (deps.trustedProxies?.length) believeProxies(app.server, deps.trustedProxies);
  // This comes first, since its hook tells the others which requests want a socket.
  await registerSockets(app);
  app.addHook('onRequest', (request, reply, done) => {
    marked(reply, request.id);
    // Partners are known by a cookie, so no other site's page gets to read what they are answered.
    if (request.url.startsWith('/partner')) reply.removeHeader('access-control-allow-origin');
    if (!request.ws || request.routeOptions.config.speaksWebSocket || request.is404) return done();
    const refusal = refuse('invalid_request', 'This address does not speak WebSocket.');
    sendSpoken(reply, speak(refusal, generationOf(request.url)));
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = `${request.method} ${request.routeOptions.url ?? '(none)'}`;
    deps.observe({ route, status: reply.statusCode, ms: reply.elapsedTime });
    done();
  });
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, deps));
  app.setNotFoundHandler(answerUnknown);

  await registerContract(app);
  for (const one of ENDPOINTS) mount(app, one, deps);
  mountPartnerCalls(app, deps);
  mountEvents(app, deps);
  mountRates(app, deps);
  serveContract(app);
  mountHealth(app, deps);
  sweepQuota(app, deps);
  return app;
}

const REQUEST_ID_BYTES = 12;
/** Randomness is drawn for so many requests at once. */
const REQUEST_IDS_DRAWN = 256;

function requestIds({ randomBytes }: ApiDeps): () => string {
  let drawn = Buffer.alloc(0);
  return () => {
    if (drawn.length === 0) drawn = Buffer.from(randomBytes(REQUEST_ID_BYTES * REQUEST_IDS_DRAWN));
    const id = drawn.toString('hex', 0, REQUEST_ID_BYTES);
    drawn = drawn.subarray(REQUEST_ID_BYTES);
    return id;
  };
}

const EXPOSED = [
  'X-Request-Id',
  'ETag',
  'Retry-After',
  'X-RateLimit-Resource',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Idempotent-Replayed',
  'X-Next-Cursor',
].join(', ');

/**
 * What every answer carries. Browsers of other sites may call: owners prove themselves by headers, never by cookies.
 */
function marked(reply: FastifyReply, requestId: string): FastifyReply {
  return reply.headers({
    'x-request-id': requestId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': EXPOSED,
  });
}

/** An empty body is no body, also when it is announced as JSON. */
function acceptOnlyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) =>
    body === '' ? done(null, undefined) : parse(request, body, done),
  );
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply, deps: ApiDeps): FastifyReply {
  const generation = generationOf(request.url);
  const refusal = refusalOf(error);
  if (refusal) return sendSpoken(reply, speak(refusal, generation));
  deps.log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'request failed');
  return sendSpoken(reply, speakFailure(generation));
}

function answerUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const methods = methodsAt(request.url);
  // A name that is too long to be one finds nothing under its own method, either.
  if (methods.length === 0 || methods.includes(request.method)) {
    return sendSpoken(reply, speak(refuse('not_found', 'Not found.'), generationOf(request.url)));
  }
  if (request.method === 'OPTIONS') return answerPreflight(reply, methods);
  const allow = methods.join(', ');
  const refusal = refuse('method_not_allowed', `This address answers ${allow}.`, { allow });
  return sendSpoken(reply, speak(refusal, generationOf(request.url)));
}

function answerPreflight(reply: FastifyReply, methods: readonly string[]): FastifyReply {
  return reply
    .code(204)
    .headers({
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers':
        'Content-Type, X-Session-ID, X-Integrator-Key, X-Integrator-Ref, X-API-Key, Idempotency-Key, If-None-Match',
      'access-control-max-age': '600',
    })
    .send();
}

const UNREADABLE: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

/** What came is not HTTP, too long or too slow: there is no request to answer, only a connection to end politely. */
function answerUnreadable(error: { readonly code?: string }, socket: Socket, requestId: string): void {
  const status = UNREADABLE[error.code ?? ''] ?? 400;
  const body = JSON.stringify({ error: 'The request could not be read.', code: 'invalid_request' });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `X-Request-Id: ${requestId}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  if (socket.writable) socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}

function mountHealth(app: FastifyInstance, deps: ApiDeps): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }));
  app.get('/readyz', { schema: { hide: true } }, async (_, reply) => {
    const reasons = await deps.unready().catch(() => ['the database does not answer']);
    return reasons.length === 0
      ? reply.code(200).send({ status: 'ready' })
      : reply.code(503).send({ status: 'unavailable', reasons });
  });
}

function sweepQuota(app: FastifyInstance, { quota, clock, log }: ApiDeps): void {
  const sweep = () => quota.sweep(clock.now()).catch((error: unknown) => log.warn(error, 'quota sweep'));
  const timer = setInterval(sweep, QUOTA_SWEEP_MS);
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));
}
