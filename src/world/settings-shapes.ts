import { type TSchema, Type } from '@sinclair/typebox';

/** Unknown keys are refused: a misspelt setting must not be silently without effect. */
export const exact = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });
export const Url = Type.String({ pattern: '^https?://' });
export const Decimal = Type.String({ pattern: '^\\d+(\\.\\d+)?$' });
export const Atomic = Type.String({ pattern: '^(0|[1-9]\\d*)$' });
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
