import type { Instant } from '../kernel/clock.ts';
import type { PlannedChange } from './address-change.ts';
import type { KeyName } from './api-key.ts';
import type { CheckedChange, Integration } from './integration.ts';

export interface KeyRecord extends KeyName {
  readonly hash: string;
  readonly revoked: boolean;
  readonly integration: Integration;
}

export type NewIntegration = CheckedChange & Pick<Integration, 'name' | 'feePercent' | 'feeAddress'>;

/** Owners change things, viewers look. */
export type Role = 'owner' | 'viewer';

export interface Member {
  readonly address: string;
  readonly role: Role;
}

/** What a member sees of a key; the key itself was shown once. */
export interface KeyEntry extends KeyName {
  readonly name: string | undefined;
  readonly createdAt: Instant;
  readonly lastUsedAt: Instant | undefined;
  readonly revokedAt: Instant | undefined;
}

export interface AuditEntry {
  readonly number: number;
  readonly at: Instant;
  /** A member's address, `operator`, or `service` for what time alone did. */
  readonly actor: string;
  /** Which operator it was, where that is known: for operators alone. */
  readonly by?: string;
  readonly action: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Who does something, and when. */
export interface By {
  readonly actor: string;
  readonly at: Instant;
}

const OPERATOR = 'operator';

/** As an operator's act is kept. Whoever acts under a token that several share, and says no more, has its name. */
export const operatorActor = (name: string): string => (name === OPERATOR ? OPERATOR : `${OPERATOR}:${name}`);

/** As it is shown: partners do not learn which operator it was. */
export function shownActor(kept: string): Pick<AuditEntry, 'actor' | 'by'> {
  const [, by] = /^operator:(.+)$/.exec(kept) ?? [];
  return by === undefined ? { actor: kept } : { actor: OPERATOR, by };
}

/** PORT. Where partners, their members and their keys are kept. Every change leaves an entry in the integration's trail. */
export interface PartnerRecords {
  findKey(keyId: string): Promise<KeyRecord | undefined>;
  /** Remembers that a key was used; a minute more or less does not matter. */
  touchKey(keyId: string, at: Instant): Promise<void>;
  find(integrationId: string): Promise<Integration | undefined>;
  /** Oldest first. */
  all(limit: number): Promise<readonly Integration[]>;
  /** Where an address is a member. */
  of(address: string): Promise<readonly (Pick<Integration, 'integrationId' | 'name'> & Pick<Member, 'role'>)[]>;
  add(integrationId: string, integration: NewIntegration, owner: string | undefined, by: By): Promise<void>;
  /** undefined where there is no such integration. */
  change(integrationId: string, change: PlannedChange, by: By): Promise<Integration | undefined>;
  members(integrationId: string): Promise<readonly Member[]>;
  /** `last_owner` where nobody would be left who may change anything; `full` beyond the most members. */
  setMember(integrationId: string, member: Member, by: By): Promise<'set' | 'last_owner' | 'full'>;
  removeMember(integrationId: string, address: string, by: By): Promise<'removed' | 'last_owner' | 'missing'>;
  keys(integrationId: string): Promise<readonly KeyEntry[]>;
  /** `full` beyond the most keys. */
  addKey(
    integrationId: string,
    key: KeyName & { readonly name?: string | undefined },
    hash: string,
    by: By,
  ): Promise<'added' | 'missing' | 'full'>;
  /** May be repeated; false where there is no such key, or it is another integration's. */
  revokeKey(keyId: string, integrationId: string | undefined, by: By): Promise<boolean>;
  /** Newest first; `before` is the number of the last one seen. */
  audit(integrationId: string, limit: number, before?: number): Promise<readonly AuditEntry[]>;
  /** Writes down the changes whose time has come. */
  settle(now: Instant): Promise<void>;
}

/** Enough for any company, and few enough to be shown without pages. */
export const MOST_MEMBERS = 50;
export const MOST_KEYS = 200;
