import { parseAtoms } from '../../kernel/amount.ts';
import { assert } from '../../kernel/assert.ts';
import { type ChainId, chainId, tokenOf } from '../../kernel/ids.ts';
import type { Delegated } from '../../world/chains/chain.ts';
import {
  decodeEvm,
  type EvmUnsigned,
  evmAddressOfKey,
  evmAsset,
  evmCost,
  evmDepositAddresses,
  evmNonceToken,
  evmSweep,
  evmUnsigned,
  NATIVE_TOKEN,
  outbidding,
  parseEvmAddress,
  signAuthorization,
  signEvm,
} from '../../world/chains/evm/codec.ts';
import { expectSweep, sweeperAddress } from '../../world/chains/evm/sweeper-codec.ts';
import type { RailFamily } from '../family.ts';
import type { Branch, KeyTree } from '../keys.ts';
import { type FeeFields, hotOf, type TransferRail } from '../rail.ts';
import { senderOf, type TransferRequest } from '../request.ts';

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
  const sweeper = sweeperAddress(hot);

  function sweep(request: TransferRequest, { authorize }: Delegated): EvmUnsigned {
    assert(request.from !== 'hot', 'the hot account sweeps itself');
    const unsigned = evmSweep(request, deposit(request.from.deposit));
    if (authorize === undefined) return unsigned;
    const word = { chainId: request.chainId, code: sweeper, nonce: authorize };
    return { ...unsigned, authorization: signAuthorization(word, keys.key(request.from).reveal()) };
  }

  return {
    chains,
    hasNonces: true,
    delegates: true,
    nativeAsset: (chain) => evmAsset(chain, undefined),
    canonical: parseEvmAddress,
    addressOf: (account) => (account === 'hot' ? hot : deposit(account.deposit)),
    objection,
    outbids,
    async sign(request) {
      const unsigned = request.delegated ? sweep(request, request.delegated) : evmUnsigned(request);
      const { raw, txHash, from } = signEvm(unsigned, keys.key(senderOf(request)).reveal());
      const { intent, chainId: chain } = request;
      const { authorization } = unsigned;
      const bound = authorization ? [evmNonceToken(chain, unsigned.to, authorization.nonce)] : [];
      const consumes = [evmNonceToken(chain, from, unsigned.nonce), ...bound];
      return { intent, chainId: chain, txHash, raw, consumes, cost: evmCost(unsigned) };
    },
    async tell({ raw }) {
      const told = decodeEvm(raw);
      const { chainId: chain, payer, from, nonce, transfer, authorization } = told;
      if (payer === from) return { chainId: chain, from, nonce, ...transfer };
      expectSweep(told, hot);
      const delegated = authorization ? { authorize: authorization.nonce } : {};
      return { chainId: chain, from: payer, nonce, delegated, ...transfer };
    },
    giveBack: async () => {},
  };
}

/** Amounts and fees are words of 256 bits. */
const WORD = 2n ** 256n;

/** More than any deposit account ever sends or is bound. */
const MOST_AUTHORIZED = 1_000;

function objection({ asset, atoms, fee, delegated }: TransferRequest): string | undefined {
  const token = tokenOf(asset);
  if (delegated && token === NATIVE_TOKEN) return 'coins are sent by their own account';
  const { authorize = 0 } = delegated ?? {};
  if (authorize > MOST_AUTHORIZED) return `an authorization with nonce ${authorize}`;
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
