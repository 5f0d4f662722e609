import { atoms } from '../../../kernel/amount.ts';
import { assert } from '../../../kernel/assert.ts';
import type { Address } from '../../../kernel/ids.ts';
import { type Ratio, ratio, scaleInt } from '../../../kernel/ratio.ts';
import { RpcError } from '../../outbound/json-rpc.ts';
import type { Refused, SignedTransfer, Terms, Transfer } from '../chain.ts';
import { decodeEvm, type EvmUnsigned, evmContractOf, evmCost, evmPayload, evmUnsigned, transferCall } from './codec.ts';
import { executionFailure } from './execution-failure.ts';
import type { EvmNetwork, FeePolicy } from './networks.ts';
import type { EvmNode } from './node.ts';
import { affordable, feesNow, type Offer, type Price, raised } from './prices.ts';

/** A transfer may need a little more when it is mined than when it is tried. */
const GAS_MARGIN: Ratio = ratio(5n, 4n);
/** A payee who gives all that he holds away before our block makes the token write his balance anew, which costs so much more. */
const EMPTIED_GAS = 17_100n;
/** Many times what a token's transfer takes. The payee has no say in it: only the token's own code runs. */
const MAX_GAS = 2_000_000n;
/** A coin runs the payee's code at our cost, and it may take more than when it was priced: so much beside the transfer itself, and no more. */
const PAYEE_GAS = 50_000n;
const TRANSFER_GAS = 21_000n;
/** The price of data follows another chain's, which may double before ours is mined. */
const DATA_FEE_GROWTH: Ratio = ratio(2n, 1n);
/**
 * What is sent ahead and not used stays behind, so deposit accounts get one narrow margin: a fiftieth of the gas, and of the
 * price what the network's policy says. Should that not do, more is sent, or the transfer is made anew.
 */
const AHEAD_GAS_MARGIN: Ratio = ratio(51n, 50n);
const AHEAD_DATA_MARGIN: Ratio = ratio(27n, 25n);

export async function transferTerms(
  node: EvmNode,
  { facts, dataFeeOracle }: EvmNetwork,
  policy: FeePolicy,
  from: Address,
  transfer: Transfer,
  replacing?: SignedTransfer,
): Promise<Terms | Refused> {
  const contract = evmContractOf(transfer.asset);
  const trying = begun(tryTransfer(node, from, contract, transfer));
  const pricing = begun(feesNow(node, policy));
  const nextNonce = begun(node.nonce(from, 'pending'));
  const has = await node.balance(from, contract, 'latest');
  if (has < transfer.atoms) throw node.fault(`${from} holds ${has} of ${transfer.asset}, not ${transfer.atoms}`);

  const tried = await bounded(node, from, contract, transfer, await trying, replacing !== undefined);
  if ('reverted' in tried) return { refused: tried.reverted };
  const held = replacing && (await heldOffer(node, from, replacing));
  const [nonce, now] = [held?.nonce ?? (await nextNonce), await pricing];
  const asked = held ? raised(node, policy, now, held) : now;
  const isSentAhead = transfer.from !== 'hot';
  const gas = isSentAhead ? scaleInt(tried.gas, AHEAD_GAS_MARGIN, 'up') : gasWithMargin(tried.gas, contract);
  const unsigned = evmUnsigned({ ...transfer, chainId: facts.id, nonce, fee: feeFields(gas, asked) });
  const dataFee = dataFeeOracle ? await dataFeeNow(node, dataFeeOracle, unsigned) : 0n;
  const dataMost = scaleInt(dataFee, isSentAhead ? AHEAD_DATA_MARGIN : DATA_FEE_GROWTH, 'up');
  const beside = dataMost + (contract ? 0n : transfer.atoms);
  const price = isSentAhead
    ? affordable(held ? asked : narrow(asked, policy), (await node.balance(from, undefined, 'latest')) - beside, gas)
    : asked;
  return {
    nonce,
    fee: feeFields(gas, price),
    cost: atoms(gas * price.maxFeePerGas + dataMost),
    usual: atoms((tried.gas + firstHolding(from, contract, transfer)) * asked.feePerGasNow + dataFee),
  };
}

/** Asked at the same time as others, and heard in turn: what fails counts where it is waited for. */
function begun<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => {});
  return answer;
}

/** What an account offers that gets back what is not used. */
export const gasWithMargin = (used: bigint, contract: Address | undefined): bigint =>
  scaleInt(used + (contract ? EMPTIED_GAS : 0n), GAS_MARGIN, 'up');

