import { assert, present } from '../../kernel/assert.ts';
import {
  parseTronAddress,
  TRON_ID,
  tronAddressOfKey,
  tronAsset,
  tronDepositAddresses,
} from '../../world/chains/tron/codec.ts';
import {
  decodeTron,
  signTron,
  tronCost,
  tronExpiration,
  tronObjection,
  tronToken,
  tronUnsigned,
} from '../../world/chains/tron/tx-codec.ts';
import type { RailFamily } from '../family.ts';
import type { Branch, KeyTree } from '../keys.ts';
import { hotOf, type TransferRail } from '../rail.ts';

/** Deposit i: m/44'/195'/0'/0/i. Hot: m/44'/195'/1'/0/0. */
export const tronKeys = (tree: KeyTree): Branch => tree.branch("m/44'/195'/0'/0", "m/44'/195'/1'/0/0");

export const tron: RailFamily = {
  name: 'tron',
  open({ tron: settings }: { tron?: unknown }, { tree }) {
    if (!settings) return [];
    const keys = tronKeys(tree);
    const rail = tronRail(keys);
    return [{ family: 'tron', rail, publicKeys: async () => ({ hot: hotOf(rail), xpub: keys.xpub }) }];
  },
};

/** No nonces: those bytes of an intent serve until they are paid or their time is over. */
export function tronRail(keys: Branch): TransferRail {
  const hot = tronAddressOfKey(keys.key('hot').reveal());
  const deposit = tronDepositAddresses(keys.xpub);
  const addressOf: TransferRail['addressOf'] = (account) => (account === 'hot' ? hot : deposit(account.deposit));
  return {
    chains: [TRON_ID],
    hasNonces: false,
    nativeAsset: () => tronAsset(undefined),
    canonical: parseTronAddress,
    addressOf,
    objection: tronObjection,
    // Nothing replaces a transaction here: another one for the same intent would be paid beside it.
    outbids: () => false,
    isOver: (fee, _, now) => BigInt(now) > tronExpiration(fee) + CLOCKS_DIFFER_MS,
    async sign(request) {
      const unsigned = tronUnsigned(request, present(addressOf(request.from), 'our own address'));
      const { raw, txHash } = signTron(unsigned, keys.key(request.from).reveal());
      const { intent, chainId, fee } = request;
      const consumes = [tronToken(txHash, unsigned.expiration)];
      return { intent, chainId, txHash, raw, consumes, cost: tronCost(fee) };
    },
    async tell(signed) {
      const { txHash, from, asset, to, atoms } = decodeTron(signed.raw);
      assert(txHash === signed.txHash, 'an id of other bytes');
      return { chainId: TRON_ID, from, asset, to, atoms, nonce: undefined };
    },
    discard: async () => {},
  };
}

/** The chain goes by the time of its blocks, and a block is solid a minute later. */
const CLOCKS_DIFFER_MS = 120_000n;
