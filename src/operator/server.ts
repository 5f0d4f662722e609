import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { present } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import { MAX_BODY_BYTES } from '../kernel/limits.ts';
import { unreadable, wrongField } from '../kernel/unreadable.ts';
import type { OperatorActs } from '../store/operator-acts.ts';
import { auditCalls } from './audit-calls.ts';
import { type CaseCallsDeps, caseCalls } from './case-calls.ts';
import { type IntegrationCallsDeps, integrationCalls } from './integration-calls.ts';
import { actOf, noted, type Room } from './operator-call.ts';
import { type KnownOperator, type Operator, recognise } from './operators.ts';
import { type ReportCallsDeps, reportCalls } from './report-calls.ts';
import { type SolvencyCallsDeps, solvencyCalls } from './solvency-calls.ts';
import { type SwitchCallsDeps, switchCalls } from './switch-calls.ts';

export interface OperatorDeps
  extends IntegrationCallsDeps,
    SwitchCallsDeps,
    ReportCallsDeps,
    SolvencyCallsDeps,
    CaseCallsDeps {
  readonly operators: readonly KnownOperator[];
  readonly acts: OperatorActs;
  readonly clock: Clock;
  /** Told of every failure that is not the caller's. */
  onTrouble(error: unknown): void;
}

/** A whole request must be in by then, so that slow senders hold no connection. */
const REQUEST_DEADLINE_MS = 15_000;

const LOOKS = new Set(['GET', 'HEAD', 'OPTIONS']);
const ONLY_LOOKS = 'This token may look at everything and change nothing.';

/** Operators and a collector of metrics are few. */
const MAX_CONNECTIONS = 256;

/** The operator API has a port of its own. Every path needs a token, those that do not exist included. */
export function buildOperator(deps: OperatorDeps): FastifyInstance {
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_DEADLINE_MS,
    http: { headersTimeout: REQUEST_DEADLINE_MS, connectionsCheckingInterval: REQUEST_DEADLINE_MS / 15 },
    // No hook runs for an address that cannot be read, so that it asks for the token itself.
    frameworkErrors: (error, { headers }, reply) =>
      recognise(headers.authorization, deps.operators) ? answerError(error, reply, deps) : unauthorized(reply),
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: false } },
  });

  app.server.maxConnections = MAX_CONNECTIONS;

  const asking = new WeakMap<FastifyRequest, Operator>();
  const { acts, clock, onTrouble } = deps;
  const room: Room = {
    app,
    acts,
    clock,
    onTrouble,
    whoAsks: (request) => present(asking.get(request), 'the operator'),
  };

  app.addHook('onRequest', async (request, reply) => {
    const operator = recognise(request.headers.authorization, deps.operators);
    if (!operator) return unauthorized(reply);
    asking.set(request, operator);
    if (operator.mayAct || LOOKS.has(request.method)) return;
    // Whoever tries what they may not is written down like any other act.
    const act = { operator: operator.name, act: actOf(request), details: {}, reason: undefined };
    const { status, refused } = await noted(room, act, async () => ({ status: 403, refused: ONLY_LOOKS }));
    return reply.code(status).send({ error: refused });
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'Not found' }));
  app.setErrorHandler((error: FastifyError, _request, reply) => answerError(error, reply, deps));
  acceptEmptyJson(app);

  integrationCalls(room, deps);
  switchCalls(room, deps);
  reportCalls(room, deps);
  solvencyCalls(room, deps);
  caseCalls(room, deps);
  auditCalls(room);
  return app;
}

const unauthorized = (reply: FastifyReply): FastifyReply =>
  reply.code(401).header('www-authenticate', 'Bearer').send({ error: 'Unauthorized' });

function answerError(error: FastifyError, reply: FastifyReply, { onTrouble }: OperatorDeps): FastifyReply {
  const { statusCode = 500, code, validation } = error;
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return reply.code(404).send({ error: 'Not found' });
  if (statusCode < 500) {
    const [wrong] = validation ?? [];
    return reply.code(statusCode).send({ error: wrong ? wrongField(wrong).sentence : unreadable(code).message });
  }
  onTrouble(error);
  return reply.code(503).send({ error: 'This cannot be answered at the moment.' });
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
