import { type Amount, scale } from '../../kernel/amount.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { ratio } from '../../kernel/ratio.ts';
import type { Provider, ProviderQuote, Swap } from '../../world/providers/provider.ts';

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
 * The same provider, asked sparingly: equal asks share an answer, and a burst of different ones does not become a burst
 * over there. Only for estimates, where neither deadline nor addresses matter; what is opened is quoted anew.
 */
export function sparing(provider: Provider, clock: Clock): Provider {
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
