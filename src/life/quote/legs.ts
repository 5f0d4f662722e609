import { present } from '../../kernel/assert.ts';
import { lessThanOneBy, times } from '../../kernel/ratio.ts';
import { usdValue } from '../../kernel/usd.ts';
import type { Asset } from '../../world/chains/chain.ts';
import { worstPrice } from './price.ts';
import type { Leg, LegAsset, TwapWish, VenueLeg } from './quote.ts';
import type { Solved } from './solve.ts';
import type { Terms } from './terms.ts';
import { chunkPlan } from './twap.ts';
import { sidesOf } from './way.ts';

/**
 * The bound of every leg is the whole end-to-end slippage on what that leg was quoted to give: it is shared by all of
 * them (8.5), and a leg cannot know how much of it the others will need.
 */
export function legsOf(terms: Terms, solved: Solved, twap: TwapWish | undefined): readonly Leg[] {
  return terms.hops.map((hop, at) => {
    const input = legAsset(present(terms.places[at], 'an input').asset);
    const output = legAsset(present(terms.places[at + 1], 'an output').asset);
    if (hop.leg === 'venue') return venueLeg(terms, solved, input, output, twap);
    const worstRate = times(solved.swapped.rate, lessThanOneBy(terms.settings.endToEndSlippage));
    return { leg: 'provider', input, output, worstRate };
  });
}

const legAsset = ({ id, decimals }: Asset): LegAsset => ({ asset: id, decimals });

function venueLeg(
  { view, settings, source }: Terms,
  { way, fromAmount }: Solved,
  input: LegAsset,
  output: LegAsset,
  twap: TwapWish | undefined,
): VenueLeg {
  const { side, spend: spending, walk } = present(way.trade, 'a trade');
  const { spend, receive } = sidesOf(view.market, side);
  const spent = present(spending.forward(fromAmount.atoms), 'a budget within the depth');
  const got = present(walk.forward(spent), 'a trade within the depth');
  return {
    leg: 'venue',
    side,
    input,
    output,
    spend: spend.asset,
    spendDecimals: spend.decimals,
    receive: receive.asset,
    receiveDecimals: receive.decimals,
    worstPrice: worstPrice(side, spent, got, settings.endToEndSlippage),
    chunks: chunkPlan({
      side,
      market: view.market,
      spend: spent,
      spendPrice: present(view.price({ id: spend.asset, decimals: spend.decimals }), 'the price of what is traded'),
      worth: usdValue(fromAmount, source.price),
      wish: twap,
    }),
  };
}
