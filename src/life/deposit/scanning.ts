import type { Amount } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import type { Address, AssetId, ChainId, OrderId, TxHash } from '../../kernel/ids.ts';
import type { UsdMicros } from '../../kernel/usd.ts';
import type { Chain, OutOfReach, ScanCursor, ScanPage } from '../../world/chains/chain.ts';
import type { Fact } from '../order/fact.ts';
import type { Order } from '../order/order.ts';
import type { Rules } from '../order/rules.ts';
import type { KeptSighting, ToldSighting } from '../order/sighting.ts';
import type { Unclaimed } from './unclaimed.ts';
import type { Unsettled } from './unsettled.ts';

/** What scanning keeps between pages. Saving a page moves blocks, matches and the cursor in one transaction. */
export interface DepositBooks {
  cursor(chain: ChainId): Promise<ScanCursor | undefined>;
  /** False where another scanner has moved the cursor since it was read: then nothing is saved. */
  savePage(chain: ChainId, space: string, after: ScanCursor | undefined, page: ScanPage, at: Instant): Promise<boolean>;
  /** How many transfers are kept of each of these addresses, on whichever chain; of those with more than `most`, that many. */
  keptAt(addresses: readonly Address[], most: number): Promise<ReadonlyMap<Address, number>>;
  /** Which of these are kept already. */
  known(chain: ChainId, keys: readonly string[]): Promise<ReadonlySet<string>>;
  watched(space: string, candidates: readonly Address[]): Promise<ReadonlySet<Address>>;
  /**
   * Where the chain's own coin may arrive: at addresses of orders that ask for it, first the open ones, then those made
   * since `since`, the newest first; and at the hot account while a provider owes it.
   */
  expecting(coin: AssetId, hot: Address, since: Instant, most: number): Promise<readonly Address[]>;
  /** All sightings of the next addresses that have one in motion, in the order of their names, beginning after `after`. */
  live(chain: ChainId, mostAddresses: number, after: Address | undefined): Promise<readonly KeptSighting[]>;
  /** What the chain was asked about and showed as final: it is kept so that nobody else can write such a row. */
  settle(chain: ChainId, final: readonly KeptSighting[]): Promise<void>;
  /** What these deposits are worth, by key. */
  value(chain: ChainId, worth: ReadonlyMap<string, UsdMicros>): Promise<void>;
  /** What is worth all that came and is not final by the deeper rule: in the pool, or above this height. */
  stake(chain: ChainId, above: number): Promise<UsdMicros>;
  /** Whatever has become something else since it was told stays to be told. */
  reported(chain: ChainId, told: readonly ToldSighting[]): Promise<void>;
  /** Which of these transactions we made ourselves. */
  ours(chain: ChainId, hashes: readonly TxHash[]): Promise<ReadonlySet<string>>;
}

/** Where what was seen is told. Telling the same thing twice changes nothing. */
export interface Telling {
  order(id: OrderId): Promise<Order | undefined>;
  /** What was judged from this version of the order. Where it has moved on nothing was told: it must be judged anew. */
  tell(id: OrderId, key: string, fact: Fact, asOf: number): Promise<'taken' | 'known' | 'outdated'>;
  /** Money that came to the hot account from outside: inventory. Told before it is final to anybody else. */
  inflow(key: string, received: Amount, seen: KeptSighting): Promise<void>;
  /** Something came to this address although no order has it: it is given to nobody any more. */
  burn(space: string, address: Address): Promise<void>;
  /** What came there is final: a person is told, once. */
  unclaimed(unclaimed: Unclaimed): Promise<void>;
  /** What came to addresses of ours and cannot be taken from there: a person is told, once of each. */
  outOfReach(found: readonly OutOfReach[]): Promise<void>;
}

export interface Worth {
  readonly value: UsdMicros;
  readonly refund: UsdMicros;
}

export interface Scanning {
  readonly chain: Chain;
  readonly books: DepositBooks;
  readonly telling: Telling;
  readonly rules: Rules;
  /** Kept from round to round. */
  readonly unsettled: Unsettled;
  /** What so much is worth, and what sending it back costs, in dollars; undefined where nobody can say. */
  readonly worth: (of: Amount) => Promise<Worth | undefined>;
  /** Where a first scan begins; from now where it is undefined. */
  readonly from: number | undefined;
}
