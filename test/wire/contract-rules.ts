import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type Json = Readonly<Record<string, unknown>>;
interface Place {
  readonly at: readonly string[];
  readonly value: unknown;
}

/** What a valid OpenAPI document may still get wrong. Each finding says where. */
export function findings(contract: Json): string[] {
  const places = [...walk(contract, [])];
  const operations = operationsOf(contract);
  const dangling = danglingReferences(places, contract);
  if (dangling.length > 0) return dangling;
  return [
    ...unusedComponents(places, contract),
    ...operations.flatMap(([name, operation]) => unfinished(name, operation, contract)),
    ...repeated(operations.map(([, { operationId }]) => String(operationId))),
    ...wrongExamples(places, contract),
  ];
}

function* walk(value: unknown, at: readonly string[]): Generator<Place> {
  yield { at, value };
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* walk(inner, [...at, key]);
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const objectAt = (value: unknown, ...path: readonly string[]): Json => {
  const found = path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
  return isObject(found) ? found : {};
};
const resolve = (contract: Json, ref: string): Json => objectAt(contract, ...ref.replace('#/', '').split('/'));

const operationsOf = (contract: Json): [string, Json][] =>
  Object.entries(objectAt(contract, 'paths')).flatMap(([path, methods]) =>
    Object.keys(objectAt(methods)).map((method): [string, Json] => [
      `${method.toUpperCase()} ${path}`,
      objectAt(methods, method),
    ]),
  );

const referencesIn = (places: readonly Place[]): string[] =>
  places.filter(({ at }) => at.at(-1) === '$ref').map(({ value }) => String(value));

const danglingReferences = (places: readonly Place[], contract: Json): string[] =>
  referencesIn(places)
    .filter((ref) => Object.keys(resolve(contract, ref)).length === 0)
    .map((ref) => `${ref} leads nowhere`);

function unusedComponents(places: readonly Place[], contract: Json): string[] {
  const used = new Set([...referencesIn(places), ...schemesIn(places).map((name) => securityScheme(name))]);
  return Object.entries(objectAt(contract, 'components'))
    .flatMap(([kind, named]) => Object.keys(objectAt(named)).map((name) => `#/components/${kind}/${name}`))
    .filter((name) => !used.has(name))
    .map((name) => `${name} is not used`);
}

const securityScheme = (name: string): string => `#/components/securitySchemes/${name}`;
const schemesIn = (places: readonly Place[]): string[] =>
  places
    .filter(({ at }) => at.at(-1) === 'security')
    .flatMap(({ value }) => Object.values(objectAt(value)).flatMap(keys));
const keys = (value: unknown): string[] => Object.keys(objectAt(value));

function unfinished(name: string, operation: Json, contract: Json): string[] {
  const { operationId, summary, tags, responses } = operation;
  const parameters = Object.values(objectAt(operation, 'parameters')).map((one) =>
    isObject(one) && typeof one.$ref === 'string' ? resolve(contract, one.$ref) : objectAt(one),
  );
  const inPath = parameters.filter((one) => one.in === 'path').map((one) => one.name);
  const wanted = [...name.matchAll(/\{(\w+)\}/g)].map(([, field]) => field);
  const tagNames = Object.values(objectAt(contract, 'tags')).map((tag) => objectAt(tag).name);
  const statuses = Object.keys(objectAt(responses));
  const schemes = Object.keys(objectAt(contract, 'components', 'securitySchemes'));
  const wrong = {
    'has no operationId': typeof operationId !== 'string' || !/^[a-z]\w+$/.test(operationId),
    'has no summary': typeof summary !== 'string' || summary === '',
    'has no known tag': !Object.values(objectAt(tags)).some((tag) => tagNames.includes(tag)),
    'names other parameters than its path': JSON.stringify(inPath.sort()) !== JSON.stringify(wanted.sort()),
    'says nothing of who may call': !('security' in operation),
    'names an unknown proof': schemesIn([{ at: ['security'], value: operation.security }]).some(
      (scheme) => !schemes.includes(scheme),
    ),
    'never succeeds': !statuses.some((status) => /^[12]\d\d$/.test(status)),
    'never refuses': !statuses.some((status) => /^4\d\d$/.test(status)),
    // Whoever holds the bytes already is sent none.
    'answers without a schema': statuses.some(
      (status) => status !== '304' && keys(mediaOf(responses, status).schema).length === 0,
    ),
    'succeeds without an example': statuses
      .filter((status) => /^[12]/.test(status))
      .map((status) => mediaOf(responses, status))
      .some(({ example, examples }) => example === undefined && keys(examples).length === 0),
  };
  return Object.entries(wrong).flatMap(([what, isWrong]) => (isWrong ? [`${name} ${what}`] : []));
}

const mediaOf = (responses: unknown, status: string): Json =>
  objectAt(responses, status, 'content', 'application/json');

const repeated = (names: readonly string[]): string[] =>
  names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name} is the id of two operations`);

/** Every example beside a schema must be one of its kind. */
function wrongExamples(places: readonly Place[], contract: Json): string[] {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictRequired: false });
  formats.default(ajv);
  ajv.addVocabulary(Object.keys(contract));
  ajv.addSchema({ ...contract, $id: 'contract' });
  return places
    .filter(({ value }) => isObject(value) && isObject(value.schema))
    .flatMap(({ at, value }) => {
      const holder = objectAt(value);
      const named = Object.values(objectAt(holder, 'examples')).map(
        (one) => resolve(contract, String(objectAt(one).$ref)).value,
      );
      const shown = [...named, ...('example' in holder ? [holder.example] : [])];
      const check = ajv.compile({ $ref: `contract#/${[...at, 'schema'].map(escaped).join('/')}` });
      return shown.filter((example) => !check(example)).map(() => `${at.join(' ')}: ${ajv.errorsText(check.errors)}`);
    });
}

const escaped = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
