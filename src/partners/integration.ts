import { isIP } from 'node:net';
import type { Instant } from '../kernel/clock.ts';
import type { FeeField } from '../kernel/fee-field.ts';
import { allOf, inField } from '../kernel/field-refusals.ts';
import type { Address } from '../kernel/ids.ts';
import { isRefusal, type Refusal, refuse } from '../kernel/refusal.ts';
import type { FeeAddressParser, FeeAddressParsers } from './fee-address.ts';

/** These are the limits of a whole company; zero disables that one limit (8.2). */
export interface Limits {
  readonly requestLimitPerMin: number;
  readonly createLimitPerMin: number;
  readonly quoteLimitPerMin: number;
  readonly keyRequestLimitPerMin: number;
  readonly maxOpenOrders: number;
  readonly openOrderWindowMinutes: number;
}

export const DEFAULT_LIMITS: Limits = {
  requestLimitPerMin: 600,
  createLimitPerMin: 60,
  quoteLimitPerMin: 600,
  keyRequestLimitPerMin: 300,
  maxOpenOrders: 200,
  openOrderWindowMinutes: 24 * 60,
};

/** These are the limits of one end user, within the company's own. */
export type ClientLimits = Pick<Limits, 'requestLimitPerMin' | 'createLimitPerMin' | 'maxOpenOrders'>;

export const DEFAULT_CLIENT_LIMITS: ClientLimits = { requestLimitPerMin: 50, createLimitPerMin: 5, maxOpenOrders: 20 };

/** A partner's servers that may name the end user they speak for (5.3). */
export interface Forwarding {
  readonly enabled: boolean;
  readonly approvedServerIps: readonly string[];
  readonly limits: ClientLimits;
}

/** Null takes the address away. */
export interface PendingAddress {
  readonly value: Address | null;
  readonly effectiveAt: Instant;
}

export type PendingAddresses = Readonly<Partial<Record<FeeField, PendingAddress>>>;

/** Keys of an integration that is not active open nothing. */
export type IntegrationStatus = 'active' | 'pending' | 'suspended';

export interface Integration {
  readonly integrationId: string;
  readonly name: string;
  readonly status: IntegrationStatus;
  readonly createdAt: Instant;
  /** From 0 to 5; it is used when a request carries no fee. */
  readonly feePercent: number;
  /** Each chain's facts say which of these is paid for its deposits. */
  readonly feeAddress: Address;
  readonly feeAddressSol: Address | undefined;
  readonly feeAddressBtc: Address | undefined;
  /** Addresses that wait for their time. */
  readonly pending: PendingAddresses;
  readonly limits: Limits;
  readonly forwarding: Forwarding | undefined;
}

/** What an operator writes; null takes something away. */
export interface IntegrationChange {
  readonly name?: string;
  readonly suspended?: boolean;
  readonly approved?: boolean;
  readonly feePercent?: number;
  readonly feeAddress?: string;
  readonly feeAddressSol?: string | null;
  readonly feeAddressBtc?: string | null;
  readonly limits?: Partial<Limits>;
  readonly forwarding?: ForwardingChange | null;
}

export interface ForwardingChange {
  readonly enabled: boolean;
  readonly approvedServerIps: readonly string[];
  readonly limits?: Partial<ClientLimits>;
}

/** The same change, checked, with addresses in canonical spelling; undefined leaves things as they are. */
export interface CheckedChange {
  readonly name?: string | undefined;
  readonly suspended?: boolean | undefined;
  readonly approved?: boolean | undefined;
  readonly feePercent?: number | undefined;
  readonly feeAddress?: Address | undefined;
  readonly feeAddressSol?: Address | null | undefined;
  readonly feeAddressBtc?: Address | null | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly forwarding?: Forwarding | null | undefined;
}

export const MAX_FEE_PERCENT = 5;
/** Finer rates would vanish in the smallest orders, and have no exact spelling in the database. */
const FEE_PERCENT = /^\d(\.\d{1,4})?$/;

/** Shapes are checked at the edge; this checks what they mean. */
export async function checkChange(
  change: IntegrationChange,
  parsers: FeeAddressParsers,
): Promise<CheckedChange | Refusal> {
  const { forwarding } = change;
  const read = allOf(
    checkFee(change),
    forwarding?.approvedServerIps.some((ip) => isIP(ip) === 0)
      ? inField(
          'forwarding.approvedServerIps',
          refuse('invalid_request', 'approvedServerIps must hold literal IP addresses.'),
        )
      : undefined,
    await parse('feeAddress', change.feeAddress, parsers.feeAddress),
    await parse('feeAddressSol', change.feeAddressSol ?? undefined, parsers.feeAddressSol),
    await parse('feeAddressBtc', change.feeAddressBtc ?? undefined, parsers.feeAddressBtc),
  );
  if (isRefusal(read)) return read;
  const [, , feeAddress, feeAddressSol, feeAddressBtc] = read;
  return {
    ...change,
    feeAddress,
    feeAddressSol: change.feeAddressSol === null ? null : feeAddressSol,
    feeAddressBtc: change.feeAddressBtc === null ? null : feeAddressBtc,
    forwarding: forwarding && withDefaults(forwarding),
  };
}

function checkFee({ feePercent }: IntegrationChange): undefined | Refusal {
  if (feePercent === undefined || isFeePercent(feePercent)) return undefined;
  const kind = feePercent > MAX_FEE_PERCENT ? 'fee_too_high' : 'invalid_request';
  return inField(
    'feePercent',
    refuse(kind, `feePercent must be from 0 to ${MAX_FEE_PERCENT}, with at most four decimals.`),
  );
}

const isFeePercent = (value: number): boolean => FEE_PERCENT.test(String(value)) && value <= MAX_FEE_PERCENT;

async function parse(
  field: string,
  text: string | undefined,
  parser: FeeAddressParser,
): Promise<Address | undefined | Refusal> {
  if (text === undefined) return undefined;
  const found = (await parser(text)) ?? refuse('invalid_address', `${field} is not a valid address.`);
  return inField(field, isRefusal(found) ? refuse(found.refusal, found.message) : found);
}

const withDefaults = ({ enabled, approvedServerIps, limits }: ForwardingChange): Forwarding => ({
  enabled,
  approvedServerIps,
  limits: { ...DEFAULT_CLIENT_LIMITS, ...limits },
});
