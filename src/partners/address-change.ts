import { type Instant, later } from '../kernel/clock.ts';
import { FEE_FIELDS, type FeeField } from '../kernel/fee-field.ts';
import type { CheckedChange, Integration, PendingAddresses } from './integration.ts';

/** What a member's wish does at once, and what it does to the changes that wait. */
export interface PlannedChange {
  readonly atOnce: CheckedChange;
  readonly wait: PendingAddresses;
  readonly takeBack: readonly FeeField[];
}

/** The integration at a moment: a change whose time has come holds, whether or not anybody has written it down. */
export function settledAt<T extends Pick<Integration, FeeField | 'pending'>>(integration: T, now: Instant): T {
  const due = FEE_FIELDS.filter((field) => (integration.pending[field]?.effectiveAt ?? Infinity) <= now);
  if (due.length === 0) return integration;
  const values = due.map((field) => [field, integration.pending[field]?.value ?? undefined]);
  return { ...integration, ...Object.fromEntries(values), pending: without(integration.pending, due) };
}

const without = (pending: PendingAddresses, fields: readonly FeeField[]): PendingAddresses =>
  Object.fromEntries(Object.entries(pending).filter(([field]) => !fields.includes(field as FeeField)));

/**
 * A stolen session must not redirect earnings at once: an address that is set changes after the delay, and whoever sends
 * the old one again takes the change back. An address that was never set is set at once.
 */
export function planChange(
  integration: Integration,
  { feeAddress, feeAddressSol, feeAddressBtc, ...rest }: CheckedChange,
  now: Instant,
  delayMs: number,
): PlannedChange {
  const wishes = { feeAddress, feeAddressSol, feeAddressBtc };
  const named = FEE_FIELDS.filter((field) => wishes[field] !== undefined);
  const isSame = (field: FeeField) => (wishes[field] ?? undefined) === integration[field];
  const isSet = (field: FeeField) => integration[field] !== undefined;
  const isWaiting = (field: FeeField) => integration.pending[field]?.value === (wishes[field] ?? null);
  const atOnce = named.filter((field) => !isSame(field) && !isSet(field));
  const wait = named.filter((field) => !isSame(field) && isSet(field) && !isWaiting(field));
  const effectiveAt = later(now, delayMs);
  return {
    atOnce: { ...rest, ...Object.fromEntries(atOnce.map((field) => [field, wishes[field]])) },
    wait: Object.fromEntries(wait.map((field) => [field, { value: wishes[field] ?? null, effectiveAt }])),
    takeBack: named.filter((field) => isSame(field) && integration.pending[field]),
  };
}
