import { atoms } from '../../../kernel/amount.ts';
import type { Address } from '../../../kernel/ids.ts';
import { intentId } from '../../../kernel/ids.ts';
import { type Ratio, ratio, scaleInt } from '../../../kernel/ratio.ts';
import type { Loan, Refused, Terms, Transfer } from '../chain.ts';
import { TRON_ID, transferCall, tronContractOf, tronWord } from './codec.ts';
import type { EnergySource, StakedEnergy } from './energy.ts';
import type { TronNode } from './node.ts';
import type { Header, Resources, Tried } from './node-shapes.ts';
import { tronFault } from './reply.ts';
import { SUN_PER_TRX } from './stake-codec.ts';
import { RESULT_BYTES, tronCost, tronSize, tronUnsigned } from './tx-codec.ts';

export interface FeePolicy {
  /** Sun that one call of a contract may burn; where it would need more, we wait rather than pay. */
  readonly maxFeeLimit: bigint;
}

export const DEFAULT_FEES: FeePolicy = { maxFeeLimit: 150n * SUN_PER_TRX };

/** A busy contract becomes dearer by up to a fifth every six hours. What is not needed is not burned. */
const ENERGY_MARGIN: Ratio = ratio(5n, 4n);
/** What is sent ahead and not burned stays behind. Should a twentieth not do, more is sent, or the transfer is made anew. */
const AHEAD_MARGIN: Ratio = ratio(21n, 20n);
/**
 * Half of the longest lifetime that nodes take: an outage of ours does not end a payout, and one that never got in is
 * known to be dead within half a day.
 */
export const LIFETIME_MS = 12 * 60 * 60 * 1000;
const LEAST_LIFETIME_MS = 3 * 60 * 1000;
const IS_BLACKLISTED = 'e47d6060';

/** What a transfer needs beside its bytes. */
interface Needs {
  readonly energy: bigint;
  readonly makesAccount: boolean;
}

export async function transferTerms(
  node: TronNode,
  policy: FeePolicy,
  source: EnergySource,
  from: Address,
  transfer: Transfer,
): Promise<Terms | Refused> {
  const contract = tronContractOf(transfer.asset);
  const held = await node.balance(from, contract);
  if (held < transfer.atoms) throw tronFault(`${from} holds ${held} of ${transfer.asset}, not ${transfer.atoms}`);
  const needs = contract ? await tokenNeeds(node, from, contract, transfer) : await coinNeeds(node, transfer);
  if ('refused' in needs) return needs;

  const [block, prices, has] = [await node.newest('walletsolidity'), await pricesNow(node), await node.resources(from)];
  const margin = transfer.from === 'hot' ? ENERGY_MARGIN : AHEAD_MARGIN;
  const feeLimit = scaleInt(needs.energy, margin, 'up') * prices.energy;
  if (feeLimit > policy.maxFeeLimit) throw tronFault(`it may burn ${feeLimit} sun, more than ${policy.maxFeeLimit}`);
  const bytes = BigInt(sizeOf(transfer, from, block, feeLimit)) + RESULT_BYTES;
  const overhead = needs.makesAccount ? prices.newAccount : bytes * prices.byte;
  const fee = { ...feeOf(block, feeLimit, lifetimeOf(transfer, block)), overhead: overhead.toString() };

  if (transfer.from !== 'hot') {
    const ownBytes = needs.makesAccount || !hasBytes(has, prices.freeBytes, bytes) ? overhead : 0n;
    const ask = { source, from, has, margin, price: prices.energy, mayBorrow: transfer.mayBorrow === true };
    return { nonce: undefined, fee, ...(await costOfDeposit(ask, needs.energy, ownBytes)) };
  }
  const isCovered = !needs.makesAccount && has.bandwidth >= bytes;
  const energy = needs.energy + firstHolding(from, contract, transfer);
  const bought = energy > has.energy ? energy - has.energy : 0n;
  const usual = atoms((isCovered ? 0n : overhead) + bought * prices.energy);
  const opening = atoms(needs.makesAccount ? overhead - bytes * prices.byte : 0n);
  return { nonce: undefined, fee, cost: tronCost(fee), usual, opening };
}

/** What is of no use later is dead soon after, so that its money is free again; a block must still have the time to take it in. */
const lifetimeOf = ({ until }: Transfer, { time }: Header): number =>
  until === undefined ? LIFETIME_MS : Math.min(LIFETIME_MS, Math.max(until - time, LEAST_LIFETIME_MS));

/** The daily allowance of a deposit address is nobody else's to use, and whole where the address is yet to be opened. */
const hasBytes = ({ bandwidth, free }: Resources, allowance: bigint, bytes: bigint): boolean =>
  bandwidth >= bytes || (free ?? allowance) >= bytes;

interface DepositAsk {
  readonly source: EnergySource;
  readonly from: Address;
  readonly has: Resources;
  readonly margin: Ratio;
  readonly price: bigint;
  readonly mayBorrow: boolean;
}

/** What a deposit address must have to run its transfer. Energy that anybody but us lent it is not counted on: he may take it back. */
async function costOfDeposit(
  { source, from, has, margin, price, mayBorrow }: DepositAsk,
  energy: bigint,
  bytes: bigint,
): Promise<Pick<Terms, 'cost' | 'usual' | 'borrows'>> {
  const lent = energy > 0n ? await source.lent(from, has) : 0n;
  const isAllOurs = lent >= has.energy;
  const held = isAllOurs ? has.energy : lent;
  const most = scaleInt(energy, margin, 'up');
  if (held >= energy) return { cost: atoms(bytes), usual: atoms(bytes) };
  const borrows = mayBorrow && held === 0n ? await source.offer(most) : undefined;
  // Nobody can lend to an account that does not exist: the least coin opens it.
  if (borrows !== undefined && has.free === undefined) return { cost: atoms(bytes + 1n), usual: atoms(bytes + 1n) };
  if (borrows !== undefined) return { cost: atoms(bytes), usual: atoms(bytes), borrows };
  return { cost: atoms(bytes + (most - held) * price), usual: atoms(bytes + (energy - held) * price) };
}

