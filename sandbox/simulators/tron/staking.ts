import { Invalid } from './invalid.ts';
import type { Store } from './store.ts';
import type { Ask } from './wire-tx.ts';

/** Stake 2.0 as far as energy goes, by the rules and in the words of the node's actuators. */

const TRX = 1_000_000n;
const DAY_MS = 86_400_000n;
/** What everybody's staked coins give together, and what others than this network's few accounts have staked: ten for a coin. */
export const TOTAL_ENERGY = 180_000_000_000n;
const OTHERS_TRX = 18_000_000_000n;
const WEIGHT = 'network/energyWeight';

const stakedName = (account: string): string => `${account}/stakedEnergy`;
const borrowedName = (account: string): string => `${account}/borrowedEnergy`;
const lentName = (from: string, to: string): string => `${from}/lentEnergy/${to}`;

const invalid = (message: string): Invalid =>
  new Invalid('CONTRACT_VALIDATE_ERROR', `Contract validate error : ${message}`);

export const totalTrx = (store: Store): bigint => OTHERS_TRX + store.get(WEIGHT) / TRX;
const energyOf = (store: Store, sun: bigint): bigint => (sun * TOTAL_ENERGY) / (totalTrx(store) * TRX);
const sunOf = (store: Store, energy: bigint): bigint => (energy * TRX * totalTrx(store)) / TOTAL_ENERGY;

/** What was used comes back evenly over a day. */
function used(store: Store, account: string, time: number): bigint {
  const age = BigInt(time) - store.get(`${account}/energyTime`);
  return age >= DAY_MS ? 0n : (store.get(`${account}/energyUsed`) * (DAY_MS - age)) / DAY_MS;
}

function setUsed(store: Store, account: string, usage: bigint, time: number): void {
  store.set(`${account}/energyUsed`, usage);
  store.set(`${account}/energyTime`, BigInt(time));
}

export interface Energy {
  readonly limit: bigint;
  readonly used: bigint;
  readonly left: bigint;
}

export function energyAt(store: Store, account: string, time: number): Energy {
  const limit = energyOf(store, store.get(stakedName(account)) + store.get(borrowedName(account)));
  const usage = used(store, account, time);
  return { limit, used: usage, left: limit > usage ? limit - usage : 0n };
}

export function useEnergy(store: Store, account: string, energy: bigint, time: number): void {
  if (energy > 0n) setUsed(store, account, used(store, account, time) + energy, time);
}

/** Sun that the account could still lend: what it has used today is bound. */
export function lendable(store: Store, account: string, time: number): bigint {
  const bound = sunOf(store, used(store, account, time)) - store.get(borrowedName(account));
  const free = store.get(stakedName(account)) - (bound > 0n ? bound : 0n);
  return free > 0n ? free : 0n;
}

export const lentBetween = (store: Store, from: string, to: string): bigint => store.get(lentName(from, to));
export const stakedBy = (store: Store, account: string): bigint => store.get(stakedName(account));

type AskOf<K extends Ask['kind']> = Extract<Ask, { readonly kind: K }>;

export function freeze(store: Store, { owner, amount }: AskOf<'FreezeBalanceV2Contract'>): void {
  if (amount < TRX) throw invalid('frozenBalance must be greater than or equal to 1 TRX');
  const balance = `${owner}/trx`;
  if (amount > store.get(balance)) throw invalid('frozenBalance must be less than or equal to accountBalance');
  store.add(balance, -amount);
  store.add(stakedName(owner), amount);
  store.add(WEIGHT, amount);
}

interface Receiver {
  readonly exists: boolean;
  readonly isContract: boolean;
}

export function delegate(
  store: Store,
  { owner, to, amount, lock }: AskOf<'DelegateResourceContract'>,
  { exists, isContract }: Receiver,
  time: number,
): void {
  if (amount < TRX) throw invalid('delegateBalance must be greater than or equal to 1 TRX');
  if (lendable(store, owner, time) < amount)
    throw invalid('delegateBalance must be less than or equal to available FreezeEnergyV2 balance');
  if (owner === to) throw invalid('receiverAddress must not be the same as ownerAddress');
  if (!exists) throw invalid(`Account[${to}] not exists`);
  if (lock) throw invalid('locked delegation is not simulated');
  if (isContract) throw invalid('Do not allow delegate resources to contract addresses');
  store.add(stakedName(owner), -amount);
  store.add(lentName(owner, to), amount);
  store.add(borrowedName(to), amount);
}

/** What the receiver used goes with what he gives back, in proportion, and is the owner's usage from then on. */
export function undelegate(
  store: Store,
  { owner, to, amount }: AskOf<'UnDelegateResourceContract'>,
  time: number,
): void {
  if (owner === to) throw invalid('receiverAddress must not be the same as ownerAddress');
  const lent = store.get(lentName(owner, to));
  if (lent === 0n) throw invalid('delegated Resource does not exist');
  if (amount <= 0n) throw invalid('unDelegateBalance must be more than 0 TRX');
  if (lent < amount)
    throw invalid(`insufficient delegateFrozenBalance(Energy), request=${amount}, unlock_balance=${lent}`);
  const usage = used(store, to, time);
  const share = (usage * amount) / (store.get(stakedName(to)) + store.get(borrowedName(to)));
  const most = energyOf(store, amount);
  const goes = share < most ? share : most;
  setUsed(store, to, usage - goes, time);
  setUsed(store, owner, used(store, owner, time) + goes, time);
  store.add(borrowedName(to), -amount);
  store.add(lentName(owner, to), -amount);
  store.add(stakedName(owner), amount);
}
