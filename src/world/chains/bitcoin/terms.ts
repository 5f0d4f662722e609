import { atoms } from '../../../kernel/amount.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Refused, SignedTransfer, Terms, Transfer } from '../chain.ts';
import { dustLimit, scriptOfAddress } from './address-codec.ts';
import { type Coin, feeAt, leastToOutbid, type Payer, type Spending, spendingFields, totalOf } from './codec.ts';
import type { BitcoinNode } from './node.ts';
import { chooseCoins, type Outbidding, raiseFee } from './selection.ts';
import { type OutPoint, outPointText, parseTransaction, virtualBytes } from './tx-codec.ts';
import type { UnspentOutputs } from './unspent-outputs.ts';

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
  readonly unspent: UnspentOutputs;
  readonly fees: FeePolicy;
}

/** Chooses the outputs to spend. Asked for a transfer of nothing, it only tells what one usually costs. */
export async function transferTerms(
  paying: Paying,
  transfer: Transfer,
  replacing?: SignedTransfer,
): Promise<Terms | Refused> {
  const { node, payer, unspent, fees } = paying;
  const { to, atoms: value, from } = transfer;
  if (from !== 'hot') throw new Fault('permanent', node.at, 'deposits have no account of their own here');
  const rate = await rateNow(node, fees);
  const payee = scriptOfAddress(payer.network, to);
  const usual = atoms(feeAt(rate, virtualBytes(1, [payee, scriptOfAddress(payer.network, payer.hot)])));
  if (value === 0n) return { nonce: undefined, fee: {}, cost: usual, usual };

  const least = atoms(dustLimit(payer.network, payee));
  if (value < least) {
    const refused = `${value} is dust: ${to} can be paid no less than ${least}`;
    return { refused, tooLittle: { least, usual } };
  }
  const free = await unspent.free();
  const held = replacing && (await heldSpending(paying, replacing));
  const spending = held
    ? outbiddingSpending(paying, transfer, { held, rate, drivenOut: await drivenOut(node, held, replacing) }, free)
    : chooseCoins(payer, transfer, rate, free);
  if (!spending) throw node.fault(`${value} cannot be paid from the ${free.length} outputs that are free now`);
  await expectUnspent(node, spending.coins.slice(held?.coins.length ?? 0));
  return { nonce: undefined, fee: spendingFields(spending), cost: atoms(spending.fee), usual, least };
}

/** What signed bytes spend, as our outputs lie now. */
async function heldSpending({ node, unspent }: Paying, { raw, txHash }: SignedTransfer): Promise<Spending> {
  const { inputs, outputs } = parseTransaction(raw);
  const coins = await unspent.at(inputs);
  if (!coins) throw node.fault(`what ${txHash} spends is spent in a block already, or not to be found`);
  return { coins, fee: totalOf(coins) - totalOf(outputs) };
}

/** The payee may spend what waits in the pool for him: whoever drives the payment out must pay for that as well. */
async function drivenOut(node: BitcoinNode, held: Spending, { txHash }: SignedTransfer): Promise<bigint> {
  const together = await node.paidWith(txHash);
  return together !== undefined && together > held.fee ? together : held.fee;
}

function outbiddingSpending(
  { node, payer, fees }: Paying,
  transfer: Transfer,
  outbidding: Outbidding,
  free: readonly Coin[],
): Spending | undefined {
  const spending = raiseFee(payer, transfer, outbidding, free);
  if (!spending) return undefined;
  const count = spending.coins.length;
  const least = leastToOutbid(payer.network, outbidding.held, count, outbidding.drivenOut);
  const most = feeAt(fees.most, virtualBytes(count, [scriptOfAddress(payer.network, transfer.to)]));
  if (least > most) throw node.fault(`to outbid takes ${least}, more than the ${most} we pay`);
  return spending;
}

/** The pool may hold a payment of ours that nobody here remembers; another beside it would only fail. */
async function expectUnspent(node: BitcoinNode, coins: readonly OutPoint[]): Promise<void> {
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
