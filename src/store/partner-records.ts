import { present } from '../kernel/assert.ts';
import { type Instant, instant } from '../kernel/clock.ts';
import type { Address } from '../kernel/ids.ts';
import type { KeyKind } from '../partners/api-key.ts';
import {
  DEFAULT_LIMITS,
  type Forwarding,
  type Integration,
  type Limits,
  type PendingAddresses,
} from '../partners/integration.ts';
import {
  type KeyRecord,
  MOST_KEYS,
  MOST_MEMBERS,
  type PartnerRecords,
  type Role,
  shownActor,
} from '../partners/partner-records.ts';
import type { Db, Row, Statement } from './db.ts';

const FIND_KEY: Statement = {
  name: 'partner_key_find',
  text: `SELECT k.id AS key_id, k.kind, k.hash, k.revoked_at, i.*
         FROM integration_key k JOIN integration i ON i.id = k.integration_id WHERE k.id = $1`,
};
const TOUCH_KEY: Statement = {
  name: 'partner_key_touch',
  text: 'UPDATE integration_key SET last_used_at = greatest(last_used_at, $2) WHERE id = $1',
};
const FIND: Statement = { name: 'integration_find', text: 'SELECT * FROM integration WHERE id = $1' };
const ALL: Statement = { name: 'integration_all', text: 'SELECT * FROM integration ORDER BY created_at, id LIMIT $1' };
const OF: Statement = {
  name: 'integration_of',
  text: `SELECT i.id, i.name, m.role FROM integration_member m JOIN integration i ON i.id = m.integration_id
         WHERE m.address = $1 ORDER BY i.created_at, i.id`,
};
const ADD: Statement = {
  name: 'integration_add',
  text: `WITH added AS (
           INSERT INTO integration (id, name, suspended, approved, fee_percent, fee_address, fee_address_sol, fee_address_btc, limits,
             forwarding, created_at, updated_at)
           SELECT $1, w->>'name', coalesce((w->>'suspended')::boolean, false), coalesce((w->>'approved')::boolean, true),
             (w->>'feePercent')::float8, w->>'feeAddress', w->>'feeAddressSol', w->>'feeAddressBtc', coalesce(w->'limits', '{}'),
             nullif(w->'forwarding', 'null'), $5::bigint, $5::bigint
           FROM (SELECT $2::jsonb AS w) AS wish RETURNING id),
         owned AS (INSERT INTO integration_member SELECT id, $3::text, 'owner', $5::bigint FROM added WHERE $3::text IS NOT NULL),
         noted AS (INSERT INTO integration_audit (integration_id, at, actor, action, details)
           SELECT id, $5::bigint, $4::text, 'integration.created', $2::jsonb FROM added)
         SELECT id FROM added`,
};
const CHANGE: Statement = {
  name: 'integration_change',
  text: 'SELECT * FROM change_integration($1, $2::jsonb, $3::jsonb, $4, $5, $6)',
};
const MEMBERS: Statement = {
  name: 'integration_members',
  text: 'SELECT address, role FROM integration_member WHERE integration_id = $1 ORDER BY role, added_at, address',
};
const SET_MEMBER: Statement = { name: 'member_set', text: 'SELECT set_member($1, $2, $3, $4, $5, $6) AS result' };
const REMOVE_MEMBER: Statement = { name: 'member_remove', text: 'SELECT remove_member($1, $2, $3, $4) AS result' };
const KEYS: Statement = {
  name: 'integration_keys',
  text: `SELECT id, kind, name, created_at, last_used_at, revoked_at FROM integration_key
         WHERE integration_id = $1 ORDER BY created_at DESC, id LIMIT $2`,
};
const ADD_KEY: Statement = {
  name: 'partner_key_add',
  text: 'SELECT add_key($1, $2, $3, $4, $5, $6, $7, $8) AS result',
};
const REVOKE_KEY: Statement = { name: 'partner_key_revoke', text: 'SELECT revoke_key($1, $2, $3, $4) AS result' };
const AUDIT: Statement = {
  name: 'integration_audit',
  text: `SELECT id, at, actor, action, details FROM integration_audit
         WHERE integration_id = $1 AND ($3::bigint IS NULL OR id < $3) ORDER BY id DESC LIMIT $2`,
};
const SETTLE: Statement = { name: 'integration_settle', text: 'SELECT settle_pending(NULL, $1)' };

/** Revoked ones are kept for ever, and nobody reads through more than these. */
const KEYS_SHOWN = 1_000;

