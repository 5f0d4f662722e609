import { RpcFailure } from '../rpc-server.ts';
import type { Block } from './block.ts';
import type { EvmChain } from './chain.ts';
import type { Read } from './history.ts';
import { NOBODY, type Outcome } from './machine.ts';
import { addressOf } from './place.ts';
import { readAccount } from './state.ts';
import { unsent } from './transaction.ts';

export interface Call {
  readonly from?: string;
  readonly to?: string | null;
  readonly data?: string;
  readonly input?: string;
  readonly value?: string;
  readonly gas?: string;
}

/** After which block, and on top of which state. */
export interface CallPlace {
  readonly at: Block;
  readonly read: Read;
}

/** What it returns, had it been sent after that block. */
export async function callAt(chain: EvmChain, call: Call, place: CallPlace): Promise<string> {
  const outcome = await tryCall(chain, call, place, gasOf(call));
  if (!outcome.ok) throw failureOf(outcome);
  return outcome.returned;
}

/** The least that it can be sent with. */
export async function estimate(chain: EvmChain, call: Call, place: CallPlace): Promise<bigint> {
  if (isPlain(call, place)) return PLAIN_GAS;
  const most = gasOf(call);
  const first = await tryCall(chain, call, place, most);
  if (!first.ok) {
    if (isOutOfGas(first)) throw new RpcFailure(-32003, `Out of gas: gas required exceeds allowance: ${most}`);
    throw failureOf(first);
  }
  let [short, enough] = [first.gasUsed - 1n, most];
  // What is given back at the end is needed on the way, and inner calls are given 63 parts of 64.
  for (const guess of [first.gasUsed, (first.gasUsed * 64n) / 63n + 1n]) {
    if (guess >= enough) break;
    if ((await tryCall(chain, call, place, guess)).ok) {
      enough = guess;
      break;
    }
    short = guess;
  }
  while (enough - short > 1n) {
    const middle = (short + enough) / 2n;
    if ((await tryCall(chain, call, place, middle)).ok) enough = middle;
    else short = middle;
  }
  return enough;
}

/** Not even the sender's coins are looked at. */
function isPlain({ to, data, input }: Call, { read }: CallPlace): boolean {
  if (!to || (data ?? input ?? '0x') !== '0x') return false;
  return readAccount(read(addressOf(to))).codeHash === '';
}

const PLAIN_GAS = 21_000n;
/** As on public nodes: a question may not take as much as a block. */
const GAS_CAP = 8_000_000n;
const gasOf = ({ gas }: Call): bigint => (gas === undefined || BigInt(gas) > GAS_CAP ? GAS_CAP : BigInt(gas));

async function tryCall(chain: EvmChain, call: Call, { at, read }: CallPlace, gasLimit: bigint): Promise<Outcome> {
  const from = (call.from ?? NOBODY).toLowerCase();
  const value = BigInt(call.value ?? 0);
  if (readAccount(read(from)).balance < value)
    throw new RpcFailure(-32003, 'Insufficient funds for gas * price + value');
  const fields = {
    ...{ type: 2, gasLimit, value, data: call.data ?? call.input ?? '0x', maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
    ...(call.to ? { to: call.to } : {}),
  };
  chain.machine.begin(read);
  try {
    return await chain.machine.execute(unsent(fields, from, chain.common), chain.headerForCalls(at), { isCall: true });
  } catch (error) {
    // Less than it takes to send anything.
    const { message } = error as Error;
    if (/gas limit.*lower|intrinsic gas/i.test(message)) return OUT_OF_GAS;
    throw new RpcFailure(-32603, message.split(' (')[0] ?? message);
  }
}

const OUT_OF_GAS: Outcome = {
  ...{ ok: false, error: 'out of gas', returned: '0x', gasUsed: 0n },
  ...{ created: undefined, logs: [], bloom: new Uint8Array() },
};

const isOutOfGas = ({ error }: Outcome): boolean => /out of gas/.test(error ?? '');

/** The words of the node that this one stands for. */
function failureOf({ error = '', returned }: Outcome): RpcFailure {
  if (error === 'revert') {
    const reason = reasonIn(returned);
    return new RpcFailure(3, `execution reverted${reason === undefined ? '' : `: ${reason}`}`, returned);
  }
  const word = error.replace(/(?:^|[ _])(\w)/g, (_, letter: string) => letter.toUpperCase());
  return new RpcFailure(-32603, `EVM error ${word === 'InvalidOpcode' ? 'InvalidFEOpcode' : word}`);
}

/** The text within ABI-encoded `Error(string)`. */
function reasonIn(returned: string): string | undefined {
  const [, length, text] = /^0x08c379a0.{64}(.{64})(.*)$/.exec(returned) ?? [];
  if (length === undefined || text === undefined) return undefined;
  return Buffer.from(text, 'hex')
    .subarray(0, Number(BigInt(`0x${length}`)))
    .toString('utf8');
}
