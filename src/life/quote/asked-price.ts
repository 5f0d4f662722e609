import { type Clock, type Instant, later } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Address, AssetId } from '../../kernel/ids.ts';
import type { PayoutPrice } from './payout-price.ts';

/** Where questions are left for whoever talks to nodes, and where the answers are. */
export interface PriceQuestions {
  find(asset: AssetId, to: Address | undefined): Promise<(PayoutPrice & { readonly at: Instant }) | undefined>;
  ask(asset: AssetId, to: Address, at: Instant): Promise<void>;
}

export interface AskedPriceDeps {
  readonly questions: PriceQuestions;
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<void>;
}

/** An answer is good for as long as a quote. */
const GOOD_FOR_MS = 60_000;
/** Whoever quotes waits this long for an answer, and looks for it this often. */
const LOOKS = 24;
const LOOK_EVERY_MS = 50;

/** The price of paying this address; where nobody answers in time, and where nobody is named, that of the dearer ordinary case. */
export function askedPrice({ questions, clock, pause }: AskedPriceDeps) {
  const answered = async (asset: AssetId, to: Address): Promise<PayoutPrice | undefined> => {
    const since = later(clock.now(), -GOOD_FOR_MS);
    const isGood = (known: { readonly at: Instant } | undefined): boolean => known !== undefined && known.at > since;
    const known = await questions.find(asset, to);
    if (isGood(known)) return known;
    await questions.ask(asset, to, clock.now());
    for (let looks = 0; looks < LOOKS; looks += 1) {
      await pause(LOOK_EVERY_MS);
      const answer = await questions.find(asset, to);
      if (isGood(answer)) return answer;
    }
    return undefined;
  };
  return async (asset: AssetId, to: Address | undefined): Promise<PayoutPrice> => {
    const price = (to && (await answered(asset, to))) ?? (await questions.find(asset, undefined));
    if (!price) throw new Fault('transient', 'engine', `the cost of paying ${asset} is not known yet`);
    return price;
  };
}
