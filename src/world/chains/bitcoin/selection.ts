import { larger } from '../../../kernel/ratio.ts';
import { dustLimit, scriptOfAddress } from './address-codec.ts';
import { type BitcoinPayment, type Coin, feeAt, leastToOutbid, MAX_COINS, type Payer, type Spending } from './codec.ts';
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
  const pays = spendingFor(payer, to, atoms, (size) => feeAt(rate, size));
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

/**
 * The same outputs at a higher fee, out of the change; where there is too little of it, with as few others as possible.
 * undefined where all that may go into one payment is too little.
 */
export function raiseFee(
  payer: Payer,
  { to, atoms }: Pick<BitcoinPayment, 'to' | 'atoms'>,
  { held, rate, drivenOut }: Outbidding,
  coins: readonly Coin[],
): Spending | undefined {
  const falling = [...coins].sort((a, b) => (a.atoms > b.atoms ? -1 : a.atoms < b.atoms ? 1 : 0));
  for (let count = held.coins.length; count <= MAX_COINS; count += 1) {
    const added = falling.slice(0, count - held.coins.length);
    const least = leastToOutbid(payer.network, held, count, drivenOut);
    const pays = spendingFor(payer, to, atoms, (size) => larger(feeAt(rate, size), least));
    const raised = pays([...held.coins, ...added]);
    if (raised || added.length === coins.length) return raised;
  }
  return undefined;
}

export interface Outbidding {
  readonly held: Spending;
  readonly rate: bigint;
  /** What the held payment and all that spend its outputs pay together, while they wait. */
  readonly drivenOut: bigint;
}

/** What paying with exactly these outputs costs; change that nobody would pass on is left to the miner. */
function spendingFor(
  { network, hot }: Payer,
  to: BitcoinPayment['to'],
  atoms: bigint,
  feeOf: (size: bigint) => bigint,
) {
  const payee = scriptOfAddress(network, to);
  const own = scriptOfAddress(network, hot);
  const leastChange = dustLimit(network, own);
  return (coins: readonly Coin[]): Spending | undefined => {
    const left = coins.reduce((sum, coin) => sum + coin.atoms, 0n) - atoms;
    const withChange = feeOf(virtualBytes(coins.length, [payee, own]));
    if (left >= withChange + leastChange) return { coins, fee: withChange };
    return left >= feeOf(virtualBytes(coins.length, [payee])) ? { coins, fee: left } : undefined;
  };
}
