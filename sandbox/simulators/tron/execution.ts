import { Invalid } from './invalid.ts';
import { type Codes, execute, type Log, type Outcome } from './machine.ts';
import { updatePermissions } from './permission.ts';
import { delegate, energyAt, freeze, undelegate, useEnergy } from './staking.ts';
import type { Store } from './store.ts';
import type { Ask, WireTx } from './wire-tx.ts';

/** What the chain charges, under the names of its parameters; in sun. */
export const PARAMETERS = {
  getTransactionFee: 1_000n,
  getEnergyFee: 100n,
  getCreateAccountFee: 100_000n,
  getCreateNewAccountFeeInSystemContract: 1_000_000n,
  getMaxFeeLimit: 15_000_000_000n,
  getFreeNetLimit: 600n,
  getUpdateAccountPermissionFee: 100_000_000n,
} as const;

const RESULT_BYTES = 64n;
const DAY_MS = 86_400_000n;

const invalid = (message: string): Invalid =>
  new Invalid('CONTRACT_VALIDATE_ERROR', `Contract validate error : ${message}`);

export interface Receipt {
  readonly contractRet: Outcome['contractRet'];
  /** All that was burned. */
  readonly fee: bigint;
  readonly netUsage: bigint;
  readonly netFee: bigint;
  readonly energy: bigint;
  /** How much of that its account had without burning coins. */
  readonly energyHeld: bigint;
  readonly logs: readonly Log[];
  readonly answer: string;
}

export const balanceName = (account: string): string => `${account}/trx`;
export const existsName = (account: string): string => `${account}/exists`;

/** Carries a transaction out, or throws `Invalid` and changes nothing. */
export function carryOut(store: Store, codes: Codes, tx: WireTx, time: number): Receipt {
  const { ask } = tx;
  if (store.get(existsName(ask.owner)) === 0n) throw invalid(`account [${ask.owner}] does not exist`);
  return store.attempt(() => {
    const net = chargeBytes(store, tx, time);
    switch (ask.kind) {
      case 'TransferContract':
        return transfer(store, codes, ask, net);
      case 'TriggerSmartContract':
        return trigger(store, codes, tx, ask, net, time);
      case 'AccountPermissionUpdateContract':
        updatePermissions(store, ask);
        return done(net, burn(store, ask.owner, PARAMETERS.getUpdateAccountPermissionFee));
      case 'FreezeBalanceV2Contract':
        freeze(store, ask);
        return done(net);
      case 'DelegateResourceContract': {
        const receiver = { exists: store.get(existsName(ask.to)) > 0n, isContract: codes.has(ask.to) };
        delegate(store, ask, receiver, time);
        return done(net);
      }
      case 'UnDelegateResourceContract':
        undelegate(store, ask, time);
        return done(net);
    }
  }).result;
}

const done = (net: Net, fee = 0n): Receipt => ({
  ...{ contractRet: 'SUCCESS', fee: net.fee + fee, netUsage: net.usage, netFee: net.fee },
  ...{ energy: 0n, energyHeld: 0n, logs: [], answer: '' },
});

interface Net {
  readonly usage: bigint;
  readonly fee: bigint;
}

/** Free bandwidth while there is enough for the whole of it, else by the byte; an account to be made has its own price. */
function chargeBytes(store: Store, { ask, hex }: WireTx, time: number): Net {
  const bytes = BigInt(hex.length / 2) + RESULT_BYTES;
  if (ask.kind === 'TransferContract' && store.get(existsName(ask.to)) === 0n) {
    return { usage: 0n, fee: burn(store, ask.owner, PARAMETERS.getCreateAccountFee) };
  }
  const used = freeNetUsed(store, ask.owner, time) + bytes;
  if (used > PARAMETERS.getFreeNetLimit) {
    return { usage: 0n, fee: burn(store, ask.owner, bytes * PARAMETERS.getTransactionFee) };
  }
  store.set(`${ask.owner}/net`, used);
  store.set(`${ask.owner}/netTime`, BigInt(time));
  return { usage: bytes, fee: 0n };
}

/** What was used comes back evenly over a day. */
export function freeNetUsed(store: Store, account: string, time: number): bigint {
  const age = BigInt(time) - store.get(`${account}/netTime`);
  return age >= DAY_MS ? 0n : (store.get(`${account}/net`) * (DAY_MS - age)) / DAY_MS;
}

function burn(store: Store, account: string, fee: bigint): bigint {
  if (store.get(balanceName(account)) < fee) {
    throw new Invalid('BANDWITH_ERROR', 'Account resource insufficient error.');
  }
  store.add(balanceName(account), -fee);
  return fee;
}

type AskOf<K extends Ask['kind']> = Extract<Ask, { readonly kind: K }>;

function transfer(store: Store, codes: Codes, ask: AskOf<'TransferContract'>, net: Net): Receipt {
  const { owner, to, amount } = ask;
  if (owner === to) throw invalid('Cannot transfer TRX to yourself.');
  if (amount <= 0n) throw invalid('Amount must be greater than 0.');
  if (codes.has(to)) throw invalid('Cannot transfer TRX to a smartContract.');
  const activation = store.get(existsName(to)) === 0n ? PARAMETERS.getCreateNewAccountFeeInSystemContract : 0n;
  if (store.get(balanceName(owner)) < amount + activation) {
    throw invalid('Validate TransferContract error, balance is not sufficient.');
  }
  store.set(existsName(to), 1n);
  store.add(balanceName(owner), -amount - activation);
  store.add(balanceName(to), amount);
  return done(net, activation);
}

function trigger(
  store: Store,
  codes: Codes,
  { feeLimit }: WireTx,
  { owner, contract, value, data }: AskOf<'TriggerSmartContract'>,
  net: Net,
  time: number,
): Receipt {
  if (!codes.has(contract)) throw invalid('No contract or not a valid smart contract');
  if (value > 0n) throw invalid('no contract here takes coins');
  if (feeLimit > PARAMETERS.getMaxFeeLimit) throw invalid('feeLimit must be >= 0 and <= 15000000000');
  const balance = store.get(balanceName(owner));
  // A limit in coins counts energy that need not be burned, too.
  const { left } = energyAt(store, owner, time);
  const [most, payable] = [feeLimit / PARAMETERS.getEnergyFee, left + balance / PARAMETERS.getEnergyFee];
  const limit = most < payable ? most : payable;
  const { contractRet, energy, logs, answer } = execute(store, codes, { caller: owner, self: contract, data }, limit);
  const energyHeld = energy < left ? energy : left;
  useEnergy(store, owner, energyHeld, time);
  const fee = net.fee + burn(store, owner, (energy - energyHeld) * PARAMETERS.getEnergyFee);
  return { contractRet, fee, netUsage: net.usage, netFee: net.fee, energy, energyHeld, logs, answer };
}
