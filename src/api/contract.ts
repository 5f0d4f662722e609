import swagger from '@fastify/swagger';
import reference from '@scalar/fastify-api-reference';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { refuse } from '../kernel/refusal.ts';
import { sendSpoken, speak } from './refusals.ts';
import { NAMED_SCHEMAS } from './v2/schema.ts';
import { ErrorV2, ref } from './wire.ts';

const CONTRACT_PATH = '/v2/openapi.json';

/** Before the routes: it listens as they are added. */
export async function registerContract(app: FastifyInstance): Promise<void> {
  for (const schema of NAMED_SCHEMAS) app.addSchema(schema);
  await app.register(swagger, {
    transform: ({ schema, url }) => ({ schema: withRefusals(schema), url }),
    refResolver: { buildLocalReference: ({ $id }) => String($id) },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Wherry',
        version: '2',
        description:
          'Swaps between chains. Amounts are strings of digits in the smallest unit; dollar fields are for display only.',
      },
      components: {
        securitySchemes: {
          session: { type: 'apiKey', in: 'header', name: 'X-Session-ID' },
          integratorKey: { type: 'apiKey', in: 'header', name: 'X-Integrator-Key' },
        },
      },
    },
  });
}

/** Every endpoint may refuse; refusals are written as they are, so only the contract needs their schema. */
function withRefusals(schema: FastifySchema): FastifySchema {
  return { ...schema, response: { ...(schema.response ?? {}), default: ref(ErrorV2) } };
}

/** The page and its script come from here alone; the policy keeps it so. */
const PAGE_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
].join('; ');

/** After the routes. */
export async function serveContract(app: FastifyInstance): Promise<void> {
  app.get(CONTRACT_PATH, { schema: { hide: true } }, async () => app.swagger());
  await app.register(reference, {
    routePrefix: '/v2/docs',
    configuration: {
      url: CONTRACT_PATH,
      pageTitle: 'Wherry API',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      agent: { disabled: true },
    },
    hooks: {
      onRequest: (request, reply, done) => {
        // The page's handler reads the host as a part of its own address.
        if (!URL.canParse(`http://${request.host}`)) {
          sendSpoken(reply, speak(refuse('invalid_request', 'The host is not readable.'), 'v2'));
          return;
        }
        reply.header('content-security-policy', PAGE_POLICY).header('cache-control', 'public, max-age=3600');
        done();
      },
    },
  });
}
