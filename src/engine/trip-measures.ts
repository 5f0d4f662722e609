import { type Amount, amount, parseUnits } from '../kernel/amount.ts';
import { present } from '../kernel/assert.ts';
import { type Clock, type Instant, later } from '../kernel/clock.ts';
import { type ChainId, chainOf } from '../kernel/ids.ts';
import type { UsdMicros } from '../kernel/usd.ts';
import type { CaseKind, CaseOf } from '../life/case/case.ts';
import type { Scope, TripOf } from '../life/trip/trip.ts';
import type { OpenCase } from '../store/cases.ts';
import type { Results } from '../store/results.ts';
import type { ShortDeliveries } from '../store/short-deliveries.ts';
import type { SignerRefusals } from '../store/signer-refusals.ts';
import type { Look, Measures } from './trip-watch.ts';

/** What is let pass, of each kind in its own unit. */
export interface TripBounds {
  readonly apartUsd: UsdMicros;
  readonly lostUsd: readonly { readonly hours: number; readonly most: UsdMicros }[];
  /** In ten-thousandths. */
  readonly priceApart: bigint;
  readonly orphanedUsd: UsdMicros;
  readonly failingMinutes: bigint;
  readonly shortDeliveries: bigint;
  readonly signerRefusals: bigint;
}

export interface MeasureParts {
  readonly bounds: TripBounds;
  readonly results: Results;
  readonly shortDeliveries: Pick<ShortDeliveries, 'counts'>;
  readonly refusals: Pick<SignerRefusals, 'since'>;
  readonly clock: Clock;
  /** undefined where nobody names a price. */
  worth(of: Amount): Promise<UsdMicros | undefined>;
  /** How far the venue is from those who swap; without prices where nobody says one. */
  readonly prices: Measures['price_apart'];
  /** What must stop while a round of this name fails; undefined where nothing new goes wrong by it. */
  stops(round: string): Scope | undefined;
}

const USD_DECIMALS = 6;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Of what an hour and a day of orders brought, a look every so often is enough for its length. */
const LOOKS_IN_WINDOW = 360;
/** A clock that is moved, or a process that slept, must not make two failures look like many. */
const LASTING_LOOKS = 30;

type Aged<K extends CaseKind> = { readonly about: CaseOf<K>; readonly since: Instant };

const casesOf = <K extends CaseKind>(cases: readonly OpenCase[], kind: K): readonly Aged<K>[] =>
  cases.flatMap(({ about, since }) => (about.case === kind ? [{ about: about as CaseOf<K>, since }] : []));

/** Everything that opens a breaker by itself, each by what is already kept about it. */
export function tripMeasures(parts: MeasureParts): Measures {
  const { bounds } = parts;
  return {
    books_apart: booksApart(parts),
    money_lost: moneyLost(parts),
    price_apart: parts.prices,
    credit_orphaned: async ({ cases, changedAt }) => orphaned(bounds.orphanedUsd, cases, changedAt),
    round_failing: failing(parts),
    deliveries_short: async () =>
      (await parts.shortDeliveries.counts()).map(({ provider, deals, last }) => ({
        ...{ trip: 'deliveries_short', provider, last, level: BigInt(deals), most: bounds.shortDeliveries },
      })),
    signer_refused: async ({ changedAt }) => {
      const refused = await parts.refusals.since(changedAt('payouts'));
      if (!refused) return [];
      return [{ trip: 'signer_refused', ...refused.last, level: BigInt(refused.count), most: bounds.signerRefusals }];
    },
  };
}

/** What is missing for long is a case already. More than the ledger says is none: anybody can send money. */
const booksApart =
  ({ bounds, worth }: MeasureParts): Measures['books_apart'] =>
  async ({ cases }) => {
    const missing = casesOf(cases, 'drift').filter(({ about }) => about.atoms < 0n);
    const worths = await Promise.all(missing.map(({ about }) => worth(amount(about.asset, -about.atoms))));
    const level = worths.reduce<bigint>((sum, one) => sum + (one ?? 0n), 0n);
    const assets = [...new Set(missing.map(({ about }) => about.asset))];
    return [{ trip: 'books_apart', assets, level, most: bounds.apartUsd }];
  };

function moneyLost({ bounds, results, clock, worth }: MeasureParts): Measures['money_lost'] {
  const kept = new Map<number, { readonly at: Instant; readonly level: bigint }>();
  const lostSince = async (at: Instant, now: Instant): Promise<bigint> => {
    const worths = await Promise.all(
      (await results.since(at, now)).map(async ({ asset, atoms }) => {
        const value = (await worth(amount(asset, atoms < 0n ? -atoms : atoms))) ?? 0n;
        return atoms < 0n ? value : -value;
      }),
    );
    return worths.reduce((sum, one) => sum + one, 0n);
  };
  return async ({ changedAt }) => {
    const now = clock.now();
    const closedAt = changedAt('refunds-only');
    return Promise.all(
      bounds.lostUsd.map(async ({ hours, most }): Promise<TripOf<'money_lost'>> => {
        const window = hours * HOUR_MS;
        const last = kept.get(hours);
        const isFresh = last && now < later(last.at, window / LOOKS_IN_WINDOW) && closedAt < last.at;
        const start = later(now, -window);
        const level = isFresh ? last.level : await lostSince(start > closedAt ? start : closedAt, now);
        if (!isFresh) kept.set(hours, { at: now, level });
        return { trip: 'money_lost', hours, level, most };
      }),
    );
  };
}

function orphaned(most: UsdMicros, cases: Look['cases'], changedAt: Look['changedAt']): TripOf<'credit_orphaned'>[] {
  const gone = new Map<ChainId, { orders: number; level: bigint }>();
  for (const { about, since } of casesOf(cases, 'deposit_orphaned')) {
    const chain = chainOf(about.asset);
    if (since <= changedAt(`chain:${chain}`)) continue;
    const { orders, level } = gone.get(chain) ?? { orders: 0, level: 0n };
    gone.set(chain, { orders: orders + 1, level: level + worthOf(about) });
  }
  return [...gone].map(([chain, { orders, level }]) => ({ trip: 'credit_orphaned', chain, orders, level, most }));
}

/** What cannot be read is not worth nothing: the look fails, and a person is told. */
const worthOf = ({ asset, usd }: CaseOf<'deposit_orphaned'>): bigint =>
  present(parseUnits(usd, USD_DECIMALS), `the worth of an orphaned deposit of ${asset}, which is "${usd}"`);

function failing({ bounds, clock, stops }: MeasureParts): Measures['round_failing'] {
  const looks = new Map<string, number>();
  return async ({ cases, changedAt }) => {
    const rounds = casesOf(cases, 'round_failed');
    const names = new Set(rounds.map(({ about }) => about.round));
    for (const name of looks.keys()) if (!names.has(name)) looks.delete(name);
    return rounds.flatMap(({ about: { round }, since }): TripOf<'round_failing'>[] => {
      const seen = (looks.get(round) ?? 0) + 1;
      looks.set(round, seen);
      const scope = stops(round);
      if (scope === undefined || seen < LASTING_LOOKS || since <= changedAt(scope)) return [];
      const level = BigInt(Math.floor((clock.now() - since) / MINUTE_MS));
      return [{ trip: 'round_failing', round, stops: scope, level, most: bounds.failingMinutes }];
    });
  };
}
