import { encodeFunctionData, hashMessage } from 'viem/utils';
import type { ContractSignatures } from '../partners/sign-in.ts';
import { type Rpc, RpcError } from '../world/outbound/json-rpc.ts';

/** https://eips.ethereum.org/EIPS/eip-1271: the contract itself says whether it accepts a signature. */
const ABI = [
  {
    type: 'function',
    name: 'isValidSignature',
    stateMutability: 'view',
    inputs: [
      { name: 'hash', type: 'bytes32' },
      { name: 'signature', type: 'bytes' },
    ],
    outputs: [{ name: 'magic', type: 'bytes4' }],
  },
] as const;
const ACCEPTED = '0x1626ba7e';

export const contractSignaturesOver =
  (rpc: Rpc): ContractSignatures =>
  async (address, message, signature) => {
    const args = [hashMessage(message), signature as `0x${string}`] as const;
    const data = encodeFunctionData({ abi: ABI, functionName: 'isValidSignature', args });
    try {
      const answer = await rpc('eth_call', [{ to: address, data }, 'latest']);
      return typeof answer === 'string' && answer.length === 66 && answer.startsWith(ACCEPTED);
    } catch (error) {
      // A contract that reverts says no; a node that cannot be asked is another matter.
      if (error instanceof RpcError) return false;
      throw error;
    }
  };
