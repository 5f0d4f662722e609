import { type Amount, atLeast, convert, isZero, scale, zero } from '../../kernel/amount.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { compare, lessThanOneBy, type Ratio, ratio } from '../../kernel/ratio.ts';
import type { Provider, ProviderQuote, Swap } from '../../world/providers/provider.ts';

/** A swap that is wanted, before it is known how much of it may be lost on the way. */
export type Ask = Omit<Swap, 'slippage'>;

/** What one leg should lose at most, and what it may lose where that cannot be had (8.5). */
export interface Slippage {
  readonly perLeg: Ratio;
  readonly full: Ratio;
}

export interface BestOffer {
  readonly provider: Provider;
  /** What is opened, with the slippage that was agreed to. */
  readonly swap: Swap;
  readonly quote: ProviderQuote;
}

/** In output atoms for each input atom. */
export interface RateBounds {
  /** Nothing that could deliver less is taken; undefined where anything is welcome. */
  readonly least: Ratio | undefined;
  /** Who promises more is not believed. */
  readonly most: Ratio;
}

/** `declined`: everybody who answered said no. `unreachable`: nobody answered. */
export type NoOffer = 'declined' | 'unreachable';

/**
 * The best output that any provider offers, asked of all at once; who fails, says no or is not believed is left out. Nobody inside the tight slippage: all are asked again for the full one,
 * and then kept to as much of it as the least rate leaves.
 */
export async function bestOffer(
  providers: readonly Provider[],
  ask: Ask,
  slippage: Slippage,
  { least, most }: RateBounds,
): Promise<BestOffer | NoOffer> {
  const floor = least ? convert(ask.input, ask.output, least, 'up') : zero(ask.output);
  const tight = await offersFor(providers, { ...ask, slippage: slippage.perLeg }, most);
  if (tight === 'unreachable') return tight;
  const [best] = tight.filter(({ quote }) => atLeast(quote.least, floor));
  if (best) return best;

  const loose = await offersFor(providers, { ...ask, slippage: slippage.full }, most);
  if (loose === 'unreachable') return loose;
  for (const offer of loose) {
    const kept = await keptTo(offer, floor, most);
    if (kept) return kept;
  }
  return 'declined';
}

/**
 * A provider says itself which arrival is its delivery, and that one is its order's as far as it promised. Who promises what nobody
 * gives for the input may have somebody else's arrival in mind.
 */
export const isCredible = ({ output }: Pick<ProviderQuote, 'output'>, input: Amount, most: Ratio): boolean =>
  atLeast(convert(input, output.asset, most, 'up'), output);

/** The best offer comes first; the list is empty where everybody who answered declined. */
async function offersFor(
  providers: readonly Provider[],
  swap: Swap,
  most: Ratio,
): Promise<readonly BestOffer[] | 'unreachable'> {
  const able = providers.filter((provider) => provider.supports(swap.input.asset, swap.output));
  const answers = await Promise.all(able.map((provider) => offerOf(provider, swap)));
  if (answers.every((answer) => answer === 'unreachable')) return 'unreachable';
  return answers
    .filter((answer) => typeof answer === 'object')
    .filter(({ quote }) => isCredible(quote, swap.input, most))
    .sort((a, b) => compare(yieldOf(b), yieldOf(a)));
}

const yieldOf = ({ quote }: BestOffer): Ratio => ratio(quote.output.atoms, 1n);

export async function offerOf(provider: Provider, swap: Swap): Promise<BestOffer | NoOffer> {
  try {
    const quote = await provider.quote(swap);
    return quote && !isZero(quote.output) ? { provider, swap, quote } : 'declined';
  } catch (error) {
    if (error instanceof Fault) return 'unreachable';
    throw error;
  }
}

/** Asks for the same offer with no more slippage than leaves the floor; undefined where it does not reach that. */
async function keptTo(offer: BestOffer, floor: Amount, most: Ratio): Promise<BestOffer | undefined> {
  const { provider, swap, quote } = offer;
  if (atLeast(quote.least, floor)) return offer;
  if (!atLeast(quote.output, floor)) return undefined;
  const left = lessThanOneBy(ratio(floor.atoms, quote.output.atoms));
  const slippage = compare(left, swap.slippage) < 0 ? left : swap.slippage;
  const again = await offerOf(provider, { ...swap, slippage });
  if (typeof again !== 'object' || !isCredible(again.quote, swap.input, most)) return undefined;
  return atLeast(again.quote.least, floor) ? again : undefined;
}

/** A provider's prices move no faster than this, and clients ask for the same sum again and again. */
const SAME_FOR_MS = 5_000;
/** Without an account, providers answer about fifty quotes a minute; orders that are carried out need some of them. */
const MINUTE_MS = 60_000;
const ASKS_PER_MINUTE = 40;
/** Beyond that, what was offered for another sum is good enough where neither is more than twice the other. */
const NEAR = 2n;

interface Asked {
  readonly at: number;
  readonly pair: string;
  readonly input: Amount;
  readonly quote: Promise<ProviderQuote | undefined>;
  failed: boolean;
}

/**
 * The same provider, asked for fewer quotes: equal asks share an answer, and a burst of different ones does not become a
 * burst over there. It serves estimates only, where neither deadline nor addresses matter; what is opened is quoted anew.
 */
export function throttled(provider: Provider, clock: Clock): Provider {
  let asked: Asked[] = [];

  const ask = (swap: Swap, pair: string, at: number): Promise<ProviderQuote | undefined> => {
    const entry: Asked = { at, pair, input: swap.input, quote: provider.quote(swap), failed: false };
    asked.push(entry);
    entry.quote.catch(() => {
      entry.failed = true;
    });
    return entry.quote;
  };

  return {
    ...provider,
    async quote(swap) {
      const now = clock.now();
      asked = asked.filter(({ at }) => now - at < MINUTE_MS);
      const pair = [swap.input.asset, swap.output, swap.slippage.num, swap.slippage.den].join(' ');
      const alike = asked.filter((one) => one.pair === pair && !one.failed);
      const same = alike.findLast(({ input }) => input.atoms === swap.input.atoms);
      if (same && now - same.at < SAME_FOR_MS) return same.quote;
      if (asked.length < ASKS_PER_MINUTE) return ask(swap, pair, now);
      const near = alike.findLast(({ input }) => isNear(input.atoms, swap.input.atoms));
      if (!near) throw new Fault('transient', `provider:${provider.name}`, 'asked too often');
      const quote = await near.quote;
      return quote && forSum(quote, near.input, swap.input);
    },
  };
}

const isNear = (a: bigint, b: bigint): boolean => a <= NEAR * b && b <= NEAR * a;

function forSum({ output, least, seconds }: ProviderQuote, quoted: Amount, input: Amount): ProviderQuote {
  const share = ratio(input.atoms, quoted.atoms);
  return { output: scale(output, share, 'down'), least: scale(least, share, 'down'), seconds };
}
