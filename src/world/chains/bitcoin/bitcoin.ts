import { atoms } from '../../../kernel/amount.ts';
import { assert } from '../../../kernel/assert.ts';
import type { Address } from '../../../kernel/ids.ts';
import { ADDRESSES_PER_CALL } from '../../../kernel/limits.ts';
import type { Outbound } from '../../outbound/http.ts';
import type { Chain } from '../chain.ts';
import { bitcoinDepositAddresses } from './address-codec.ts';
import { Attempts, broadcastBytes, DEAD_DEPTH } from './attempts.ts';
import type { Payer } from './codec.ts';
import { BitcoinNode, type NodeConfig } from './node.ts';
import { paidBy } from './paid-by.ts';
import { PoolWatch } from './pool.ts';
import { type BitcoinRulesConfig, bitcoinRules } from './rules.ts';
import { scanPage } from './scan.ts';
import { standingSightings } from './standing.ts';
import { DEFAULT_FEES, type FeePolicy, transferTerms } from './terms.ts';
import { type UnspentConfig, UnspentOutputs } from './unspent-outputs.ts';

export interface BitcoinConfig extends NodeConfig, BitcoinRulesConfig {
  /** Extended public key whose child i receives deposits under index i. */
  readonly xpub: string;
  /** Pays out, with deposits as well as with its own outputs, and takes the change. */
  readonly hotAddress: Address;
  readonly book: UnspentConfig['book'];
  readonly busy: UnspentConfig['busy'];
  readonly fees?: FeePolicy;
  /** Confirmations before an output is spent. */
  readonly spendDepth?: number;
}

/** Opens only on a node of the very network that is configured. */
export async function openBitcoin(config: BitcoinConfig, outbound: Outbound): Promise<Chain> {
  const { network, confirmations, hotAddress, xpub, book, busy } = config;
  const { fees = DEFAULT_FEES, spendDepth = DEAD_DEPTH } = config;
  const node = new BitcoinNode(network, config, outbound);
  await node.expectNetwork();

  const depositAddress = bitcoinDepositAddresses(network, xpub);
  const addressOf: Payer['addressOf'] = (account) => (account === 'hot' ? hotAddress : depositAddress(account.deposit));
  const payer: Payer = { network, hot: hotAddress, addressOf };
  const unspent = new UnspentOutputs(node, payer, { xpub, book, busy, spendDepth });
  const attempts = new Attempts(node, config);
  const watch = { node, network, hot: hotAddress };
  const scanning = {
    ...watch,
    pool: new PoolWatch(watch),
    heads: (tip: number) => ({
      tip,
      safe: tip - confirmations.small + 1,
      finalized: tip - confirmations.large + 1,
    }),
  };

  return {
    ...bitcoinRules(config),
    hotAddress,

    async depositAddresses(first, count) {
      assert(count >= 0 && count <= ADDRESSES_PER_CALL, `${count} addresses in one call`);
      return Array.from({ length: count }, (_, i) => depositAddress(first + i));
    },

    scan: (cursor, watched) => scanPage(scanning, cursor, watched),
    heads: async () => scanning.heads((await node.tip()).height),
    depositDepth: (height, { tip }, tier) => ({ have: Math.max(0, tip - height + 1), need: confirmations[tier] }),
    standing: (sightings) => standingSightings(node, network, sightings),
    terms: (transfer, replacing) => transferTerms({ node, payer, unspent, fees }, transfer, replacing),
    broadcast: (signed) => broadcastBytes(node, signed),
    status: (signed) => attempts.status(signed),
    paidBy: (transfer, named) =>
      paidBy({ node, payer, book, settledConfirmations: config.settledConfirmations }, transfer, named),
    // Payouts spend deposits where they lie: all that our keys hold is counted once, as the hot account's.
    balance: async (account) => (account === 'hot' ? unspent.balance() : { spendable: atoms(0n), locked: atoms(0n) }),
    close: async () => {},
  };
}
