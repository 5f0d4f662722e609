import type { Clock } from '../kernel/clock.ts';
import type { Address } from '../kernel/ids.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import { rememberProof, type Secret, sameText } from '../kernel/secret.ts';
import { settledAt } from './address-change.ts';
import { claimedKey, hashOfKey, isTypedRight, type KeyKind } from './api-key.ts';
import type { Forwarding, Integration, Limits } from './integration.ts';
import type { KeyRecord, PartnerRecords } from './partner-records.ts';

/** The partner behind a request, as of at most a few seconds ago. */
export interface PartnerCaller {
  readonly integrationId: string;
  /** undefined where no key was shown, but the integration's public id. */
  readonly keyId: string | undefined;
  readonly kind: KeyKind;
  readonly name: string;
  readonly feePercent: number;
  readonly feeAddress: Address;
  readonly feeAddressSol: Address | undefined;
  readonly feeAddressBtc: Address | undefined;
  readonly limits: Limits;
  readonly forwarding: Forwarding | undefined;
}

/** PORT. Says who is behind a key. */
export interface KeyAuthentication {
  /** Gives undefined without a key, and `invalid_key` for one that is wrong, revoked or of a suspended integration. */
  caller(keyText: string | undefined): Promise<PartnerCaller | undefined | Refusal>;
  /** Whoever names the public id of an integration, as links do, counts as a browser with a public key of it does. */
  referred(integrationId: string): Promise<PartnerCaller | Refusal>;
}

/** Changes must be seen within a minute (8.3); this leaves room for several processes and their clocks. */
const REMEMBER_MS = 10_000;
/** Keys that exist are few; this bounds what made-up ones can fill. */
const REMEMBER_KEYS = 10_000;
/** How exactly it is known when a key was last used. */
const TOUCH_MS = 60_000;

export function openKeyAuthentication(
  book: Pick<PartnerRecords, 'findKey' | 'touchKey' | 'find'>,
  /** The newest first; keys that were made under an older one hold, too. */
  hashKeys: readonly Secret<Uint8Array>[],
  clock: Clock,
): KeyAuthentication {
  const find = remembering((keyId) => book.findKey(keyId), clock);
  const findIntegration = remembering((id) => book.find(id), clock);
  /** A record is read again every few seconds, and its key proven again with it. */
  const isProven = rememberProof((keyText: string, { hash }: KeyRecord) =>
    hashKeys.some((hashKey) => sameText(hash, hashOfKey(hashKey, keyText))),
  );
  const callers = new WeakMap<KeyRecord, { readonly integration: Integration; readonly caller: PartnerCaller }>();
  const callerBehind = (record: KeyRecord): PartnerCaller => {
    const integration = settledAt(record.integration, clock.now());
    const known = callers.get(record);
    if (known?.integration === integration) return known.caller;
    const caller = callerOf({ ...record, integration });
    callers.set(record, { integration, caller });
    return caller;
  };
  const touched = new Map<string, number>();
  /** Nobody waits for it, and once a minute is enough. */
  const touch = (keyId: string) => {
    const now = clock.now();
    if (now - (touched.get(keyId) ?? -TOUCH_MS) < TOUCH_MS) return;
    if (touched.size >= REMEMBER_KEYS) touched.clear();
    touched.set(keyId, now);
    book.touchKey(keyId, now).catch(() => touched.delete(keyId));
  };
  return {
    async caller(keyText) {
      if (keyText === undefined) return undefined;
      const keyId = claimedKey(keyText)?.keyId;
      if (keyId === undefined) return INVALID;
      const record = await (find.known(keyId) ?? (isTypedRight(keyText) ? find(keyId) : undefined));
      if (!record || !isProven(keyText, record)) return INVALID;
      if (record.revoked || record.integration.status !== 'active') return INVALID;
      touch(record.keyId);
      return callerBehind(record);
    },
    async referred(integrationId) {
      const integration = INTEGRATION_ID.test(integrationId) ? await findIntegration(integrationId) : undefined;
      if (integration?.status !== 'active') return UNKNOWN_REF;
      return callerOf({ keyId: undefined, kind: 'public', integration: settledAt(integration, clock.now()) });
    },
  };
}

/** There is one answer for all, so that it does not tell which keys exist. */
const INVALID = refuse('invalid_key', 'Invalid API key');
const UNKNOWN_REF = refuse('invalid_key', 'There is no such integration.');
/** Nothing else is looked up. */
const INTEGRATION_ID = /^\w{1,64}$/;

function callerOf({
  keyId,
  kind,
  integration,
}: Pick<PartnerCaller, 'keyId' | 'kind'> & Pick<KeyRecord, 'integration'>): PartnerCaller {
  const { status: _, createdAt: __, pending: ___, ...partner } = integration;
  return { keyId, kind, ...partner };
}

interface Remembering<T> {
  (key: string): Promise<T>;
  /** undefined where it would have to be looked up. */
  known(key: string): Promise<T> | undefined;
}

/** Remembers what was found, and that nothing was; a failed look-up is not kept. */
function remembering<T>(load: (key: string) => Promise<T>, clock: Clock): Remembering<T> {
  const kept = new Map<string, { readonly at: number; readonly value: Promise<T> }>();
  const known = (key: string) => {
    const entry = kept.get(key);
    return entry && clock.now() - entry.at < REMEMBER_MS ? entry.value : undefined;
  };
  const find = (key: string) => {
    const before = known(key);
    if (before) return before;
    const entry = { at: clock.now(), value: load(key) };
    kept.delete(key);
    kept.set(key, entry);
    const oldest = kept.keys().next();
    if (kept.size > REMEMBER_KEYS && !oldest.done) kept.delete(oldest.value);
    entry.value.catch(() => {
      if (kept.get(key) === entry) kept.delete(key);
    });
    return entry.value;
  };
  return Object.assign(find, { known });
}
