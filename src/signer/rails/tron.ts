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
  tronObjection,
  tronToken,
  tronUnsigned,
} from '../../world/chains/tron/tx-codec.ts';
import type { Keys } from '../keys.ts';
import type { FeeFields, TransferRail } from '../rail.ts';

/** No nonces: those bytes of an intent serve until they are paid or their time is over. */
export function tronRail(keys: Keys): TransferRail {
  const hot = tronAddressOfKey(keys.tron('hot').reveal());
  const deposit = tronDepositAddresses(keys.tronXpub);
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
    outlives,
    async sign(request) {
      const unsigned = tronUnsigned(request, present(addressOf(request.from), 'our own address'));
      const { raw, txHash } = signTron(unsigned, keys.tron(request.from).reveal());
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

/**
 * The timestamp is that of a solidified block. With such a one behind the expiration of the first bytes, every block that
 * could hold them is final; that they are in none, the caller has proven.
 */
function outlives(next: FeeFields, held: FeeFields): boolean {
  return BigInt(next.timestamp ?? '0') > BigInt(held.expiration ?? '0');
}
