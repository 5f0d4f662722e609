import { type Ratio, ratio } from '../../kernel/ratio.ts';
import { type UsdMicros, usd } from '../../kernel/usd.ts';

/** Every business number of an order's life. */
export interface Rules {
  /** At least this part of what was asked is enough (inclusive). */
  readonly enough: Ratio;
  /** Strictly under this part is dust and shows nothing. */
  readonly dust: Ratio;
  /** Money to give back that is worth less than this, and under the part above, is a speck as well. */
  readonly speckBelow: UsdMicros;
  /** What arrived by the deadline and is worth less than this expires instead of continuing. */
  readonly continueFrom: UsdMicros;
  /** Deposits worth this much or more wait for the deeper finality. */
  readonly largeFrom: UsdMicros;
  /** Where so much is at stake on a chain, not final by the deeper rule, every deposit there waits for that. */
  readonly largeStake: UsdMicros;
  /** Deposits worth this much or more are collected before anything is done with them; smaller ones go on from stock. */
  readonly collectFirstFrom: UsdMicros;
  readonly fundingWindowMs: number;
  /**
   * What is final is enough, and more was seen: so long the rest is waited for, since all that arrived is carried out. It is what
   * the slowest chain takes for a large deposit, so that a top-up of the same minutes is joined on every chain.
   */
  readonly restPatienceMs: number;
  /**
   * What is final is too little: so long after the deadline it waits for what was seen in time. Three times what the
   * slowest chain takes: a top-up of the last minute has all of its way before it.
   */
  readonly topUpPatienceMs: number;
  /** A deposit that left the chain after enough was seen has so long to come back: what a reorganisation took is mined again within minutes. */
  readonly comesBackMs: number;
  /** A venue order is refused by the venue after this long. */
  readonly ticketLifeMs: number;
  /** Pause before the next try when the book gave nothing. */
  readonly retryTicketMs: number;
  /** Where the market gives nothing, or no provider is to be had, for this long, what is left goes back. */
  readonly tradePatienceMs: number;
  /** Pause before providers are asked again, and how often all of them may refuse, or take and give back. */
  readonly retryLegMs: number;
  readonly mostRefusals: number;
  readonly mostDeals: number;
  /** What a provider promises further above the market's price than this is no offer: nobody gives that away. */
  readonly offeredBeyond: Ratio;
  /** Of what a provider delivers, so much more than was agreed is still the order's; what comes beyond it is looked at by a person. */
  readonly deliveredBeyond: Ratio;
  /** A provider that gives back less than this part of what it was paid has kept more than a network's fee. */
  readonly givenBack: Ratio;
  /** A claim is given back by itself when it is worth so many times what that costs. */
  readonly refundMultiple: bigint;
  /** Where networks take a larger part of the deposit than this, and more than was reckoned with, it goes back instead. */
  readonly mostCostShare: Ratio;
  /** What is kept because of its cost is priced again after this long, then after twice that, and so on. */
  readonly repriceAfterMs: number;
  /** Past this an order that waits for stock may be taken back. */
  readonly stockPatienceMs: number;
  /** Of strangers' doing, for one order: accounts that are screened, claims, tokens that nobody listed and what one may claim. */
  readonly mostSenders: number;
  readonly mostClaims: number;
  readonly mostUnlistedTokens: number;
  readonly mostUnlistedAtoms: bigint;
  /** So many transfers to one address are kept whatever they are; of what comes beyond them, only what is worth more than a speck. */
  readonly mostTransfers: number;
  /** So much credited money may have left one chain before that chain is stopped. */
  readonly mostOrphaned: UsdMicros;
  /** Whatever waits for stock, or keeps failing, for longer than this becomes a case. */
  readonly caseAfterMs: number;
}

export const RULES: Rules = {
  enough: ratio(99n, 100n),
  dust: ratio(1n, 100n),
  speckBelow: usd(1),
  continueFrom: usd(10),
  largeFrom: usd(1000),
  largeStake: usd(5000),
  collectFirstFrom: usd(10_000),
  fundingWindowMs: 60 * 60 * 1000,
  restPatienceMs: 60 * 60 * 1000,
  topUpPatienceMs: 3 * 60 * 60 * 1000,
  comesBackMs: 5 * 60 * 1000,
  ticketLifeMs: 20_000,
  retryTicketMs: 2_000,
  tradePatienceMs: 10 * 60 * 1000,
  retryLegMs: 3_000,
  mostRefusals: 3,
  mostDeals: 3,
  offeredBeyond: ratio(10n, 100n),
  deliveredBeyond: ratio(5n, 100n),
  givenBack: ratio(9n, 10n),
  refundMultiple: 3n,
  mostCostShare: ratio(1n, 5n),
  repriceAfterMs: 60 * 60 * 1000,
  stockPatienceMs: 30 * 60 * 1000,
  mostSenders: 64,
  mostClaims: 24,
  mostUnlistedTokens: 4,
  mostUnlistedAtoms: 10n ** 38n,
  mostTransfers: 500,
  mostOrphaned: usd(1000),
  caseAfterMs: 60_000,
};
