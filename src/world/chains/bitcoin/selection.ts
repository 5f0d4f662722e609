import { dustLimit, scriptOfAddress } from './address-codec.ts';
import { type BitcoinPayment, type Coin, feeAt, MAX_COINS, type Payer, type Spending } from './codec.ts';
import { virtualBytes } from './tx-codec.ts';

/**
 * The smallest output that is enough alone, so that large ones stay free for other payments; else the largest ones, as few
 * as possible. undefined where all that may go into one payment is too little.
 */
export function chooseCoins(
  payer: Payer,
  { to, atoms }: Pick<BitcoinPayment, 'to' | 'atoms'>,
  rate: bigint,
  coins: readonly Coin[],
): Spending | undefined {
  const pays = spendingFor(payer, to, atoms, rate);
  const rising = [...coins].sort((a, b) => (a.atoms < b.atoms ? -1 : a.atoms > b.atoms ? 1 : 0));
  for (const coin of rising) {
    const alone = pays([coin]);
    if (alone) return alone;
  }
  const falling = rising.reverse().slice(0, MAX_COINS);
  for (let count = 2; count <= falling.length; count += 1) {
    const together = pays(falling.slice(0, count));
    if (together) return together;
  }
  return undefined;
}

/** What paying with exactly these outputs costs; change that nobody would pass on is left to the miner. */
function spendingFor({ network, hot }: Payer, to: BitcoinPayment['to'], atoms: bigint, rate: bigint) {
  const payee = scriptOfAddress(network, to);
  const own = scriptOfAddress(network, hot);
  const leastChange = dustLimit(network, own);
  return (coins: readonly Coin[]): Spending | undefined => {
    const left = coins.reduce((sum, coin) => sum + coin.atoms, 0n) - atoms;
    const withChange = feeAt(rate, virtualBytes(coins.length, [payee, own]));
    if (left >= withChange + leastChange) return { coins, fee: withChange };
    return left >= feeAt(rate, virtualBytes(coins.length, [payee])) ? { coins, fee: left } : undefined;
  };
}
