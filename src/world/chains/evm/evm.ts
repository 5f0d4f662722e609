import type { Account } from '../../../kernel/account.ts';
import { atoms } from '../../../kernel/amount.ts';
import { assert } from '../../../kernel/assert.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Address, ChainId } from '../../../kernel/ids.ts';
import { ADDRESSES_PER_CALL } from '../../../kernel/limits.ts';
import type { Outbound } from '../../outbound/http.ts';
import type { Chain } from '../chain.ts';
import { attemptStatus, broadcastBytes } from './attempts.ts';
import { evmContractOf, evmDepositAddresses, STRANGER } from './codec.ts';
import {
  depthUnder,
  type EvmNetwork,
  type FeePolicy,
  type Finality,
  type FinalityPolicy,
  withFinality,
} from './networks.ts';
import { EvmNode } from './node.ts';
import { paidBy } from './paid-by.ts';
import { evmRules } from './rules.ts';
import { scanBlocks } from './scan.ts';
import { standingSightings } from './standing.ts';
import { sweepTerms } from './sweep-terms.ts';
import { transferTerms } from './terms.ts';

export interface EvmConfig {
  readonly network: EvmNetwork;
  readonly rpcUrl: string;
  /** Extended public key whose child i receives deposits under index i. */
  readonly xpub: string;
  readonly hotAddress: Address;
  readonly finality?: FinalityPolicy;
  readonly payoutConfirmations?: number;
  /** What makes a payout settled; the node's `finalized` unless said otherwise. */
  readonly settled?: Finality;
  readonly fees?: FeePolicy;
}

const nobody = async () => [];
const FINALIZED: Finality = { tag: 'finalized', about: 64 };

/** Opens only on a node of the very network that is configured. */
export async function openEvmNode(id: ChainId, rpcUrl: string, outbound: Outbound): Promise<EvmNode> {
  const node = new EvmNode(id, rpcUrl, outbound);
  const told = await node.chainId();
  if (told !== id) throw new Fault('permanent', node.at, `the node serves chain ${told}`);
  return node;
}

export async function openEvm(config: EvmConfig, outbound: Outbound): Promise<Chain> {
  const network = config.finality ? withFinality(config.network, config.finality) : config.network;
  const { facts, finality } = network;
  const { hotAddress, fees = network.fees, payoutConfirmations: need = 1, settled = FINALIZED } = config;
  const depositAddress = evmDepositAddresses(config.xpub);
  const addressOf = (account: Account): Address => (account === 'hot' ? hotAddress : depositAddress(account.deposit));

  const node = await openEvmNode(facts.id, config.rpcUrl, outbound);

  return {
    ...evmRules(network),
    hotAddress,
    stranger: STRANGER,

    async depositAddresses(first, count) {
      assert(count >= 0 && count <= ADDRESSES_PER_CALL, `${count} addresses in one call`);
      return Array.from({ length: count }, (_, i) => depositAddress(first + i));
    },

    scan: (cursor, watched, expecting = nobody) => scanBlocks(node, { facts, hotAddress }, cursor, watched, expecting),
    heads: () => node.heads(),
    depositDepth: (height, heads, tier) => depthUnder(finality[tier], height, heads),
    standing: (sightings) => standingSightings(node, facts, sightings),
    async terms(transfer, replacing) {
      const from = addressOf(transfer.from);
      const parties = { hot: hotAddress, deposit: from };
      const swept = transfer.delegated && (await sweepTerms(node, network, fees, parties, transfer, replacing));
      return swept || transferTerms(node, network, fees, from, transfer, replacing);
    },
    broadcast: (signed) => broadcastBytes(node, signed),
    status: (signed) => attemptStatus(node, signed, { need, settled }),
    newestTime: () => node.newestTime(),
    paidBy(transfer, named) {
      const from = addressOf(transfer.from);
      return paidBy(node, settled, { from, sender: transfer.delegated ? hotAddress : from }, transfer, named);
    },

    async balance(account, asset) {
      const spendable = await node.balance(addressOf(account), evmContractOf(asset), 'latest');
      return { spendable: atoms(spendable), locked: atoms(0n) };
    },

    close: async () => {},
  };
}
