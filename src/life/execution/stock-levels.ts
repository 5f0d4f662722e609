import { type Amount, type Atoms, amount, atoms } from '../../kernel/amount.ts';
import { type Clock, type Instant, later } from '../../kernel/clock.ts';
import type { Address, AssetId } from '../../kernel/ids.ts';
import { larger, lesser, lessThanOneBy, type Ratio, scaleInt } from '../../kernel/ratio.ts';
import type { UsdMicros } from '../../kernel/usd.ts';
import type { Case, CaseRef } from '../case/case.ts';
import { type Advanced, opened } from '../payment/advance.ts';
import { newPayment } from '../payment/payment.ts';

/** How much of an asset the desk wants to have free, in atoms. */
export interface StockLevel {
  readonly asset: AssetId;
  /** Below this a person is told. */
  readonly low: bigint;
  readonly target: bigint;
  /** Above this, what is more than the target goes to the cold store; undefined: nothing is too much. */
  readonly high: bigint | undefined;
  readonly fill?: StockFill | undefined;
}

/** How an asset that runs low is had: from a provider, as the other form of a coin from a bridge, or on the venue's own book. */
export interface StockFill {
  /** Both are sides of the venue's own market: no provider is needed to have one for the other. */
  readonly isTrade: boolean;
  /** Paid with what this has above its own target. */
  readonly from: AssetId;
  /** The most that may be lost on the way, and millionths of a dollar that may be spent in any 24 hours. */
  readonly mostCost: Ratio;
  readonly usdPerDay: bigint;
  /** The most of that which is in somebody else's hands at a time. */
  readonly usdAtOnce: bigint;
}

export interface ColdStore {
  readonly address: Address;
  /** As much goes there in any 24 hours. */
  readonly perDay: bigint;
}

export interface LevelBooks {
  balance(account: string, asset: AssetId): Promise<Atoms>;
  /** What waiting orders lack of the asset. */
  demand(asset: AssetId): Promise<Atoms>;
  /** What the account was seen to hold beyond what the ledger has; undefined before it was looked at. */
  beyondLedger(asset: AssetId): Promise<bigint | undefined>;
  /** What went to the cold store since then, or is on its way there. */
  sweptSince(asset: AssetId, since: Instant): Promise<Atoms>;
  openSweeps(asset: AssetId): Promise<number>;
  lastSweep(): Promise<number>;
  open(payment: Advanced): Promise<void>;
  raise(about: Case): Promise<void>;
  over(about: CaseRef): Promise<void>;
}

export interface Levels {
  readonly levels: readonly StockLevel[];
  readonly cold: ReadonlyMap<AssetId, ColdStore>;
  readonly books: LevelBooks;
  readonly clock: Clock;
}

export const DAY_MS = 24 * 60 * 60 * 1000;
/** What is too much for a moment may be what the next order takes. */
const LASTING_MS = 10_000;

/** What the treasury has of it and no waiting order lacks: nothing that is owed to anybody is ever part of it. */
export async function freeOf(
  { balance, demand }: Pick<LevelBooks, 'balance' | 'demand'>,
  asset: AssetId,
): Promise<bigint> {
  return larger((await balance('treasury', asset)) - (await demand(asset)), 0n);
}

/** With what came and is not final yet, or lay there before the first look: it may be all that is missing. Undefined before that look. */
export async function thereOf(
  books: Pick<LevelBooks, 'balance' | 'demand' | 'beyondLedger'>,
  asset: AssetId,
): Promise<bigint | undefined> {
  const uncounted = await books.beyondLedger(asset);
  return uncounted === undefined ? undefined : (await freeOf(books, asset)) + larger(uncounted, 0n);
}

/** What is to be had for a level: for so much of the other asset, at least so many atoms; `fair` of them are worth as much, `usd` millionths of a dollar. */
export interface FillWish {
  readonly input: Amount;
  readonly least: bigint;
  readonly fair: bigint;
  readonly usd: bigint;
}

export interface WishParts {
  readonly levels: readonly StockLevel[];
  readonly books: Pick<LevelBooks, 'balance' | 'demand' | 'beyondLedger'>;
  readonly worth: (of: Amount) => Promise<UsdMicros | undefined>;
}

/** Less than this is not worth its fees; millionths of a dollar. */
const LEAST_USD = 10_000_000n;

/** No more than is missing, than the other asset has above its own target, than a day allows, and than may be lost at once. */
export async function wishFor(
  { books, levels, worth }: WishParts,
  { asset, low, target }: StockLevel,
  fill: StockFill,
  spentInADay: () => Promise<bigint | undefined>,
): Promise<FillWish | undefined> {
  const there = await thereOf(books, asset);
  if (there === undefined || there >= low) return undefined;
  const spare = (await freeOf(books, fill.from)) - (levels.find((one) => one.asset === fill.from)?.target ?? 0n);
  const spent = await spentInADay();
  if (spare <= 0n || spent === undefined) return undefined;
  const missing = amount(asset, target - there);
  const [wanted, had] = [await worth(missing), await worth(amount(fill.from, spare))];
  if (wanted === undefined || had === undefined) return undefined;
  const usd = [had, fill.usdPerDay - spent, fill.usdAtOnce].reduce<bigint>(lesser, wanted);
  if (usd < LEAST_USD) return undefined;
  const fair = (missing.atoms * usd) / wanted;
  const least = scaleInt(fair, lessThanOneBy(fill.mostCost), 'up');
  return { input: amount(fill.from, (spare * usd) / had), least, fair, usd };
}

/** Each round tells a person what runs low before an order waits for it, and puts away what the hot account need not hold. */
export function levelKeeper({ levels, cold, books, clock }: Levels): () => Promise<void> {
  const told = new Map<AssetId, bigint>();
  const tooMuchSince = new Map<AssetId, Instant>();

  const tell = async ({ asset, low, target }: StockLevel): Promise<void> => {
    const there = await thereOf(books, asset);
    if (there === undefined) return;
    const before = told.get(asset);
    if (there < low && before !== there) await books.raise({ case: 'stock_low', asset, atoms: there, low, target });
    if (there >= low && (before === undefined || before < low)) await books.over({ case: 'stock_low', subject: asset });
    told.set(asset, there);
  };

  const putAway = async ({ asset, target, high }: StockLevel): Promise<void> => {
    const store = cold.get(asset);
    if (high === undefined || !store) return;
    // Before the stock is read: what another engine puts away meanwhile takes this number, and the stock is not what was read.
    const number = (await books.lastSweep()) + 1;
    const free = await freeOf(books, asset);
    if (free <= high) return void tooMuchSince.delete(asset);
    const now = clock.now();
    const since = tooMuchSince.get(asset) ?? now;
    tooMuchSince.set(asset, since);
    if (now < later(since, LASTING_MS) || (await books.openSweeps(asset)) > 0) return;
    const wanted = lesser(free - target, store.perDay);
    const value = lesser(wanted, store.perDay - (await books.sweptSince(asset, later(now, -DAY_MS))));
    // What little a day has left is not worth a transfer of its own.
    if (value <= 0n || value * 2n < wanted) return;
    const payment = newPayment({
      ...{ owner: 'treasury', purpose: { for: 'cold_sweep', number }, from: 'hot' },
      ...{ amount: amount(asset, atoms(value)), to: store.address, source: 'treasury' },
    });
    await books.open(opened(payment));
    tooMuchSince.delete(asset);
  };

  return async () => {
    for (const level of levels) {
      await tell(level);
      await putAway(level);
    }
  };
}
