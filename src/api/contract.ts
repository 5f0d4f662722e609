import swagger from '@fastify/swagger';
import reference from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { assert } from '../kernel/assert.ts';
import { refuse } from '../kernel/refusal.ts';
import { complete, type Document, PROOFS } from './contract-document.ts';
import { sendSpoken, speak } from './refusals.ts';
import { NAMED_SCHEMAS } from './v2/schema.ts';

const CONTRACT_PATH = '/v2/openapi.json';

/** This must run before the routes are added, because it listens as they are. */
export async function registerContract(app: FastifyInstance): Promise<void> {
  for (const schema of NAMED_SCHEMAS) app.addSchema(schema);
  await app.register(swagger, {
    refResolver: { buildLocalReference: ({ $id }) => String($id) },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Wherry',
        version: '2',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
        description:
          'Swaps between chains. Amounts are strings of digits in the smallest unit; dollar fields are for display only.',
      },
      servers: [{ url: '/' }],
      components: { securitySchemes: PROOFS },
    },
    transformObject: (made) => complete(documentOf(made)),
  });
}

/** Every route has a schema, so that what is made of them has the parts that `Document` names. */
function documentOf(made: object): Document {
  assert('openapiObject' in made, 'an OpenAPI document');
  return made.openapiObject as Document;
}

/** The page and its script come from here alone; the policy keeps it so. */
const PAGE_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
].join('; ');

/** This must run after the routes were added. */
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