interface IntegrationRow extends Row {
  readonly id: string;
  readonly name: string;
  readonly suspended: boolean;
  readonly approved: boolean;
  readonly fee_percent: number;
  readonly fee_address: string;
  readonly fee_address_sol: string | null;
  readonly fee_address_btc: string | null;
  readonly pending: PendingAddresses;
  readonly limits: Partial<Limits>;
  readonly forwarding: Forwarding | null;
  readonly created_at: string;
}

interface KeyRow extends IntegrationRow {
  readonly key_id: string;
  readonly kind: KeyKind;
  readonly hash: string;
  readonly revoked_at: string | null;
}

const when = (value: unknown): Instant => instant(Number(value));
const whenever = (value: unknown): Instant | undefined => (value === null ? undefined : when(value));

export function openPartnerRecords(db: Db): PartnerRecords {
  const resultOf = async <T extends string | boolean>(statement: Statement, values: readonly unknown[]): Promise<T> =>
    present((await db.query(statement, values))[0], statement.name).result as T;

  return {
    async findKey(keyId) {
      const [row] = await db.query<KeyRow>(FIND_KEY, [keyId]);
      return row && keyOf(row);
    },
    async touchKey(keyId, at) {
      await db.query(TOUCH_KEY, [keyId, at]);
    },
    async find(integrationId) {
      const [row] = await db.query<IntegrationRow>(FIND, [integrationId]);
      return row && integrationOf(row);
    },
    all: async (limit) => (await db.query<IntegrationRow>(ALL, [limit])).map(integrationOf),
    of: async (address) =>
      (await db.query(OF, [address])).map((row) => ({
        integrationId: row.id as string,
        name: row.name as string,
        role: row.role as Role,
      })),
    async add(integrationId, integration, owner, { actor, at }) {
      await db.query(ADD, [integrationId, JSON.stringify(integration), owner ?? null, actor, at]);
    },
    async change(integrationId, { atOnce, wait, takeBack }, { actor, at }) {
      const values = [integrationId, JSON.stringify(atOnce), JSON.stringify(wait), takeBack, actor, at];
      const [row] = await db.query<IntegrationRow>(CHANGE, values);
      return row && integrationOf(row);
    },
    members: async (integrationId) =>
      (await db.query(MEMBERS, [integrationId])).map((row) => ({
        address: row.address as string,
        role: row.role as Role,
      })),
    setMember: (integrationId, { address, role }, { actor, at }) =>
      resultOf(SET_MEMBER, [integrationId, address, role, MOST_MEMBERS, actor, at]),
    removeMember: (integrationId, address, { actor, at }) =>
      resultOf(REMOVE_MEMBER, [integrationId, address, actor, at]),
    keys: async (integrationId) =>
      (await db.query(KEYS, [integrationId, KEYS_SHOWN])).map((row) => ({
        keyId: row.id as string,
        kind: row.kind as KeyKind,
        name: (row.name as string | null) ?? undefined,
        createdAt: when(row.created_at),
        lastUsedAt: whenever(row.last_used_at),
        revokedAt: whenever(row.revoked_at),
      })),
    addKey: (integrationId, { keyId, kind, name }, hash, { actor, at }) =>
      resultOf(ADD_KEY, [integrationId, keyId, kind, name ?? null, hash, MOST_KEYS, actor, at]),
    revokeKey: (keyId, integrationId, { actor, at }) => resultOf(REVOKE_KEY, [keyId, integrationId ?? null, actor, at]),
    audit: async (integrationId, limit, before) =>
      (await db.query(AUDIT, [integrationId, limit, before ?? null])).map((row) => ({
        number: Number(row.id),
        at: when(row.at),
        ...shownActor(row.actor as string),
        action: row.action as string,
        details: row.details as Record<string, unknown>,
      })),
    async settle(now) {
      await db.query(SETTLE, [now]);
    },
  };
}

function keyOf(row: KeyRow): KeyRecord {
  const { key_id, kind, hash, revoked_at } = row;
  return { keyId: key_id, kind, hash, revoked: revoked_at !== null, integration: integrationOf(row) };
}

/** Addresses were checked before they were stored. */
function integrationOf(row: IntegrationRow): Integration {
  return {
    integrationId: row.id,
    name: row.name,
    status: row.suspended ? 'suspended' : row.approved ? 'active' : 'pending',
    createdAt: when(row.created_at),
    feePercent: row.fee_percent,
    feeAddress: row.fee_address as Address,
    feeAddressSol: (row.fee_address_sol ?? undefined) as Address | undefined,
    feeAddressBtc: (row.fee_address_btc ?? undefined) as Address | undefined,
    pending: row.pending,
    limits: { ...DEFAULT_LIMITS, ...row.limits },
    forwarding: row.forwarding ?? undefined,
  };
}
