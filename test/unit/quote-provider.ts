import { amount, isZero } from '../../src/kernel/amount.ts';
import { Fault } from '../../src/kernel/fault.ts';
import type { AssetId } from '../../src/kernel/ids.ts';
import { inverse, lessThanOneBy, ONE, type Ratio, ratio, scaleInt, times } from '../../src/kernel/ratio.ts';
import { type UsdPrice, usdPrice } from '../../src/kernel/usd.ts';
import type { Asset } from '../../src/world/chains/chain.ts';
import type { Provider, ProviderQuote, Swap } from '../../src/world/providers/provider.ts';
import { BTC, ETH, SOL, SOL_USDT, USDC } from './quote-room.ts';

const PRICES: readonly (readonly [Asset, bigint])[] = [
  [USDC, 1n],
  [ETH, 3_000n],
  [BTC, 100_000n],
  [SOL, 200n],
  [SOL_USDT, 1n],
];
const prices = new Map<AssetId, UsdPrice>(
  PRICES.map(([{ id, decimals }, each]) => [id, usdPrice(ratio(each, 1n), decimals)]),
);

export interface Manners {
  readonly name?: string;
  /** What it keeps of everything. */
  readonly spread?: Ratio;
  /** What it keeps of each swap, in millionths of a dollar. */
  readonly flat?: bigint;
  /** Millionths of a dollar at which half of the price is lost to its size. */
  readonly depth?: bigint;
  /** Declines under this, in millionths of a dollar. */
  readonly least?: bigint;
  /** Declines a tolerance under this. */
  readonly tightest?: Ratio;
  readonly seconds?: number;
}

export interface FakeProvider extends Provider {
  readonly asked: Swap[];
  mood: 'well' | 'down' | 'silent';
}

/** Swaps everything of the room but XMR, by the dollar. */
export function fakeProvider(manners: Manners = {}): FakeProvider {
  const { name = 'fake', seconds = 30, tightest = ratio(0n, 1n) } = manners;
  const asked: Swap[] = [];
  const never = () => Promise.reject(new Fault('permanent', name, 'only quotes'));
  return {
    name,
    asked,
    mood: 'well',
    supports: (input, output) => input !== output && prices.has(input) && prices.has(output),
    async quote(swap) {
      asked.push(swap);
      if (this.mood === 'down') throw new Fault('transient', name, 'down');
      if (this.mood === 'silent') return new Promise(() => {});
      const isTooTight = swap.slippage.num * tightest.den < tightest.num * swap.slippage.den;
      const output = amount(swap.output, yieldOf(swap, manners));
      if (isTooTight || isZero(output)) return undefined;
      const least = amount(swap.output, scaleInt(output.atoms, lessThanOneBy(swap.slippage), 'up'));
      return { output, least, seconds } satisfies ProviderQuote;
    },
    open: never,
    status: never,
    funded: never,
  };
}

function yieldOf({ input, output }: Swap, manners: Manners): bigint {
  const { spread = ratio(1n, 1_000n), flat = 0n, depth, least = 0n } = manners;
  const [from, to] = [prices.get(input.asset), prices.get(output)];
  if (!from || !to) return 0n;
  const worth = scaleInt(input.atoms, from, 'down');
  if (worth < least || worth <= flat) return 0n;
  const bySize = depth === undefined ? ONE : ratio(depth, depth + worth);
  const shares = times(lessThanOneBy(spread), times(bySize, ratio(worth - flat, worth)));
  return scaleInt(input.atoms, times(times(from, inverse(to)), shares), 'down');
}
