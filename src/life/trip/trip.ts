import type { AssetId, ChainId } from '../../kernel/ids.ts';
import { showUsd, type UsdMicros } from '../../kernel/usd.ts';

/** Everything that can be stopped by name; chains and providers are stopped one by one. */
export const SCOPES = ['quotes', 'orders', 'payouts', 'refunds-only', 'venue', 'bridges'] as const;
export type Scope = (typeof SCOPES)[number] | `chain:${number}` | `provider:${string}`;

/** What is sent or kept as text becomes a scope by this, and by nothing else. */
export const SCOPE_PATTERN = `^(${SCOPES.join('|')}|chain:(0|[1-9][0-9]{0,15})|provider:[a-z0-9]{1,32})$`;
const SCOPE = new RegExp(SCOPE_PATTERN);
export const parseScope = (text: string): Scope | undefined => (SCOPE.test(text) ? (text as Scope) : undefined);

/** What was measured, and the most that is let pass, both in the unit of their kind. */
interface Figures {
  readonly level: bigint;
  readonly most: bigint;
}

/** Why the desk stops something by itself, with the figures that it went by. */
export type Trip =
  /** Millionths of a dollar that the chains hold less than the ledger says, for longer than payments under way explain. */
  | (Figures & { readonly trip: 'books_apart'; readonly assets: readonly AssetId[] })
  /** Millionths of a dollar that orders cost the desk more than they brought. */
  | (Figures & { readonly trip: 'money_lost'; readonly hours: number })
  /** Ten-thousandths by which the venue's price differs from every provider's; the prices are dollars for one coin. */
  | (Figures & {
      readonly trip: 'price_apart';
      readonly symbol: string;
      readonly isTraded: boolean;
      readonly venue: string;
      readonly providers: string;
    })
  /** Millionths of a dollar that were credited and have left the chain. */
  | (Figures & { readonly trip: 'credit_orphaned'; readonly chain: ChainId; readonly orders: number })
  /** Minutes for which something that the engine does again and again has failed. */
  | (Figures & { readonly trip: 'round_failing'; readonly round: string; readonly stops: Scope })
  /** Deals that brought another amount than was agreed. */
  | (Figures & { readonly trip: 'deliveries_short'; readonly provider: string; readonly last: string })
  /** Requests that the signer refused because they contradict what it knows. */
  | (Figures & { readonly trip: 'signer_refused'; readonly refused: string; readonly intent: string });

export type TripKind = Trip['trip'];
export type TripOf<K extends TripKind> = Extract<Trip, { readonly trip: K }>;

interface Conduct<K extends TripKind> {
  /** The breaker that it opens. */
  readonly stops: (one: TripOf<K>) => Scope;
  /** What tells two of a kind apart. */
  readonly about: (one: TripOf<K>) => string | undefined;
  readonly says: (one: TripOf<K>) => string;
}

const dollars = (micros: bigint): string => `$${showUsd(micros as UsdMicros)}`;
const percentOf = (tenThousandths: bigint): string => `${tenThousandths / 100n} %`;

/** Complete by type: a new kind must say what it stops and what a person is told. */
const CONDUCT: { readonly [K in TripKind]: Conduct<K> } = {
  books_apart: {
    stops: () => 'refunds-only',
    about: () => undefined,
    says: ({ level, most, assets }) =>
      `the chains hold ${dollars(level)} less than the ledger says (${assets.join(', ')}); at most ${dollars(most)} is let pass`,
  },
  money_lost: {
    stops: () => 'refunds-only',
    about: ({ hours }) => `${hours}h`,
    says: ({ level, most, hours }) =>
      `orders cost the desk ${dollars(level)} more than they brought within ${hours} h; at most ${dollars(most)} is let pass`,
  },
  price_apart: {
    // What is traded is stopped where it is traded; other prices go into every quote.
    stops: ({ isTraded }) => (isTraded ? 'venue' : 'quotes'),
    about: ({ symbol }) => symbol,
    says: ({ level, most, symbol, venue, providers }) =>
      `the venue's price of ${symbol} is ${venue} dollars and the providers' ${providers}, which differ by ${percentOf(level)}; at most ${percentOf(most)} is let pass`,
  },
  credit_orphaned: {
    stops: ({ chain }) => `chain:${chain}`,
    about: ({ chain }) => `${chain}`,
    says: ({ level, most, orders }) =>
      `credited deposits of ${orders} orders, worth ${dollars(level)}, have left this chain; at most ${dollars(most)} is let pass`,
  },
  round_failing: {
    stops: ({ stops }) => stops,
    about: ({ round }) => round,
    says: ({ level, most, round }) =>
      `the round "${round}" has failed for ${level} minutes; at most ${most} are let pass`,
  },
  deliveries_short: {
    stops: ({ provider }) => `provider:${provider}`,
    about: ({ provider }) => provider,
    says: ({ level, most, last }) =>
      `${level} deals brought another amount than was agreed, the last of them ${last}; at most ${most} is let pass`,
  },
  signer_refused: {
    stops: () => 'payouts',
    about: () => undefined,
    says: ({ level, most, refused, intent }) =>
      `the signer refused ${level} requests that only a wrong database explains, the last of them ${intent} (${refused}); at most ${most} is let pass`,
  },
};

export const TRIP_KINDS = Object.keys(CONDUCT) as readonly TripKind[];

// The table is keyed by the very kind that selects the trip; TypeScript cannot follow that through the union.
const conductOf = ({ trip }: Trip): Conduct<TripKind> => CONDUCT[trip] as Conduct<TripKind>;

export const stopsOf = (one: Trip): Scope => conductOf(one).stops(one);
export const saysOf = (one: Trip): string => conductOf(one).says(one);

/** What it is known by: the same condition has the same name however often it is met. */
export function nameOf(one: Trip): string {
  const about = conductOf(one).about(one);
  return about === undefined ? one.trip : `${one.trip}:${about}`;
}

export const kindOf = (name: string): string => name.split(':', 1)[0] ?? name;

export const isBeyond = ({ level, most }: Figures): boolean => level > most;

/**
 * Whether it opens a closed breaker. What it opened for before, and a person has closed it on, does not open it again: the excess has to
 * be gone first, or to grow by as much as is let pass.
 */
export const isNews = (one: Figures, before: bigint | undefined): boolean =>
  isBeyond(one) && (before === undefined || one.level > before + one.most);
