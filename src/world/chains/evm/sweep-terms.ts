import { atoms } from '../../../kernel/amount.ts';
import type { Address } from '../../../kernel/ids.ts';
import { RpcError } from '../../outbound/json-rpc.ts';
import type { SignedTransfer, Terms, Transfer } from '../chain.ts';
import { type EvmUnsigned, evmContractOf, evmSweep, sweepCall } from './codec.ts';
import type { EvmNetwork, FeePolicy } from './networks.ts';
import type { EvmNode } from './node.ts';
import { feesNow, raised } from './prices.ts';
import { delegationTo, SWEPT, sweeperAddress, sweeperCode } from './sweeper-codec.ts';
import { costFields, dataFeeNow, feeFields, gasWithMargin, heldOffer } from './terms.ts';

/** Of an account that was empty until it is bound; so deposit addresses are (PER_EMPTY_ACCOUNT_COST of EIP-7702). */
const AUTHORIZATION_GAS = 25_000n;

/** Whose code is bound, and whose money moves. */
interface Parties {
  readonly hot: Address;
  readonly deposit: Address;
}

/**
 * What it takes that the hot account has the deposit account send it a token. Undefined where that cannot be done: the settings say
 * no, nobody placed the sweeper, the node does not know such accounts, or the token refuses. What is outbid was done so before: there
 * is no other way then, and it is a `Fault`.
 */
export async function sweepTerms(
  node: EvmNode,
  network: EvmNetwork,
  policy: FeePolicy,
  parties: Parties,
  transfer: Transfer,
  replacing?: SignedTransfer,
): Promise<Terms | undefined> {
  const { hot, deposit } = parties;
  const token = evmContractOf(transfer.asset);
  if (!token || transfer.to !== hot) return undefined;
  const held = replacing && (await heldOffer(node, hot, replacing));
  const tried = network.delegates ? await trySweep(node, parties, token, transfer) : undefined;
  if (!tried && held) throw node.fault(`${deposit} cannot be swept again at a higher price`);
  if (!tried) return undefined;

  const [nonce, now] = await Promise.all([held?.nonce ?? node.nonce(hot, 'pending'), feesNow(node, policy)]);
  const asked = held ? raised(node, policy, now, held) : now;
  const authorize = held ? held.authorization?.nonce : tried.isBound ? undefined : await node.nonce(deposit, 'latest');
  const used = tried.gas + (authorize === undefined ? 0n : AUTHORIZATION_GAS);
  const fee = feeFields(gasWithMargin(used, token), asked);
  const unsigned = evmSweep({ ...transfer, chainId: network.facts.id, nonce, fee }, deposit);
  const { dataFeeOracle: oracle } = network;
  const dataFee = oracle ? await dataFeeNow(node, oracle, authorized(unsigned, parties, authorize)) : 0n;
  return {
    ...{ nonce, fee, delegated: authorize === undefined ? {} : { authorize } },
    ...costFields(unsigned, dataFee),
    usual: atoms(used * asked.feePerGasNow + dataFee),
  };
}

interface Tried {
  /** Without what binding the account costs. */
  readonly gas: bigint;
  /** Our code stands in for it already. */
  readonly isBound: boolean;
}

/**
 * Tried as if the account were bound: nobody here can sign for it. A node that does not know such accounts answers nothing, as a
 * plain account does, and its word for how much gas that takes would be wrong.
 */
async function trySweep(
  node: EvmNode,
  { hot, deposit }: Parties,
  token: Address,
  { atoms: value }: Transfer,
): Promise<Tried | undefined> {
  const sweeper = sweeperAddress(hot);
  if ((await node.code(sweeper)) !== sweeperCode(hot)) return undefined;
  const bound = delegationTo(sweeper);
  const call = { from: hot, to: deposit, data: sweepCall(token, value) };
  const asIf = { [deposit]: { code: bound } };
  try {
    if ((await node.ask('eth_call', [call, 'latest', asIf])) !== SWEPT) return undefined;
    const gas = node.quantity(await node.ask('eth_estimateGas', [call, 'latest', asIf]));
    return { gas, isBound: (await node.code(deposit)) === bound };
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

/** As long as the signed bytes will be: what data costs goes by that. */
function authorized(unsigned: EvmUnsigned, { hot }: Parties, nonce: number | undefined): EvmUnsigned {
  if (nonce === undefined) return unsigned;
  const [r, s] = [new Uint8Array(32).fill(0xab), new Uint8Array(32).fill(0xcd)];
  const signature = [Uint8Array.of(1), r, s];
  return { ...unsigned, authorization: { chainId: unsigned.chainId, code: sweeperAddress(hot), nonce, signature } };
}
