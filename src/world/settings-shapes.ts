import { type TSchema, Type, TypeGuard } from '@sinclair/typebox';

/** Unknown keys are refused: a misspelt setting must not be silently without effect. */
export const exact = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });
export const Url = Type.String({ pattern: '^https?://' });
export const Decimal = Type.String({ pattern: '^\\d+(\\.\\d+)?$' });
export const Atomic = Type.String({ pattern: '^(0|[1-9]\\d*)$' });
/** Limit prices, and how far from our own trades they may lie for each hour since; only between the two ends without it. */
export const PriceBand = exact({ least: Decimal, most: Decimal, perHourPercent: Type.Optional(Decimal) });
/** Confirmations of a deposit, by its value. */
export const Depths = exact({ small: Type.Integer({ minimum: 1 }), large: Type.Integer({ minimum: 1 }) });
/** Confirmations after which a payout is settled, and how long it may wait for a block; the family's own where absent. */
export const SettledConfirmations = Type.Optional(Type.Integer({ minimum: 1 }));
export const StuckAfterMs = Type.Optional(Type.Integer({ minimum: 1_000 }));
/** Where the first scan begins; from the newest block where it is absent. */
export const ScanFrom = Type.Optional(Type.Integer({ minimum: 0 }));
/** `user:password`. Whoever brings that of a wallet which spends could empty it, so it must be long enough to guess at for ever. */
export const Login = Type.String({ pattern: '^[^:]+:.+$' });
export const SpendLogin = Type.String({ pattern: '^[^:"\\\\]+:.{16,}$' });

/** How much of what the desk keeps where. */
export const TreasuryShape = exact({
  /** The venue's USDC balance is kept between these, in whole USDC. */
  venueUsdcLow: Decimal,
  venueUsdcHigh: Decimal,
  /** The hot account's USDC is kept above this, in whole USDC. */
  hotUsdcLow: Decimal,
  /** By names of assets, in whole coins: below `low` a person is told, what is above `high` goes to the cold store. */
  stock: Type.Optional(
    Type.Record(
      Type.String(),
      exact({
        ...{ low: Decimal, target: Decimal, high: Type.Optional(Decimal) },
        /** Had from a provider or a bridge, below `low` and up to `target`, for what `from` has above its own target. */
        fill: Type.Optional(
          exact({
            ...{ from: Type.String(), mostCostPercent: Decimal, usdPerDay: Decimal },
            usdAtOnce: Type.Optional(Decimal),
          }),
        ),
      }),
    ),
  ),
});

/** The same shape, in which these need not be. */
export function without<S extends TSchema>(schema: S, paths: readonly string[], at = ''): S {
  if (!TypeGuard.IsObject(schema)) return schema;
  const properties = Object.entries(schema.properties).map(
    ([name, part]) => [name, without(part, paths, `${at}/${name}`)] as const,
  );
  const required = schema.required?.filter((name) => !paths.includes(`${at}/${name}`)) ?? [];
  return { ...schema, properties: Object.fromEntries(properties), required };
}

/** Whether what has the parts above it must have this one, too. */
export function isRequired(schema: TSchema, path: string): boolean {
  const [name = '', ...rest] = path.split('/').slice(1);
  if (!TypeGuard.IsObject(schema)) return false;
  const part = schema.properties[name];
  if (part === undefined) return false;
  return rest.length === 0
    ? (schema.required?.includes(name) ?? false)
    : isRequired(part, rest.map((one) => `/${one}`).join(''));
}

/** Whoever asks for what is not there is told so, instead of going on without it. */
export function closeOff(settings: object, path: string): void {
  const names = path.split('/').slice(1);
  const last = names.pop() ?? '';
  const parent = names.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], settings);
  if (typeof parent !== 'object' || parent === null || Object.hasOwn(parent, last)) return;
  const get = (): never => {
    throw new Error(`configuration: ${path} is not in the settings of this role`);
  };
  Object.defineProperty(parent, last, { get, enumerable: false });
}
