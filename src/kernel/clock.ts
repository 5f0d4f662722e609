import type { Brand } from './brand.ts';

/** Milliseconds since 1970, UTC, by the service's clock. */
export type Instant = Brand<number, 'Instant'>;

export interface Clock {
  now(): Instant;
}

export const instant = (ms: number): Instant => ms as Instant;
export const later = (from: Instant, ms: number): Instant => (from + ms) as Instant;
export const isoTime = (at: Instant): string => new Date(at).toISOString();
