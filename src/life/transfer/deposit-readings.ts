import { type Atoms, atoms } from '../../kernel/amount.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Address, AssetId } from '../../kernel/ids.ts';
import type { Chain, ChainFamily } from '../../world/chains/chain.ts';
import { type Case, type CaseOf, type CaseRef, driftSubject } from '../case/case.ts';
import { watchDrift } from './drift.ts';

/** What the ledger says lies on one deposit address: credited, kept, astray, set apart for a payment, or gas left behind. */
export interface Lying {
  /** The order whose address it is, or the address itself where no order has it. */
  readonly place: string;
  readonly index: number;
  readonly address: Address;
  readonly atoms: Atoms;
  /** A payment from there was signed and is not booked: what it takes may be there, or gone. */
  readonly isLeaving: boolean;
}

export interface DepositReadingBooks {
  /** The next places of which the ledger says that some of the asset lies there, or that gas did. */
  places(asset: AssetId, after: string, most: number): Promise<readonly string[]>;
  /** What lies at these places now; those at which nothing does are left out. */
  lying(asset: AssetId, family: ChainFamily, places: readonly string[]): Promise<readonly Lying[]>;
  saveMissing(asset: AssetId, missing: Atoms): Promise<void>;
}

export interface DepositReading {
  readonly chain: Chain;
  readonly books: DepositReadingBooks;
  readonly clock: Clock;
  raise(about: Case): Promise<void>;
  over(about: CaseRef): Promise<void>;
  /** Drifts that a person was told of before this process began. */
  told(): Promise<readonly CaseOf<'drift'>[]>;
}

/** Addresses of one asset that are looked at in one round for the first time, and once more because they were short. */
const PER_ROUND = 16;
/** A node that lies shows every address short: so many of an asset are told one by one, the others in its sum alone. */
const MOST_TOLD = 16;
const LASTING_READINGS = 20;

/**
 * Compares what lies on the deposit addresses of a chain with the chain, a page of each asset in each round. Too little there
 * is drift. More than the ledger says is not: anybody can send to an address, and what comes is booked by the scanner when it
 * is final. Tokens that nobody lists are not asked, since their contracts may answer whatever they like.
 */
export function depositReader(reading: DepositReading): () => Promise<void> {
  const looks = reading.chain.facts.assets.map(({ id }) => ({ asset: id, look: assetReader(id, reading) }));
  let before: readonly CaseOf<'drift'>[] | undefined;
  return async () => {
    const told = before === undefined ? await reading.told() : [];
    before ??= told;
    const failures: unknown[] = [];
    for (const { asset, look } of looks) {
      const cases = told.filter((one) => one.asset === asset);
      failures.push(...(await look(cases.flatMap(({ deposit }) => deposit ?? []))));
    }
    if (failures.length > 0) throw failures[0];
  };
}

type Place = Pick<Lying, 'place' | 'address'>;

/** One round of one asset: what failed in it, for an address that cannot be asked keeps no other from its turn. */
type Look = (told: readonly Place[]) => Promise<readonly unknown[]>;

function assetReader(asset: AssetId, { chain, books, clock, raise, over }: DepositReading): Look {
  /** What was short at the last look; those that were looked at longest ago come first. */
  const short = new Map<string, Place & { readonly missing: bigint }>();
  const followed = new Set<string>();
  let after = '';

  const note = watchDrift<Place>({
    ...{ clock, lastingReadings: LASTING_READINGS },
    keyOf: ({ place }) => place,
    raise: ({ place, address }, difference) =>
      raise({ case: 'drift', asset, atoms: difference, deposit: { place, address } }),
    over: ({ place }) => over({ case: 'drift', subject: driftSubject(asset, place) }),
  });

  function remember({ place, address }: Place, missing: bigint): void {
    short.delete(place);
    short.set(place, { place, address, missing });
    if (followed.size < MOST_TOLD) followed.add(place);
  }

  async function agreed(place: string): Promise<void> {
    const known = short.get(place);
    if (!known) return;
    short.delete(place);
    if (followed.delete(place)) await note(known, 0n);
  }

  async function compare(lying: Lying): Promise<void> {
    const { place, index, atoms: expected, isLeaving } = lying;
    const { spendable, locked } = await chain.balance({ deposit: index }, asset);
    const missing = expected - spendable - locked;
    if (missing <= 0n) return agreed(place);
    // Neither short nor there, until it is known where it went; a payment that stays so is a case of its own.
    if (isLeaving) return;
    remember(lying, missing);
    if (followed.has(place)) await note(lying, -missing);
  }

  return async (told) => {
    for (const one of told) remember(one, 0n);
    const next = await books.places(asset, after, PER_ROUND);
    const again = [...short.keys()].slice(0, PER_ROUND);
    const lying = await books.lying(asset, chain.facts.family, [...new Set([...next, ...again])]);
    const stillLying = new Set(lying.map(({ place }) => place));
    for (const place of again) if (!stillLying.has(place)) await agreed(place);
    const failures: unknown[] = [];
    for (const one of lying) await compare(one).catch((failure) => failures.push(failure));
    after = next.length < PER_ROUND ? '' : (next.at(-1) ?? '');
    await books.saveMissing(asset, atoms([...short.values()].reduce((sum, { missing }) => sum + missing, 0n)));
    return failures;
  };
}
