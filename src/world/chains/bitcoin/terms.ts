import { atoms } from '../../../kernel/amount.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Refused, Terms, Transfer } from '../chain.ts';
import { dustLimit, scriptOfAddress } from './address-codec.ts';
import { feeAt, type Payer, type Spending, spendingFields } from './codec.ts';
import type { BitcoinNode } from './node.ts';
import type { Purse } from './purse.ts';
import { chooseCoins } from './selection.ts';
import { outPointText, virtualBytes } from './tx-codec.ts';

/** Bounds on what 1,000 virtual bytes may cost, in atoms. */
export interface FeePolicy {
  /** A payment should be in one of so many next blocks. */
  readonly blocks: number;
  readonly least: bigint;
  /** Above this we wait rather than pay. */
  readonly most: bigint;
  /** Paid where the node cannot tell what is needed; without it we wait until it can. */
  readonly blind?: bigint;
}

export const DEFAULT_FEES: FeePolicy = { blocks: 3, least: 1_000n, most: 500_000n };

export interface Paying {
  readonly node: BitcoinNode;
  readonly payer: Payer;
  readonly purse: Purse;
  readonly fees: FeePolicy;
}

/** Chooses the outputs to spend. Asked for a transfer of nothing, it only tells what one usually costs. */
export async function transferTerms(paying: Paying, transfer: Transfer): Promise<Terms | Refused> {
  const { node, payer, purse, fees } = paying;
  const { to, atoms: value, from } = transfer;
  if (from !== 'hot') throw new Fault('permanent', node.at, 'deposits have no account of their own here');
  const rate = await rateNow(node, fees);
  const payee = scriptOfAddress(payer.network, to);
  const usual = atoms(feeAt(rate, virtualBytes(1, [payee, scriptOfAddress(payer.network, payer.hot)])));
  if (value === 0n) return { nonce: undefined, fee: {}, cost: usual, usual };

  const least = dustLimit(payer.network, payee);
  if (value < least) return { refused: `${value} is dust: ${to} can be paid no less than ${least}` };
  const free = await purse.free();
  const spending = chooseCoins(payer, transfer, rate, free);
  if (!spending) throw node.fault(`${value} cannot be paid from the ${free.length} outputs that are free now`);
  await expectUnspent(node, spending);
  return { nonce: undefined, fee: spendingFields(spending), cost: atoms(spending.fee), usual };
}

/** The pool may hold a payment of ours that nobody here remembers; another beside it would only fail. */
async function expectUnspent(node: BitcoinNode, { coins }: Spending): Promise<void> {
  for (const coin of coins) {
    if (!(await node.unspent(coin, true))) throw node.fault(`${outPointText(coin)} is being spent already`);
  }
}

async function rateNow(node: BitcoinNode, { blocks, least, most, blind }: FeePolicy): Promise<bigint> {
  const told = await node.feeRates(blocks);
  const estimate = told.estimate ?? blind;
  if (estimate === undefined) throw node.fault('the node cannot tell yet what a payment costs');
  const rate = [estimate, told.least, least].reduce((high, one) => (one > high ? one : high));
  if (rate > most) throw node.fault(`1,000 bytes cost ${rate}, more than the ${most} we pay`);
  return rate;
}
