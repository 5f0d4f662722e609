import { type Amount, formatUnits } from '../../kernel/amount.ts';
import { type Clock, later } from '../../kernel/clock.ts';
import { type Address, type ChainId, chainOf } from '../../kernel/ids.ts';
import { compare, inverse, percent, type Ratio, ratio, scaleInt, times } from '../../kernel/ratio.ts';
import { type UsdPrice, usd } from '../../kernel/usd.ts';
import type { Asset } from '../../world/chains/chain.ts';
import type { Provider } from '../../world/providers/provider.ts';
import { offerOf } from './provider-offers.ts';

export interface ComparisonDeps {
  readonly providers: readonly Provider[];
  /** What everything is compared in, and worth a dollar. */
  readonly money: Asset;
  readonly hot: (chain: ChainId) => Address | undefined;
  readonly clock: Clock;
}

/** What the venue and the providers say of one coin; `apart` is the difference in ten-thousandths of the providers' price. */
export interface Compared {
  readonly apart: bigint;
  /** Dollars for one coin. */
  readonly venue: string;
  readonly providers: string;
}

/** Enough that flat fees hardly count, and little enough that everybody offers it. */
const ASKED = usd(1_000);
const WHOLE = 10_000n;
const SHOWN_DECIMALS = 6;

/**
 * How far the venue's price of a coin is from what providers give for it now. Of several the nearest counts, so that one of them
 * alone cannot make the venue look wrong. undefined where nobody answers.
 */
export async function comparePrice(coin: Asset, price: UsdPrice, deps: ComparisonDeps): Promise<Compared | undefined> {
  const input: Amount = { asset: coin.id, atoms: scaleInt(ASKED, inverse(price), 'up') as Amount['atoms'] };
  const offers = await Promise.all(deps.providers.map((provider) => outputOf(provider, input, deps)));
  const apart = offers.flatMap((got) => {
    if (got === undefined || got.atoms === 0n) return [];
    const theirs = ratio(got.atoms * 10n ** BigInt(coin.decimals), input.atoms * 10n ** BigInt(deps.money.decimals));
    return [{ theirs, apart: differenceOf(perCoin(price, coin), theirs) }];
  });
  const [nearest] = apart.sort((a, b) => compare(ratio(a.apart, 1n), ratio(b.apart, 1n)));
  return nearest && { apart: nearest.apart, venue: shown(perCoin(price, coin)), providers: shown(nearest.theirs) };
}

const perCoin = (price: UsdPrice, { decimals }: Asset): Ratio =>
  times(price, ratio(10n ** BigInt(decimals), 10n ** BigInt(SHOWN_DECIMALS)));

const shown = (dollars: Ratio): string =>
  formatUnits(scaleInt(10n ** BigInt(SHOWN_DECIMALS), dollars, 'down'), SHOWN_DECIMALS);

function differenceOf(ours: Ratio, theirs: Ratio): bigint {
  const share = scaleInt(WHOLE, times(ours, inverse(theirs)), 'down');
  return share > WHOLE ? share - WHOLE : WHOLE - share;
}

/** An estimate: nothing is opened, so that a deadline is a formality. */
const DEADLINE_MS = 60 * 60 * 1000;

async function outputOf(
  provider: Provider,
  input: Amount,
  { money, hot, clock }: ComparisonDeps,
): Promise<Amount | undefined> {
  const [recipient, refundTo] = [hot(money.chainId), hot(chainOf(input.asset))];
  if (recipient === undefined || refundTo === undefined || !provider.supports(input.asset, money.id)) return undefined;
  const deadline = later(clock.now(), DEADLINE_MS);
  const offer = await offerOf(provider, {
    input,
    output: money.id,
    slippage: percent('1'),
    recipient,
    refundTo,
    deadline,
  });
  return typeof offer === 'object' ? offer.quote.output : undefined;
}
