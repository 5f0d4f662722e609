import type { Account } from '../../../kernel/account.ts';
import { atoms } from '../../../kernel/amount.ts';
import { assert, present } from '../../../kernel/assert.ts';
import { instant } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Address } from '../../../kernel/ids.ts';
import { ADDRESSES_PER_CALL } from '../../../kernel/limits.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { Outbound } from '../../outbound/http.ts';
import type { Chain } from '../chain.ts';
import { attemptStatus, broadcastBytes } from './attempts.ts';
import { STRANGER, TRON_ID, tronContractOf, tronDepositAddresses } from './codec.ts';
import { BURNED_ENERGY, stakedEnergy } from './energy.ts';
import { TronNode } from './node.ts';
import { paidBy } from './paid-by.ts';
import { AT_TRON } from './reply.ts';
import { type Confirmations, depthAt, SOLIDIFIED, tronRules } from './rules.ts';
import { scanBlocks } from './scan.ts';
import type { Stake } from './stake-codec.ts';
import { standingSightings } from './standing.ts';
import { DEFAULT_FEES, type FeePolicy, loanTerms, transferTerms } from './terms.ts';

export interface TronConfig {
  /** HTTP interface of a full node that serves `/wallet` and `/walletsolidity`. */
  readonly nodeUrl: string;
  /** Where the node is somebody's service. */
  readonly apiKey?: Secret;
  /** Extended public key whose child i receives deposits under index i. */
  readonly xpub: string;
  readonly hotAddress: Address;
  readonly confirmations?: Confirmations;
  readonly fees?: FeePolicy;
  /** Whose staked coins give deposit addresses their energy; it is burned without it. */
  readonly stake?: Stake;
}

/** Opens only on a node of this very network. */
export async function openTron(config: TronConfig, outbound: Outbound): Promise<Chain> {
  const { hotAddress, confirmations = SOLIDIFIED, fees = DEFAULT_FEES, stake } = config;
  const depositAddress = tronDepositAddresses(config.xpub);
  const addressOf = (account: Account): Address => (account === 'hot' ? hotAddress : depositAddress(account.deposit));
  const rules = tronRules(confirmations);
  const contracts = new Set(rules.facts.assets.flatMap(({ id }) => tronContractOf(id) ?? []));

  const node = new TronNode(config.nodeUrl, config.apiKey, outbound);
  await expectNetwork(node);
  const staked = stake && stakedEnergy(node, stake, hotAddress);

  return {
    ...rules,
    hotAddress,
    stranger: STRANGER,

    async depositAddresses(first, count) {
      assert(count >= 0 && count <= ADDRESSES_PER_CALL, `${count} addresses in one call`);
      return Array.from({ length: count }, (_, i) => depositAddress(first + i));
    },

    scan: (cursor, watched) => scanBlocks(node, contracts, cursor, watched),
    heads: () => node.heads(),
    depositDepth: (height, heads, tier) => depthAt(height, heads, confirmations[tier]),
    standing: (sightings) => standingSightings(node, contracts, sightings),
    terms(transfer) {
      const { loan: act } = transfer;
      if (!act) return transferTerms(node, fees, staked ?? BURNED_ENERGY, addressOf(transfer.from), transfer);
      return loanTerms(node, present(staked, 'an account with staked coins'), { ...transfer, act });
    },
    broadcast: (signed) => broadcastBytes(node, signed),
    newestTime: async () => instant((await node.newest('wallet')).time),
    status: (signed) => attemptStatus(node, contracts, signed),
    paidBy: (transfer, named) => paidBy(node, contracts, addressOf(transfer.from), transfer, named),

    async balance(account, asset) {
      const spendable = await node.balance(addressOf(account), tronContractOf(asset));
      return { spendable: atoms(spendable), locked: atoms(0n) };
    },

    close: async () => {},
  };
}

/** The last four bytes of a network's first block are the number of its chain. */
export async function expectNetwork(node: TronNode): Promise<void> {
  const genesis = await node.header(0);
  const number = TRON_ID.toString(16).padStart(8, '0');
  if (!genesis?.hash.endsWith(number)) {
    throw new Fault('permanent', AT_TRON, `the node's first block is ${genesis?.hash}, not one of chain ${TRON_ID}`);
  }
}
