import { selector } from '../../nodes/token-code.ts';
import {
  addressIn,
  addressWord,
  type Call,
  type Code,
  numberIn,
  Revert,
  type Run,
  textWords,
  word,
} from './machine.ts';
import { TETHER_ABI } from './token-abi.ts';

/** What Tether's contract on Tron burns for a transfer, and how much more where the payee had none before. */
const TRANSFER_ENERGY = 64_285n;
const NEW_HOLDER_ENERGY = 66_000n;
const READ_ENERGY = 1_000n;

export const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const BASIS_POINTS = 10_000n;

type Method = (call: Call, run: Run, owner: string) => string;

/** Like the real one, `transfer` names no answer, which reads as false though it went well. */
const NOTHING = word(0n);
const YES = word(1n);

export const SUPPLY_NAME = 'supply';
export const tokenBalanceName = (account: string): string => `balance/${account}`;
const frozenName = (account: string): string => `frozen/${account}`;
const allowanceName = (owner: string, spender: string): string => `allowance/${owner}/${spender}`;

function move({ self }: Call, run: Run, owner: string, from: string, to: string, value: bigint): void {
  if (run.read(self, 'paused') !== 0n) throw new Revert();
  // Only who sends is looked at: a frozen account receives, and can never send it on.
  if (run.read(self, frozenName(from)) !== 0n) throw new Revert();
  const wanted = (value * run.read(self, 'feeBasisPoints')) / BASIS_POINTS;
  const spared = wanted - run.read(self, 'feeMost');
  const fee = spared > 0n ? wanted - spared : wanted;
  pay(self, run, from, to, value - fee);
  if (fee > 0n) pay(self, run, from, owner, fee);
}

function pay(self: string, run: Run, from: string, to: string, value: bigint): void {
  const before = run.read(self, tokenBalanceName(to));
  run.burn(TRANSFER_ENERGY + (before === 0n ? NEW_HOLDER_ENERGY : 0n));
  const held = run.read(self, tokenBalanceName(from));
  if (held < value) throw new Revert('SafeMath: subtraction overflow');
  run.write(self, tokenBalanceName(from), held - value);
  run.write(self, tokenBalanceName(to), run.read(self, tokenBalanceName(to)) + value);
  run.log(self, [TRANSFER_TOPIC, addressWord(from), addressWord(to)], word(value));
}

const byOwner =
  (work: Method): Method =>
  (call, run, owner) => {
    if (call.caller !== owner) throw new Revert();
    return work(call, run, owner);
  };

const write =
  (name: (call: Call) => string, value: bigint): Method =>
  (call, run) => {
    run.write(call.self, name(call), value);
    return '';
  };

const METHODS: Readonly<Record<string, Method>> = {
  'transfer(address,uint256)': (call, run, owner) => {
    move(call, run, owner, call.caller, addressIn(call.data, 0), numberIn(call.data, 1));
    return NOTHING;
  },
  'transferFrom(address,address,uint256)': (call, run, owner) => {
    const [from, to, value] = [addressIn(call.data, 0), addressIn(call.data, 1), numberIn(call.data, 2)];
    const name = allowanceName(from, call.caller);
    const allowed = run.read(call.self, name);
    if (allowed < value) throw new Revert('SafeMath: subtraction overflow');
    run.write(call.self, name, allowed - value);
    move(call, run, owner, from, to, value);
    return YES;
  },
  'approve(address,uint256)': ({ self, caller, data }, run) => {
    run.write(self, allowanceName(caller, addressIn(data, 0)), numberIn(data, 1));
    return YES;
  },
  'allowance(address,address)': ({ self, data }, run) =>
    word(run.read(self, allowanceName(addressIn(data, 0), addressIn(data, 1)))),
  'balanceOf(address)': ({ self, data }, run) => word(run.read(self, tokenBalanceName(addressIn(data, 0)))),
  'isBlackListed(address)': ({ self, data }, run) => word(run.read(self, frozenName(addressIn(data, 0)))),
  'addBlackList(address)': byOwner(write(({ data }) => frozenName(addressIn(data, 0)), 1n)),
  'removeBlackList(address)': byOwner(write(({ data }) => frozenName(addressIn(data, 0)), 0n)),
  'pause()': byOwner(write(() => 'paused', 1n)),
  'unpause()': byOwner(write(() => 'paused', 0n)),
  'setParams(uint256,uint256)': byOwner(({ self, data }, run) => {
    run.write(self, 'feeBasisPoints', numberIn(data, 0));
    run.write(self, 'feeMost', numberIn(data, 1));
    return '';
  }),
  'issue(uint256)': byOwner(({ self, caller, data }, run) => {
    run.write(self, SUPPLY_NAME, run.read(self, SUPPLY_NAME) + numberIn(data, 0));
    run.write(self, tokenBalanceName(caller), run.read(self, tokenBalanceName(caller)) + numberIn(data, 0));
    return '';
  }),
  'totalSupply()': ({ self }, run) => word(run.read(self, SUPPLY_NAME)),
  'decimals()': () => word(6n),
  'symbol()': () => textWords('USDT'),
  'name()': () => textWords('Tether USD'),
};

const BY_SELECTOR = new Map(
  Object.entries(METHODS).map(([signature, method]) => [selector(signature).slice(2), method]),
);

/** Tether's TRC-20 contract as it behaves on the chain, in the hands of `owner`. */
export function tetherCode(owner: string): Code {
  const run = (call: Call, machine: Run): string => {
    machine.burn(READ_ENERGY);
    const method = BY_SELECTOR.get(call.data.slice(0, 8));
    if (!method) throw new Revert();
    return method(call, machine, owner);
  };
  return Object.assign(run, { published: { name: 'TetherToken', origin: owner, abi: TETHER_ABI } });
}
