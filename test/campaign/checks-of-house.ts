import { COLD_STORE } from '../../sandbox/config.ts';
import { BRIDGE } from '../../sandbox/venue-tokens.ts';
import { present } from '../../src/kernel/assert.ts';
import { larger, lesser } from '../../src/kernel/ratio.ts';
import { evmContractOf } from '../../src/world/chains/evm/codec.ts';
import { assetNamed } from './customer.ts';
import { ON_VENUE } from './elsewhere.ts';
import { assetOf, broughtTo, outflows, paidTo, same, worth } from './flows.ts';
import { hasCalmHouse, LEVELS, wantsOf } from './levels.ts';
import type { Check, Scene } from './scene.ts';

/** Opening accounts on the venue costs a dollar each. */
const SLACK = 20n;
/** Millionths of a dollar in any 24 hours, and at once; the cold store's are of its token, which is worth as much. */
const LIMITS = { cold: 1_200_000_000n, fills: 500_000_000n, fill: 200_000_000n };

/** What the house has where it wants another stock, in atoms of a whole unit's number. */
function stockOf({ world, purses }: Scene, at: 'venue' | 'hot', symbol: string) {
  if (at === 'hot') {
    const { id, decimals } = assetNamed(world, symbol);
    return { atoms: world.arbitrum.balance(world.hot.evm, evmContractOf(id)), unit: 10n ** BigInt(decimals) };
  }
  const asset = present(
    ON_VENUE.find((one) => one.symbol === symbol),
    symbol,
  );
  return { atoms: present(purses?.get(asset.id), symbol), unit: 10n ** BigInt(asset.decimals) };
}

/** What the house does with its own money. */
export const CHECKS_OF_HOUSE: readonly Check[] = [
  {
    name: 'the house has what it wants',
    of: 'L1',
    find(scene) {
      const { plan } = scene;
      const wants = wantsOf(plan);
      if (!wants || !hasCalmHouse(plan)) return [];
      const { at, symbol, first, from, to } = LEVELS[wants].ends;
      const { atoms, unit } = stockOf(scene, at, symbol);
      // Where something goes wrong it may come later, but never is it more than is wanted.
      const isLate = plan.events.some(({ what }) => what !== 'order' && what !== 'levels');
      const [least, most] = isLate ? [lesser(from, first), larger(to, first)] : [from, to];
      const there = paidTo(scene.world, BRIDGE).length;
      const home = broughtTo(scene.world, scene.world.hot.evm).filter(({ tx }) => same(tx.from, BRIDGE)).length;
      return [
        ...(atoms >= (least - SLACK) * unit && atoms <= (most + SLACK) * unit
          ? []
          : [`${wants}: ${atoms} atoms of ${symbol}, and not ${least} to ${most} whole`]),
        ...(there > 1 || (there > 0 && home > 0)
          ? [`money went to the venue ${there} times, and home ${home} times`]
          : []),
      ];
    },
  },
  {
    name: 'levelled within its limits',
    of: 'I2, I4',
    find({ world }, { attempts, balances, payments }) {
      const isFill = new Set(
        attempts.filter(({ intent }) => intent.startsWith('treasury:fill:')).map(({ txHash }) => txHash),
      );
      const put = paidTo(world, COLD_STORE);
      const spent = outflows(world)
        .filter(({ tx }) => isFill.has(tx.hash))
        .map((one) => worth(world, assetOf(one), one.tx.atoms));
      const sums = [put.map((one) => worth(world, assetOf(one), one.tx.atoms)), spent].map((all) =>
        all.reduce((sum, one) => sum + one, 0n),
      );
      const [inCold = 0n, inFills = 0n] = sums;
      const isQuiet = payments.every(({ state }) => ['settled', 'refused'].includes(state.state));
      const booked = balances
        .filter(({ account }) => account === 'cold')
        .reduce((sum, { asset, atoms }) => sum + worth(world, asset as never, atoms), 0n);
      return [
        ...(inCold > LIMITS.cold ? [`${inCold} went to the cold store in a day`] : []),
        ...(isQuiet && booked !== inCold ? [`the cold store got ${inCold}, and the books say ${booked}`] : []),
        ...(inFills > LIMITS.fills ? [`${inFills} were spent on stock in a day`] : []),
        ...spent.filter((one) => one > LIMITS.fill).map((one) => `${one} were spent on stock at once`),
      ];
    },
  },
];