export const costFields = (unsigned: EvmUnsigned, dataFee: bigint): Pick<Terms, 'cost'> => ({
  cost: atoms(evmCost(unsigned) + scaleInt(dataFee, DATA_FEE_GROWTH, 'up')),
});

function narrow(price: Price, { aheadMargin }: FeePolicy): Price {
  const most = scaleInt(price.feePerGasNow, aheadMargin, 'up');
  return most < price.maxFeePerGas ? { ...price, maxFeePerGas: most } : price;
}

/** A real payment may be the payee's first of that token, which a transfer of nothing does not show. */
const FIRST_HOLDING_GAS = 22_100n;
const firstHolding = (from: Address, contract: Address | undefined, { atoms: value, to }: Transfer): bigint =>
  contract && value === 0n && to !== from ? FIRST_HOLDING_GAS : 0n;

/** The nonce and the prices of bytes that a node may still hold. */
export async function heldOffer(node: EvmNode, from: Address, { raw, txHash }: SignedTransfer): Promise<EvmUnsigned> {
  const held = decodeEvm(raw);
  assert(held.from === from, `${txHash} is another account's`);
  if ((await node.nonce(from, 'latest')) > held.nonce)
    throw node.fault(`nonce ${held.nonce} of ${from} is used already`);
  return held;
}

export const feeFields = (gas: bigint, { maxFeePerGas, maxPriorityFeePerGas }: Offer) => ({
  gas: gas.toString(),
  maxFeePerGas: maxFeePerGas.toString(),
  maxPriorityFeePerGas: maxPriorityFeePerGas.toString(),
});

const GET_L1_FEE = '49948e0e';

/** Calls `getL1Fee(bytes)`, which counts the signature in by itself. */
export async function dataFeeNow(node: EvmNode, oracle: Address, unsigned: EvmUnsigned): Promise<bigint> {
  const payload = evmPayload(unsigned).slice(2);
  const word = (value: number) => value.toString(16).padStart(64, '0');
  const padded = payload.padEnd(Math.ceil(payload.length / 64) * 64, '0');
  const data = `0x${GET_L1_FEE}${word(32)}${word(payload.length / 2)}${padded}`;
  return node.quantity(await node.read('eth_call', [{ to: oracle, data }, 'latest']));
}

type Tried = { readonly gas: bigint } | { readonly reverted: string };

/**
 * Compared with the same transfer to ourselves, for some networks count in gas what they pay on another chain. Bytes that are outbid have a
 * nonce that must be used: they get as much gas as is allowed, and fail where it is not enough.
 */
async function bounded(
  node: EvmNode,
  from: Address,
  contract: Address | undefined,
  transfer: Transfer,
  tried: Tried,
  isOutbid: boolean,
): Promise<Tried> {
  const isPlain = 'gas' in tried && (contract || tried.gas <= TRANSFER_GAS + PAYEE_GAS);
  if (isPlain) return tried;
  // Were it the token or the sender, this would fail as well, and waiting would help.
  const toSelf = await tryTransfer(node, from, contract, { ...transfer, to: from });
  if ('reverted' in toSelf) throw node.fault(`${from} cannot send ${transfer.asset} at all: ${toSelf.reverted}`);
  const most = toSelf.gas + PAYEE_GAS;
  if ('reverted' in tried || tried.gas <= most) return tried;
  return isOutbid ? { gas: most } : { reverted: `it takes ${tried.gas} gas, and ${most} is the most that is paid for` };
}

async function tryTransfer(
  node: EvmNode,
  from: Address,
  contract: Address | undefined,
  { to, atoms: value }: Transfer,
): Promise<Tried> {
  const call = contract
    ? { from, to: contract, data: transferCall(to, value) }
    : { from, to, value: `0x${value.toString(16)}` };
  try {
    // By what is mined: in the pool may wait the very payment that this one outbids, after which a second costs less.
    const estimating = begun(node.ask('eth_estimateGas', [call, 'latest']));
    const answer = await node.ask('eth_call', [call, 'latest']);
    if (contract && saysFalse(answer)) return { reverted: 'the token answered false' };
    const gas = node.quantity(await estimating);
    return contract && gas > MAX_GAS ? { reverted: `it takes ${gas} gas` } : { gas };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const reverted = executionFailure(error);
    if (reverted === undefined) throw node.fault(error.message, error);
    return { reverted };
  }
}

/** Tokens older than the standard answer nothing at all; that is not a no. */
const saysFalse = (answer: unknown): boolean => typeof answer === 'string' && /^0x0+$/.test(answer);
