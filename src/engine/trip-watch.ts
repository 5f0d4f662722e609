import { type Instant, instant } from '../kernel/clock.ts';
import {
  isBeyond,
  isNews,
  kindOf,
  nameOf,
  type Scope,
  type Trip,
  type TripKind,
  type TripOf,
} from '../life/trip/trip.ts';
import type { Cases, OpenCase } from '../store/cases.ts';
import type { BreakerBoard, Tripped } from '../store/gates.ts';

/** What every measure of one look goes by. */
export interface Look {
  readonly cases: readonly OpenCase[];
  /** When this breaker was last changed. What is counted is counted from there on. */
  changedAt(scope: Scope): Instant;
  /** By name, what breakers were opened for before and what is not gone. */
  readonly before: ReadonlyMap<string, Tripped>;
}

/** Complete by type: of each kind, what is true now; what is within its bound may be left out. */
export type Measures = { readonly [K in TripKind]: (look: Look) => Promise<readonly TripOf<K>[]> };

export interface TripWatch {
  readonly breakers: BreakerBoard;
  readonly cases: Pick<Cases, 'list' | 'over'>;
  readonly measures: Measures;
}

/**
 * One look at everything that opens a breaker by itself. Nothing here closes one: a person does. What cannot be measured keeps
 * nothing else from being measured, and is not taken for gone; the look fails with the first of these.
 */
export function tripWatch({ breakers, cases, measures }: TripWatch): () => Promise<void> {
  return async () => {
    const board = new Map((await breakers.all()).map((one) => [one.scope, one]));
    const before = await breakers.tripped();
    const look: Look = {
      ...{ cases: await cases.list(), before },
      changedAt: (scope) => board.get(scope)?.since ?? instant(0),
    };
    const isOpen = (scope: Scope): boolean => board.get(scope)?.open === true;
    const kinds = Object.keys(measures) as readonly TripKind[];
    const measured = await Promise.allSettled(kinds.map((kind): Promise<readonly Trip[]> => measures[kind](look)));
    const found = measured.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])).filter(isBeyond);
    const opened = new Set<string>();
    for (const one of found) {
      const [name, known] = [nameOf(one), before.get(nameOf(one))];
      if (known && isOpen(known.scope)) await breakers.grown(name, one.level);
      else if (isNews(one, known?.level)) {
        await breakers.trip(one);
        opened.add(name);
      }
    }
    const unknown = new Set<string>(kinds.filter((_, at) => measured[at]?.status === 'rejected'));
    const still = new Set(found.map(nameOf));
    const told = new Set(look.cases.flatMap(({ about }) => (about.case === 'breaker_tripped' ? [about.trip] : [])));
    // Whoever closed a breaker has looked at what it opened for.
    for (const [name, { scope }] of before) {
      if (isOpen(scope) || opened.has(name)) continue;
      if (told.has(name)) await cases.over('treasury', { case: 'breaker_tripped', subject: name });
      if (!still.has(name) && !unknown.has(kindOf(name))) await breakers.gone(name);
    }
    const failed = measured.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  };
}
