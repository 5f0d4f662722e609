import { type Clock, type Instant, instant } from '../kernel/clock.ts';
import type { Db, Statement } from './db.ts';

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
