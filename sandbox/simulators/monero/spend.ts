import { present } from '../../../src/kernel/assert.ts';
import { decodeAddress, type MoneroAddress } from '../../../src/world/chains/monero/codec.ts';
import { RpcFailure } from '../rpc-server.ts';
import { FEE_PER_BYTE, FEE_QUANTUM } from './ledger.ts';
import { type BuiltTx, buildTransaction, type Payee } from './transaction.ts';
import type { Coin, Wallet } from './wallet.ts';

export interface Built extends BuiltTx {
  readonly amount: bigint;
  readonly fee: bigint;
}

export interface TransferRequest {
  readonly payees: readonly { readonly address: string; readonly atoms: bigint }[];
  readonly priority: number;
  readonly unlockTime: number;
}

const OUTPUTS_MOST = 16;
/** About the weight of a real one: an input brings a ring of sixteen, the fixed part holds the range proof. */
const WEIGHT_FIXED = 600;
const WEIGHT_OF_INPUT = 700;
const WEIGHT_OF_OUTPUT = 120;
/** Half of the space in a block that is free of penalty, without 600: nodes take none that is heavier. */
const WEIGHT_MOST = 149_400;
const PRIORITY_FACTOR = [1n, 1n, 4n, 16n, 200n];

export function payeeOf(address: string): MoneroAddress {
  const decoded = decodeAddress(address);
  if (!decoded) throw new RpcFailure(-2, `WALLET_RPC_ERROR_CODE_WRONG_ADDRESS: ${address}`);
  return decoded;
}

export function feeRates(): bigint[] {
  return PRIORITY_FACTOR.slice(1).map((factor) => FEE_PER_BYTE * factor);
}

const weightOf = (inputs: number, outputs: number): number =>
  WEIGHT_FIXED + WEIGHT_OF_INPUT * inputs + WEIGHT_OF_OUTPUT * outputs;

function feeFor(inputs: number, outputs: number, priority: number): bigint {
  const fee = BigInt(weightOf(inputs, outputs)) * FEE_PER_BYTE * (PRIORITY_FACTOR[priority] ?? 1n);
  return ((fee + FEE_QUANTUM - 1n) / FEE_QUANTUM) * FEE_QUANTUM;
}

const sum = (coins: readonly Coin[]): bigint => coins.reduce((total, { atoms }) => total + atoms, 0n);

/** Picks coins at random, as they come, and remembers nothing: the next build may pick the same. */
export function buildTransfer(wallet: Wallet, { payees, priority, unlockTime }: TransferRequest): Built {
  if (payees.length === 0) throw new RpcFailure(-16, 'No destinations for this transfer');
  if (payees.length >= OUTPUTS_MOST) throw new RpcFailure(-4, 'Transaction would be too large. try /transfer_split');
  const paid = payees.map(({ address, atoms }): Payee => ({ address: payeeOf(address), atoms }));
  const amount = paid.reduce((total, { atoms }) => total + atoms, 0n);
  if (paid.some(({ atoms }) => atoms === 0n)) throw new RpcFailure(-18, 'Amount is zero');
  const outputs = paid.length + 1;
  const all = wallet.unspent();
  if (sum(all) < amount + feeFor(1, outputs, priority)) throw new RpcFailure(-17, 'not enough money');
  const chosen: Coin[] = [];
  for (const coin of shuffled(all.filter((candidate) => wallet.isUnlocked(candidate)))) {
    if (chosen.length > 0 && sum(chosen) >= amount + feeFor(chosen.length, outputs, priority)) break;
    chosen.push(coin);
  }
  const fee = feeFor(chosen.length, outputs, priority);
  if (sum(chosen) < amount + fee) throw new RpcFailure(-37, 'not enough unlocked money');
  if (weightOf(chosen.length, outputs) > WEIGHT_MOST)
    throw new RpcFailure(-4, 'Transaction would be too large. try /transfer_split');
  const change = { address: ownAddress(wallet), atoms: sum(chosen) - amount - fee };
  return build(wallet, chosen, paid, change, fee, unlockTime, amount);
}

/** All of one output, in equal parts. */
export function buildSweep(wallet: Wallet, keyImage: string, address: string, parts: number, priority: number): Built {
  const coin = wallet.coinOf(keyImage);
  if (!coin || wallet.isSpent(coin) || wallet.frozen.has(keyImage) || !wallet.isUnlocked(coin))
    throw new RpcFailure(-1, 'No outputs found');
  return sweepOf(wallet, coin, address, parts, priority);
}

/** Whether it was spent or not. */
export function sweepOf(wallet: Wallet, coin: Coin, address: string, parts: number, priority: number): Built {
  const fee = feeFor(1, Math.max(2, parts), priority);
  const amount = coin.atoms - fee;
  if (amount < BigInt(parts)) throw new RpcFailure(-17, 'not enough money');
  const each = amount / BigInt(parts);
  const payee = payeeOf(address);
  const paid = Array.from({ length: parts }, (_, index) => ({
    address: payee,
    atoms: index === 0 ? amount - each * BigInt(parts - 1) : each,
  }));
  const change = parts === 1 ? { address: ownAddress(wallet), atoms: 0n } : undefined;
  return build(wallet, [coin], paid, change, fee, 0, amount);
}

function build(
  wallet: Wallet,
  inputs: readonly Coin[],
  payees: readonly Payee[],
  change: Payee | undefined,
  fee: bigint,
  unlockTime: number,
  amount: bigint,
): Built {
  const { viewKey } = wallet.keys;
  return { ...buildTransaction({ inputs, payees, change, viewKey, fee, unlockTime }), amount, fee };
}

const ownAddress = (wallet: Wallet): MoneroAddress => present(decodeAddress(wallet.keys.address), 'the own address');

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
