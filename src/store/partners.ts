import { type Clock, type Instant, instant } from '../kernel/clock.ts';
import type { Address } from '../kernel/ids.ts';
import type { KeyKind } from '../partners/api-key.ts';
import { DEFAULT_LIMITS, type Forwarding, type Integration, type Limits } from '../partners/integration.ts';
import type { KeyRecord, PartnerRecords } from '../partners/partner-records.ts';
import type { Db, Row, Statement } from './db.ts';

const FIND_KEY: Statement = {
  name: 'partner_key_find',
  text: `SELECT k.id AS key_id, k.kind, k.hash, k.revoked_at, i.*
         FROM integration_key k JOIN integration i ON i.id = k.integration_id WHERE k.id = $1`,
};

const ADD: Statement = {
  name: 'integration_add',
  text: `INSERT INTO integration (id, name, suspended, fee_percent, fee_address, fee_address_sol, fee_address_btc, limits,
           forwarding, created_at, updated_at)
         SELECT $1, w->>'name', coalesce((w->>'suspended')::boolean, false), (w->>'feePercent')::float8, w->>'feeAddress',
           w->>'feeAddressSol', w->>'feeAddressBtc', coalesce(w->'limits', '{}'), nullif(w->'forwarding', 'null'), $3, $3
         FROM (SELECT $2::jsonb AS w) AS wish`,
};

/** A member that is absent leaves its column as it is; limits are changed one by one. */
const CHANGE: Statement = {
  name: 'integration_change',
  text: `UPDATE integration SET
           name = coalesce(w->>'name', name),
           suspended = coalesce((w->>'suspended')::boolean, suspended),
           fee_percent = coalesce((w->>'feePercent')::float8, fee_percent),
           fee_address = coalesce(w->>'feeAddress', fee_address),
           fee_address_sol = CASE WHEN w ? 'feeAddressSol' THEN w->>'feeAddressSol' ELSE fee_address_sol END,
           fee_address_btc = CASE WHEN w ? 'feeAddressBtc' THEN w->>'feeAddressBtc' ELSE fee_address_btc END,
           limits = limits || coalesce(w->'limits', '{}'),
           forwarding = CASE WHEN w ? 'forwarding' THEN nullif(w->'forwarding', 'null') ELSE forwarding END,
           updated_at = $3
         FROM (SELECT $2::jsonb AS w) AS wish WHERE id = $1 RETURNING integration.*`,
};

const ADD_KEY: Statement = {
  name: 'partner_key_add',
  text: `INSERT INTO integration_key (id, integration_id, kind, hash, created_at)
         SELECT $1, id, $3, $4, $5 FROM integration WHERE id = $2 RETURNING id`,
};

const REVOKE_KEY: Statement = {
  name: 'partner_key_revoke',
  text: 'UPDATE integration_key SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1 RETURNING id',
};

interface IntegrationRow extends Row {
  readonly id: string;
  readonly name: string;
  readonly suspended: boolean;
  readonly fee_percent: number;
  readonly fee_address: string;
  readonly fee_address_sol: string | null;
  readonly fee_address_btc: string | null;
  readonly limits: Partial<Limits>;
  readonly forwarding: Forwarding | null;
}

interface KeyRow extends IntegrationRow {
  readonly key_id: string;
  readonly kind: KeyKind;
  readonly hash: string;
  readonly revoked_at: string | null;
}

