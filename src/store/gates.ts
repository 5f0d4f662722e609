import { present } from '../kernel/assert.ts';
import { type Clock, type Instant, instant } from '../kernel/clock.ts';
import type { Case } from '../life/case/case.ts';
import { nameOf, parseScope, type Scope, saysOf, stopsOf, type Trip } from '../life/trip/trip.ts';
import { encodeCase } from './cases.ts';
import { decode, encode } from './codec.ts';
import type { Db, Statement } from './db.ts';

/** PORT. Whether work of some scope is stopped. */
export interface Breakers {
  /** The reason while it is open, which is at most a second old; undefined while work may go on. */
  isOpen(scope: Scope): Promise<string | undefined>;
}

/** Who opens a breaker where nobody did. */
export const DESK = 'desk';

export interface Breaker {
  readonly scope: Scope;
  readonly open: boolean;
  readonly reason: string;
  readonly since: Instant;
  /** The operator who changed it last, or `desk`. */
  readonly by: string;
  /** What it opened by itself for; undefined where a person opened it. */
  readonly figures: Trip | undefined;
}

/** What a breaker was opened for, and how far beyond its bound that was. */
export interface Tripped {
  readonly scope: Scope;
  readonly level: bigint;
}

export interface BreakerBoard extends Breakers {
  all(): Promise<readonly Breaker[]>;
  set(scope: Scope, open: boolean, reason: string, by: string): Promise<Breaker>;
  /** Opens the breaker that this stops, if it is closed, and tells a person; all of it or nothing. */
  trip(one: Trip): Promise<void>;
  /** By name, everything that breakers were opened for and that is not gone. */
  tripped(): Promise<ReadonlyMap<string, Tripped>>;
  /** It has grown while its breaker is open. */
  grown(name: string, level: bigint): Promise<void>;
  /** It is gone: from now on it may open the breaker again. */
  gone(name: string): Promise<void>;
}

const BREAKERS: Statement = {
  name: 'breakers',
  text: 'SELECT scope, open, reason, changed_at, changed_by, figures FROM breaker ORDER BY scope',
};

const SET_BREAKER: Statement = {
  name: 'breaker_set',
  text: `INSERT INTO breaker (scope, open, reason, changed_at, changed_by) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (scope) DO UPDATE SET open = excluded.open, reason = excluded.reason, changed_at = excluded.changed_at,
           changed_by = excluded.changed_by, figures = NULL`,
};
const TRIP: Statement = { name: 'breaker_trip', text: 'SELECT trip_breaker($1::jsonb)' };
const TRIPPED: Statement = { name: 'trips', text: 'SELECT name, scope, level FROM trip' };
const GROWN: Statement = { name: 'trip_grown', text: 'UPDATE trip SET level = $2 WHERE name = $1 AND level < $2' };
const GONE: Statement = { name: 'trip_gone', text: 'DELETE FROM trip WHERE name = $1' };

/** A breaker must act at once, yet is asked for with every request. */
const BREAKER_AGE_MS = 1_000;

/** What nobody here can name nobody here could obey: while such a row is there, nothing that a breaker might hold goes on. */
const known = (scope: string): Scope => present(parseScope(scope), `a breaker called ${scope}`);

export function openBreakers(db: Db, clock: Clock): BreakerBoard {
  let kept: { readonly at: number; readonly open: Promise<ReadonlyMap<Scope, string>> } | undefined;
  const all = async (): Promise<readonly Breaker[]> =>
    (await db.query(BREAKERS)).map((row) => ({
      scope: known(row.scope as string),
      open: row.open as boolean,
      reason: row.reason as string,
      since: instant(Number(row.changed_at)),
      by: row.changed_by as string,
      figures: row.figures === null ? undefined : decode<Trip>(row.figures),
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
    async set(scope, open, reason, by) {
      const since = clock.now();
      await db.query(SET_BREAKER, [scope, open, reason, since, by]);
      kept = undefined;
      return { scope, open, reason, since, by, figures: undefined };
    },
    async trip(one) {
      const [name, scope, reason] = [nameOf(one), known(stopsOf(one)), saysOf(one)];
      const about: Case = { case: 'breaker_tripped', trip: name, scope, reason };
      const work = { name, scope, reason, level: one.level.toString(), by: DESK, at: clock.now(), figures: one };
      await db.query(TRIP, [encode({ ...work, cases: [encodeCase(about)] })]);
      kept = undefined;
    },
    async tripped() {
      const rows = await db.query(TRIPPED);
      return new Map(
        rows.map((row) => [
          row.name as string,
          { scope: known(row.scope as string), level: BigInt(row.level as string) },
        ]),
      );
    },
    async grown(name, level) {
      await db.query(GROWN, [name, level.toString()]);
    },
    async gone(name) {
      await db.query(GONE, [name]);
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
