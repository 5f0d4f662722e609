import { parseAtoms } from '../../kernel/amount.ts';
import { type ChainId, tokenOf } from '../../kernel/ids.ts';
import {
  decodeEvm,
  evmAddressOfKey,
  evmAsset,
  evmCost,
  evmDepositAddresses,
  evmNonceToken,
  evmUnsigned,
  NATIVE_TOKEN,
  outbidding,
  parseEvmAddress,
  signEvm,
} from '../../world/chains/evm/codec.ts';
import type { Keys } from '../keys.ts';
import type { FeeFields, TransferRail } from '../rail.ts';
import type { TransferRequest } from '../request.ts';

/** One key has the same address on every EVM network, so all of them are one rail. */
export function evmRail(chains: readonly ChainId[], keys: Keys): TransferRail {
  const hot = evmAddressOfKey(keys.evm('hot').reveal());
  const deposit = evmDepositAddresses(keys.evmXpub);
  return {
    chains,
    hasNonces: true,
    nativeAsset: (chain) => evmAsset(chain, undefined),
    canonical: parseEvmAddress,
    addressOf: (account) => (account === 'hot' ? hot : deposit(account.deposit)),
    objection,
    outbids,
    async sign(request) {
      const unsigned = evmUnsigned(request);
      const { raw, txHash, from } = signEvm(unsigned, keys.evm(request.from).reveal());
      const { intent, chainId } = request;
      const consumes = [evmNonceToken(chainId, from, unsigned.nonce)];
      return { intent, chainId, txHash, raw, consumes, cost: evmCost(unsigned) };
    },
    async tell({ raw }) {
      const { chainId, from, nonce, transfer } = decodeEvm(raw);
      return { chainId, from, nonce, ...transfer };
    },
    discard: async () => {},
  };
}

/** Amounts and fees are words of 256 bits. */
const WORD = 2n ** 256n;

function objection({ asset, atoms, fee }: TransferRequest): string | undefined {
  const token = tokenOf(asset);
  if (token !== NATIVE_TOKEN && parseEvmAddress(token) !== (token as string)) return `token ${token}`;
  if (atoms >= WORD) return `${atoms} atoms`;
  const [gas, most, tip] = FEE_PARTS.map((part) => parseAtoms(fee[part]));
  if (gas === undefined || most === undefined || tip === undefined) return `fee needs ${FEE_PARTS.join(', ')}`;
  return gas * most < WORD && tip <= most ? undefined : 'a fee that no node takes';
}

const FEE_PARTS = ['gas', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const;

/** Both prices must rise by as much as a node asks for. */
function outbids(next: FeeFields, held: FeeFields): boolean {
  return (['maxFeePerGas', 'maxPriorityFeePerGas'] as const).every(
    (part) => BigInt(next[part] ?? '0') >= outbidding(BigInt(held[part] ?? '0')),
  );
}
