import { parseUnits } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';

/** Dollars for one whole unit in a still market: the venue's own, or nobody would believe what is promised. */
export const PRICES: Readonly<Record<string, string>> = {
  ...{ USDC: '1', USDT: '1', ETH: '3512', WETH: '3512', WBTC: '104250', BTC: '104250', XMR: '320', XMR1: '320' },
  ...{ SOL: '176.85', ZEC: '412.3', ZEC1: '412.3', TRX: '0.28145', TRX1: '0.28145' },
};

const MILLIONTHS = 6;

/** In millionths of a dollar; undefined for what has no price. */
export function millionths(symbol: string): bigint | undefined {
  const price = PRICES[symbol];
  return price === undefined ? undefined : present(parseUnits(price, MILLIONTHS), price);
}