/** What is lent or taken back needs no coins of ours: the account that has staked pays for its bytes. */
export async function loanTerms(
  node: TronNode,
  source: StakedEnergy,
  { act, ...transfer }: AskedLoan,
): Promise<Terms | Refused> {
  const { account, permission } = source.stake;
  const { to, atoms: sun } = transfer;
  const there = act === 'lend' ? await source.lendable(to, sun) : await node.lent(account, to);
  if (there < sun) return { refused: `${account} could ${act} ${there} sun, not ${sun}` };
  const [block, prices] = [await node.newest('walletsolidity'), await pricesNow(node)];
  // A loan that no block takes is given up soon, and its energy burned instead.
  const lifetime = act === 'lend' ? LEAST_LIFETIME_MS : LIFETIME_MS;
  const priced = { ...feeOf(block, 0n, lifetime), overhead: '0' };
  const loan = { act, permission };
  const intent = intentId('treasury', act, 0);
  const bytes = tronSize(tronUnsigned({ ...transfer, intent, chainId: TRON_ID, fee: priced, loan }, account));
  const fee = { ...priced, overhead: ((BigInt(bytes) + RESULT_BYTES) * prices.byte).toString() };
  return { nonce: undefined, fee, cost: tronCost(fee), usual: atoms(0n) };
}

type AskedLoan = Transfer & { readonly act: Loan };

/** A real payment may be the payee's first of that token, which takes about twice as much; a transfer of nothing does not show it. */
const FIRST_HOLDING_ENERGY = 65_000n;
const firstHolding = (from: Address, contract: Address | undefined, { atoms: value, to }: Transfer): bigint =>
  contract && value === 0n && to !== from ? FIRST_HOLDING_ENERGY : 0n;

/** The reference is a solidified block: a reorganisation cannot take it away and the payment with it. */
function feeOf({ height, hash, time }: Header, feeLimit: bigint, lifetime = LIFETIME_MS): Record<string, string> {
  return {
    ref_block_bytes: height.toString(16).padStart(4, '0').slice(-4),
    ref_block_hash: hash.slice(16, 32),
    timestamp: String(time),
    expiration: String(time + lifetime),
    fee_limit: feeLimit.toString(),
  };
}

/** Whose payment it is changes no length. */
function sizeOf(transfer: Transfer, from: Address, block: Header, feeLimit: bigint): number {
  const fee = { ...feeOf(block, feeLimit), overhead: '0' };
  const { asset, to, atoms: value } = transfer;
  const about = { intent: intentId('treasury', 'gas', 0), chainId: TRON_ID, fee };
  return tronSize(tronUnsigned({ asset, to, atoms: value, ...about }, from));
}

/** Coins for a contract would arrive without its knowing: most nodes refuse them, and nobody could take them out. */
async function coinNeeds(node: TronNode, { to }: Transfer): Promise<Needs | Refused> {
  const { exists, isContract } = await node.account(to);
  return isContract ? { refused: 'a contract, which takes no plain payment' } : { energy: 0n, makesAccount: !exists };
}

/** Whether the token would refuse. What `transfer` answers is not asked: USDT answers false to all that it does. */
async function tokenNeeds(
  node: TronNode,
  from: Address,
  contract: Address,
  { to, atoms: value }: Transfer,
): Promise<Needs | Refused> {
  if (await isFrozen(node, contract, to)) return { refused: 'the token has frozen this account' };
  const attempt = (payee: Address): Promise<Tried> => node.call(from, contract, transferCall(payee, value));
  const tried = await attempt(to);
  if (tried.reverted === undefined) {
    if (tried.energy === 0n) throw tronFault(`the node does not tell what running ${contract} takes`);
    return { energy: tried.energy, makesAccount: false };
  }
  // Were it the token or the sender, the same transfer to ourselves would fail as well, and waiting would help.
  const toSelf = await attempt(from);
  if (toSelf.reverted === undefined) return { refused: tried.reverted };
  throw tronFault(`${from} cannot send ${contract} at all: ${toSelf.reverted}`);
}

/** USDT lets a frozen account receive, and then keeps it from sending. Other tokens may not know the question. */
async function isFrozen(node: TronNode, contract: Address, account: Address): Promise<boolean> {
  const { reverted, answer } = await node.call(account, contract, IS_BLACKLISTED + tronWord(account));
  return reverted === undefined && /^0{63}1$/.test(answer);
}

async function pricesNow(
  node: TronNode,
): Promise<{ byte: bigint; freeBytes: bigint; energy: bigint; newAccount: bigint }> {
  const parameters = await node.parameters();
  const price = (key: string): bigint => {
    const value = parameters.get(key);
    if (value === undefined || value < 0n) throw tronFault(`the node does not tell ${key}`);
    return value;
  };
  return {
    byte: price('getTransactionFee'),
    freeBytes: price('getFreeNetLimit'),
    energy: price('getEnergyFee'),
    // In place of what its bytes cost.
    newAccount: price('getCreateAccountFee') + price('getCreateNewAccountFeeInSystemContract'),
  };
}
