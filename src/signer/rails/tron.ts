import { assert, present } from '../../kernel/assert.ts';
import {
  parseTronAddress,
  TRON_ID,
  tronAddressOfKey,
  tronAsset,
  tronDepositAddresses,
} from '../../world/chains/tron/codec.ts';
import { type Stake, type StakeSettings, stakeOf } from '../../world/chains/tron/stake-codec.ts';
import {
  decodeTron,
  signTron,
  TRON_OPENING,
  tronExpiration,
  tronLeastCost,
  tronObjection,
  tronToken,
  tronUnsigned,
} from '../../world/chains/tron/tx-codec.ts';
import type { RailFamily } from '../family.ts';
import type { Branch, KeyTree } from '../keys.ts';
import { hotOf, type TransferRail } from '../rail.ts';
import { loanOf } from '../request.ts';

/** Deposit i: m/44'/195'/0'/0/i. Hot: m/44'/195'/1'/0/0. */
export const tronKeys = (tree: KeyTree): Branch => tree.branch("m/44'/195'/0'/0", "m/44'/195'/1'/0/0");

export const tron: RailFamily = {
  name: 'tron',
  open({ tron: settings }: { tron?: { readonly stake?: StakeSettings } }, { tree }) {
    if (!settings) return [];
    const keys = tronKeys(tree);
    const rail = tronRail(keys, settings.stake && stakeOf(settings.stake));
    return [{ family: 'tron', rail, publicKeys: async () => ({ hot: hotOf(rail), xpub: keys.xpub }) }];
  },
};

/** No nonces: those bytes of an intent serve until they are paid or their time is over. */
export function tronRail(keys: Branch, stake?: Stake): TransferRail {
  const hot = tronAddressOfKey(keys.key('hot').reveal());
  assert(stake?.account !== hot, 'what is staked belongs to another account than the one that pays out');
  const deposit = tronDepositAddresses(keys.xpub);
  const addressOf: TransferRail['addressOf'] = (account) => (account === 'hot' ? hot : deposit(account.deposit));
  return {
    chains: [TRON_ID],
    hasNonces: false,
    lends: stake && { most: stake.perLoan },
    // A caller who says that an account is open already is not believed; tokens open none.
    opening: { cost: TRON_OPENING, by: [tronAsset(undefined)] },
    nativeAsset: () => tronAsset(undefined),
    canonical: parseTronAddress,
    addressOf,
    objection: tronObjection,
    // Nothing replaces a transaction here: another one for the same intent would be paid beside it.
    outbids: () => false,
    isOver: (fee, _, now) => BigInt(now) > tronExpiration(fee) + CLOCKS_DIFFER_MS,
    async sign(request) {
      const act = loanOf(request.kind);
      const unsigned = act
        ? tronUnsigned({ ...request, loan: { act, permission: ours(stake).permission } }, ours(stake).account)
        : tronUnsigned(request, present(addressOf(request.from), 'our own address'));
      const { raw, txHash } = signTron(unsigned, keys.key(request.from).reveal());
      const { intent, chainId, fee } = request;
      const consumes = [tronToken(txHash, unsigned.expiration)];
      return { intent, chainId, txHash, raw, consumes, cost: tronLeastCost(raw, fee) };
    },
    async tell(signed) {
      const { txHash, from, asset, to, atoms, loan, signedBy } = decodeTron(signed.raw);
      assert(txHash === signed.txHash, 'an id of other bytes');
      const isOfStake = from === stake?.account && loan?.permission === stake.permission;
      assert(!loan || isOfStake, `what is lent is not of ${stake?.account}`);
      const told = { chainId: TRON_ID, from, asset, to, atoms, nonce: undefined };
      return loan ? { ...told, from: signedBy, loan: loan.act } : told;
    },
    giveBack: async () => {},
  };
}

const ours = (stake: Stake | undefined): Stake => present(stake, 'an account with staked coins');

/** The chain goes by the time of its blocks, and a block is solid a minute later. */
const CLOCKS_DIFFER_MS = 120_000n;
