/** The parts of an OpenAPI document that become types. */
export interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<'application/json', { readonly schema: Schema }>>;

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

interface Named {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Types for every named schema, and for what each operation takes and answers; and where each operation is found. */
export function clientTypes({ paths, components }: Contract): string {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: operation.operationId, method, path, operation })),
  );
  const calls = all.filter(({ operation }) => replyOf(operation) !== undefined);
  const streams = all.filter(({ operation }) => '101' in operation.responses);
  const schemas = Object.entries(components.schemas).map(([name, schema]) => declared(name, schema));
  return [
    '// Written by `npm run sdk` from the contract.',
    ...schemas,
    ...calls.flatMap((call) => [declared(`${capital(call.name)}Input`, inputOf(call.operation)), replyType(call)]),
    `export interface Operations {\n${calls.map(signature).join('\n')}\n}`,
    comment('Where each operation is found, and which parts of its input travel in the address.') +
      table('OPERATIONS', calls),
    comment('Operations that open a socket.') + table('STREAMS', streams),
  ].join('\n\n');
}

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const replyOf = ({ responses }: Operation): Schema | undefined =>
  (responses['200'] ?? responses['201'])?.content['application/json'].schema;

const isNamed = ({ $ref }: Schema): boolean => $ref !== undefined;

function replyType({ name, operation }: Named): string {
  const reply = replyOf(operation) ?? {};
  return isNamed(reply) ? '' : declared(`${capital(name)}Reply`, reply);
}

/** Those of the path first. What every operation takes is a reference, and an option of the client. */
const parametersOf = ({ parameters }: Operation): Parameter[] =>
  parameters.filter((one) => 'schema' in one).sort((a, b) => a.in.localeCompare(b.in));

/** One flat object: what is in the path, in the query and in the body, which never share a name. */
function inputOf(operation: Operation): Schema {
  const parameters = parametersOf(operation);
  const body = operation.requestBody?.content['application/json'].schema ?? {};
  const twice = parameters.find(({ name }) => name in (body.properties ?? {}));
  if (twice) throw new Error(`${operation.operationId} has two fields ${twice.name}`);
  const fields = parameters.map(({ name, schema, description }) => [
    name,
    description ? { ...schema, description } : schema,
  ]);
  return {
    type: 'object',
    properties: { ...Object.fromEntries(fields), ...body.properties },
    required: [...parameters.filter(({ required }) => required).map(({ name }) => name), ...(body.required ?? [])],
  };
}

function declared(name: string, schema: Schema): string {
  const isEmpty = Object.keys(schema.properties ?? {}).length === 0;
  const type = isEmpty ? `type ${name} = Record<string, never>;` : `interface ${typeName(name)} ${object(schema)}`;
  return `${comment(schema.description)}export ${type}`;
}

/** The language has an `Error` of its own. */
const typeName = (name: string): string => (name === 'Error' ? 'ErrorReply' : name);

function signature({ name, operation }: Named): string {
  const reply = replyOf(operation) ?? {};
  const shown = isNamed(reply) ? typeOf(reply) : `${capital(name)}Reply`;
  const says = [`${operation.summary}.`, operation.description ?? ''].join(' ').trim();
  return `${comment(says)}${name}: { input: ${capital(name)}Input; reply: ${shown} };`;
}

function table(name: string, operations: readonly Named[]): string {
  const rows = operations.map(({ name: key, method, path, operation }) => {
    const places = (place: string) =>
      parametersOf(operation)
        .filter((parameter) => parameter.in === place)
        .map((parameter) => parameter.name);
    return [key, { method: method.toUpperCase(), path, inPath: places('path'), inQuery: places('query') }];
  });
  return `export const ${name} = ${JSON.stringify(Object.fromEntries(rows))} as const;`;
}

const comment = (text: string | undefined): string => (text ? `/** ${text.replaceAll('*/', '* /')} */\n` : '');

function typeOf(schema: Schema): string {
  if (schema.$ref) return typeName(schema.$ref.replace('#/components/schemas/', ''));
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const types = [schema.type ?? 'unknown'].flat();
  return types.map((type) => plain(type, schema)).join(' | ');
}

function plain(type: string, schema: Schema): string {
  switch (type) {
    case 'object':
      return object(schema);
    case 'array':
      return `(${typeOf(schema.items ?? {})})[]`;
    case 'integer':
      return 'number';
    default:
      return type;
  }
}

function object({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema.description)}${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema)};`,
  );
  return `{\n${[...fields, ...(additionalProperties ? ['[name: string]: unknown;'] : [])].join('\n')}\n}`;
}
