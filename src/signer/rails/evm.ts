import { parseAtoms } from '../../kernel/amount.ts';
import { type ChainId, chainId, tokenOf } from '../../kernel/ids.ts';
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
import type { RailFamily } from '../family.ts';
import type { Branch, KeyTree } from '../keys.ts';
import { type FeeFields, hotOf, type TransferRail } from '../rail.ts';
import type { TransferRequest } from '../request.ts';

/** Deposit i: m/44'/60'/0'/0/i. Hot: m/44'/60'/1'/0/0, which is the venue's account too: its bridge credits the sender. */
export const evmKeys = (tree: KeyTree): Branch => tree.branch("m/44'/60'/0'/0", "m/44'/60'/1'/0/0");

export const evm: RailFamily = {
  name: 'evm',
  open({ evm: networks }: { evm: readonly { readonly chainId: number }[] }, { tree }) {
    const keys = evmKeys(tree);
    const rail = evmRail(
      networks.map((one) => chainId(one.chainId)),
      keys,
    );
    return [{ family: 'evm', rail, publicKeys: async () => ({ hot: hotOf(rail), xpub: keys.xpub }) }];
  },
};

/** One key has the same address on every EVM network, so all of them are one rail. */
export function evmRail(chains: readonly ChainId[], keys: Branch): TransferRail {
  const hot = evmAddressOfKey(keys.key('hot').reveal());
  const deposit = evmDepositAddresses(keys.xpub);
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
      const { raw, txHash, from } = signEvm(unsigned, keys.key(request.from).reveal());
      const { intent, chainId: chain } = request;
      const consumes = [evmNonceToken(chain, from, unsigned.nonce)];
      return { intent, chainId: chain, txHash, raw, consumes, cost: evmCost(unsigned) };
    },
    async tell({ raw }) {
      const { transfer, ...told } = decodeEvm(raw);
      return { chainId: told.chainId, from: told.from, nonce: told.nonce, ...transfer };
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
export function outbids(next: FeeFields, held: FeeFields): boolean {
  return (['maxFeePerGas', 'maxPriorityFeePerGas'] as const).every(
    (part) => BigInt(next[part] ?? '0') >= outbidding(BigInt(held[part] ?? '0')),
  );
}
