import fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { MAX_BODY_BYTES } from '../kernel/limits.ts';
import { type Secret, sameText } from '../kernel/secret.ts';
import { type CaseCallsDeps, caseCalls } from './case-calls.ts';
import { type IntegrationCallsDeps, integrationCalls } from './integration-calls.ts';
import { type ReportCallsDeps, reportCalls } from './report-calls.ts';
import { type SwitchCallsDeps, switchCalls } from './switch-calls.ts';

export interface OperatorDeps extends IntegrationCallsDeps, SwitchCallsDeps, ReportCallsDeps, CaseCallsDeps {
  /** The bearer token. */
  readonly token: Secret;
  /** Told of every failure that is not the caller's. */
  onTrouble(error: unknown): void;
}

/** A whole request must be in by then, so that slow senders hold no connection. */
const REQUEST_DEADLINE_MS = 15_000;

/** Operators and a collector of metrics are few. */
const MAX_CONNECTIONS = 256;

/** The operator API has a port of its own. Every path needs the token, those that do not exist included. */
export function buildOperator(deps: OperatorDeps): FastifyInstance {
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_DEADLINE_MS,
    http: { headersTimeout: REQUEST_DEADLINE_MS, connectionsCheckingInterval: REQUEST_DEADLINE_MS / 15 },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: false } },
  });

  app.server.maxConnections = MAX_CONNECTIONS;

  app.addHook('onRequest', async (request, reply) => {
    if (!holdsToken(request.headers.authorization, deps.token)) {
      return reply.code(401).header('www-authenticate', 'Bearer').send({ error: 'Unauthorized' });
    }
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'Not found' }));
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status < 500) return reply.code(status).send({ error: error.message });
    deps.onTrouble(error);
    return reply.code(503).send({ error: 'This cannot be answered at the moment.' });
  });
  acceptEmptyJson(app);

  integrationCalls(app, deps);
  switchCalls(app, deps);
  reportCalls(app, deps);
  caseCalls(app, deps);
  return app;
}

function holdsToken(header: string | undefined, token: Secret): boolean {
  const given = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(header ?? '')?.[1] ?? '';
  return sameText(given, token.reveal());
}

/** Many clients name JSON as the type of a body that they do not send, as with DELETE. */
function acceptEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text: string, done) => {
    if (text === '') done(null, undefined);
    else parse(request, text, done);
  });
}
