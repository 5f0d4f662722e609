import { atoms } from '../../../kernel/amount.ts';
import { assert } from '../../../kernel/assert.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Address } from '../../../kernel/ids.ts';
import { ADDRESSES_PER_CALL } from '../../../kernel/limits.ts';
import type { Outbound } from '../../outbound/http.ts';
import type { BlockRef, Chain, Heads } from '../chain.ts';
import type { SpendSide } from '../family.ts';
import { type HidingChain, paidByHidden } from '../signed-for.ts';
import { addressBook } from './book.ts';
import { type ZcashNodeConfig, zcashNode } from './node.ts';
import { payoutStatus, payoutTerms, SPENDABLE_DEPTH } from './payout.ts';
import { AT_ZCASH } from './reply-codec.ts';
import { depositIndex, type ZcashRulesConfig, zcashRules } from './rules.ts';
import { scanPage } from './scan.ts';
import { rewardSightings, standingSightings } from './standing.ts';
import { type ZcashWalletConfig, zcashWallet } from './wallet.ts';

export interface ZcashConfig extends ZcashWalletConfig, ZcashNodeConfig, ZcashRulesConfig {
  /** The account's address at index 0, as the signer tells it. */
  readonly address: Address;
  /** The spending wallet must watch an address before money comes to it. */
  readonly spendSide: Pick<SpendSide, 'depositAddresses' | 'signedFor'>;
}

export async function openZcash(config: ZcashConfig, outbound: Outbound): Promise<Chain> {
  const { address: hotAddress, confirmations } = config;
  const node = zcashNode(config, outbound);
  const wallet = zcashWallet(config, outbound);
  await node.tip();
  if ((await wallet.address(0)) !== hotAddress)
    throw new Fault('permanent', AT_ZCASH, 'the wallet holds another account than the signer');
  const book = addressBook(wallet);
  book.learn(hotAddress);
  const heads = ({ height: tip }: BlockRef): Heads => ({
    tip,
    safe: tip - confirmations + 1,
    finalized: tip - confirmations + 1,
  });
  const deps = { node, wallet, book };
  const { signedFor } = config.spendSide;
  // The bytes fix the fee, which was proven when they were signed: the node need not tell it.
  const hiding: HidingChain = { ...node, at: AT_ZCASH, settledConfirmations: config.settledConfirmations, signedFor };

  return {
    ...zcashRules(config),
    hotAddress,
    async depositAddresses(first, count) {
      assert(count > 0 && count <= ADDRESSES_PER_CALL, `${count} addresses at once`);
      const spendable = await config.spendSide.depositAddresses(first, count);
      for (const [offset, address] of spendable.entries()) {
        if ((await wallet.address(depositIndex(first + offset))) !== address)
          throw new Fault('permanent', AT_ZCASH, `the wallets differ at deposit ${first + offset}`);
        book.learn(address);
      }
      return spendable;
    },
    scan: (cursor, watched) => scanPage({ ...deps, heads }, cursor, watched),
    heads: async () => heads(await node.tip()),
    depositDepth: (height, { tip }) => ({ have: Math.max(0, tip - height + 1), need: confirmations }),
    standing: (sightings) => standingSightings(deps, sightings),
    rewards: (sightings) => rewardSightings(deps, sightings),
    terms: (transfer) => payoutTerms(wallet, hotAddress, transfer),
    broadcast: (signed) => node.send(signed.raw),
    status: (signed) => payoutStatus(node, signed, config),
    paidBy: (transfer, named) => paidByHidden(hiding, transfer, named),
    async balance(account) {
      // One account holds what came to every deposit address: it is counted once, as the hot account's.
      if (account !== 'hot') return { spendable: atoms(0n), locked: atoms(0n) };
      const [deep, all] = [await wallet.balance(SPENDABLE_DEPTH), await wallet.balance(1)];
      const [spendable, total] = [deep.shielded + deep.transparent, all.shielded + all.transparent];
      return { spendable: atoms(spendable), locked: atoms(total > spendable ? total - spendable : 0n) };
    },
    close: async () => {},
  };
}
