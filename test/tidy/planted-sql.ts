export type Files = Readonly<Record<string, string>>;

export interface Planted {
  /** Each must be caught, in the file that comes first. */
  readonly caught: readonly Files[];
  /** Each looks alike and must pass. */
  readonly fine: readonly Files[];
}

const STATES: Files = {
  'src/life/order/state.ts': "type State = { readonly phase: 'refunding' } | { readonly phase: 'failed' };",
  'src/life/payment/payment.ts': "type State = { readonly state: 'held' };",
};

/** States and paths in SQL, planted to see that they are found. */
export const PLANTED_SQL: Planted = {
  caught: [
    ...[
      "CREATE INDEX x ON orders (id) WHERE phase = 'refunding';",
      "SELECT doc -> 'claims' FROM orders;",
      "SELECT o.doc#>>'{state,phase}' FROM orders AS o;",
      "CREATE FUNCTION f(p jsonb) RETURNS text AS $$ SELECT p #>> '{order,doc,funds}' $$;",
      "SELECT jsonb_path_exists(o.doc, '$.claims[*]') FROM orders AS o;",
      "UPDATE orders SET doc = jsonb_set(doc, '{funds}', '{}');",
      "SELECT 1 FROM payment WHERE state <> 'held';",
    ].map((text) => ({ 'migrations/0900-x.sql': text, ...STATES })),
    {
      'migrations/0900-x.sql': "CREATE OR REPLACE FUNCTION f() AS $$ SELECT 'refunding' $$;",
      'migrations/0100-x.sql': 'CREATE FUNCTION f() AS $$ SELECT 1 $$;',
      ...STATES,
    },
    ...["`SELECT 1 WHERE o.phase <> 'refunding'`", '`SELECT o.doc -> $1`', '"SELECT doc->>\'at\'"'].map((text) => ({
      'src/store/order-lines.ts': `const TEXT = ${text};`,
      ...STATES,
    })),
  ],
  fine: [
    {
      'migrations/0900-x.sql': "-- doc -> 'state'\nCREATE OR REPLACE FUNCTION f() AS $$ SELECT p -> 'doc' FROM q $$;",
      'migrations/0100-x.sql': "CREATE FUNCTION f() AS $$ SELECT doc -> 'x' WHERE phase = 'refunding' $$;",
      ...STATES,
    },
    { 'migrations/0131-stock-fills.sql': "CHECK (state IN ('open', 'failed'))", ...STATES },
    { 'src/store/order-lines.ts': "const wanted: Phase = 'refunding';\nconst T = `WHERE phase = $1`;", ...STATES },
  ],
};
