/** The part of an OpenAPI document that the pages about it show. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

interface Body {
  readonly content?: Readonly<
    Record<
      string,
      { readonly schema?: Schema; readonly examples?: Readonly<Record<string, { readonly $ref?: string }>> }
    >
  >;
}

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

export interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body & { readonly description?: string }>>;
}

export interface Contract {
  readonly info: { readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Schema & { readonly value?: unknown }>>>>;
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export const callsOf = ({ paths }: Contract): readonly Call[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** What a reference within the document names. */
export function follow<T extends { readonly $ref?: string }>(
  contract: Contract,
  one: T,
): T & { readonly value?: unknown } {
  const [, , kind = '', name = ''] = one.$ref?.split('/') ?? [];
  return (contract.components[kind]?.[name] as (T & { readonly value?: unknown }) | undefined) ?? one;
}

export function typeOf(contract: Contract, schema: Schema): string {
  const found = follow(contract, schema);
  if (found.enum) return found.enum.map((one) => JSON.stringify(one)).join(' | ');
  if (found.items) return `${schema.$ref ? nameOf(schema) : typeOf(contract, found.items)}[]`;
  if (schema.$ref) return nameOf(schema);
  return Array.isArray(found.type) ? found.type.join(' | ') : String(found.type ?? 'object');
}

const nameOf = ({ $ref = '' }: Schema): string => $ref.split('/').at(-1) ?? '';
