import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { assert } from '../kernel/assert.ts';
import { keyInQuery } from './caller.ts';
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

/** This must run after the routes were added. The readable pages about it are with the other pages for people. */
export function serveContract(app: FastifyInstance): void {
  app.get(CONTRACT_PATH, { schema: { hide: true } }, async (request, reply) => {
    const refusal = keyInQuery(request);
    return refusal ? sendSpoken(reply, speak(refusal, 'v2')) : app.swagger();
  });
}