export function openPartnerRecords(db: Db): PartnerRecords {
  return {
    async findKey(keyId) {
      const [row] = await db.query<KeyRow>(FIND_KEY, [keyId]);
      return row && keyOf(row);
    },
    async addIntegration(integrationId, integration, at) {
      await db.query(ADD, [integrationId, JSON.stringify(integration), at]);
    },
    async changeIntegration(integrationId, change, at) {
      const [row] = await db.query<IntegrationRow>(CHANGE, [integrationId, JSON.stringify(change), at]);
      return row && integrationOf(row);
    },
    async addKey(integrationId, { keyId, kind }, hash, at) {
      return (await db.query(ADD_KEY, [keyId, integrationId, kind, hash, at])).length > 0;
    },
    async revokeKey(keyId, at) {
      return (await db.query(REVOKE_KEY, [keyId, at])).length > 0;
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
    suspended: row.suspended,
    feePercent: row.fee_percent,
    feeAddress: row.fee_address as Address,
    feeAddressSol: (row.fee_address_sol ?? undefined) as Address | undefined,
    feeAddressBtc: (row.fee_address_btc ?? undefined) as Address | undefined,
    limits: { ...DEFAULT_LIMITS, ...row.limits },
    forwarding: row.forwarding ?? undefined,
  };
}

/** PORT. Whether work of some scope is stopped: `quotes`, `orders`, `payouts`, `venue`, `chain:<id>`. */
export interface Breakers {
  /** The reason while it is open, which is at most a second old; undefined while work may go on. */
  isOpen(scope: string): Promise<string | undefined>;
}

export interface Breaker {
  readonly scope: string;
  readonly open: boolean;
  readonly reason: string;
  readonly since: Instant;
}

export interface BreakerBoard extends Breakers {
  all(): Promise<readonly Breaker[]>;
  set(scope: string, open: boolean, reason: string): Promise<Breaker>;
}

const BREAKERS: Statement = {
  name: 'breakers',
  text: 'SELECT scope, open, reason, changed_at FROM breaker ORDER BY scope',
};

const SET_BREAKER: Statement = {
  name: 'breaker_set',
  text: `INSERT INTO breaker (scope, open, reason, changed_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (scope) DO UPDATE SET open = excluded.open, reason = excluded.reason, changed_at = excluded.changed_at`,
};

/** A breaker must act at once, yet is asked for with every request. */
const BREAKER_AGE_MS = 1_000;

export function openBreakers(db: Db, clock: Clock): BreakerBoard {
  let kept: { readonly at: number; readonly open: Promise<ReadonlyMap<string, string>> } | undefined;
  const all = async (): Promise<readonly Breaker[]> =>
    (await db.query<{ scope: string; open: boolean; reason: string; changed_at: string }>(BREAKERS)).map((row) => ({
      scope: row.scope,
      open: row.open,
      reason: row.reason,
      since: instant(Number(row.changed_at)),
    }));
  const readOpen = async () =>
    new Map((await all()).filter((one) => one.open).map(({ scope, reason }) => [scope, reason]));

  return {
    all,
    async isOpen(scope) {
      const now = clock.now();
      if (!kept || now - kept.at >= BREAKER_AGE_MS) {
        const mine = { at: now, open: readOpen() };
        kept = mine;
        mine.open.catch(() => {
          if (kept === mine) kept = undefined;
        });
      }
      return (await kept.open).get(scope);
    },
    async set(scope, open, reason) {
      const since = clock.now();
      await db.query(SET_BREAKER, [scope, open, reason, since]);
      kept = undefined;
      return { scope, open, reason, since };
    },
  };
}

/** PORT. What an operator turns on and off; everything is off until it is turned on. */
export interface Switches {
  isOn(name: string): Promise<boolean>;
  set(name: string, enabled: boolean): Promise<void>;
}

const SWITCH: Statement = { name: 'switch', text: 'SELECT enabled FROM switch WHERE name = $1' };

const SET_SWITCH: Statement = {
  name: 'switch_set',
  text: `INSERT INTO switch (name, enabled, changed_at) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET enabled = excluded.enabled, changed_at = excluded.changed_at`,
};

export function openSwitches(db: Db, clock: Clock): Switches {
  return {
    async isOn(name) {
      const [row] = await db.query<{ enabled: boolean }>(SWITCH, [name]);
      return row?.enabled ?? false;
    },
    async set(name, enabled) {
      await db.query(SET_SWITCH, [name, enabled, clock.now()]);
    },
  };
}
