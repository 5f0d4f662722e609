import type { Account } from '../../../kernel/account.ts';
import { atoms } from '../../../kernel/amount.ts';
import { assert, present } from '../../../kernel/assert.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Address } from '../../../kernel/ids.ts';
import { ADDRESSES_PER_CALL } from '../../../kernel/limits.ts';
import type { Outbound } from '../../outbound/http.ts';
import type { Chain } from '../chain.ts';
import { STRANGER, tokenAccountOf } from './address-codec.ts';
import { attemptStatus, broadcastBytes } from './attempts.ts';
import { mintOf } from './codec.ts';
import { SolanaNode } from './node.ts';
import { paidBy } from './paid-by.ts';
import { solanaRules } from './rules.ts';
import { scanSlots } from './scan.ts';
import { standingSightings } from './standing.ts';
import { DEFAULT_FEES, type FeePolicy, tokensIn, transferTerms } from './terms.ts';

/** The first block of the main network. */
const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

export interface SolanaConfig {
  /** Must keep the history of the last hours, and index signatures. */
  readonly rpcUrl: string;
  readonly hotAddress: Address;
  /** Deposit addresses first … first+count-1. Such keys have no public derivation: the signer tells them. */
  readonly addresses: (first: number, count: number) => Promise<readonly Address[]>;
  /** The network's first block; the main network's unless said otherwise. */
  readonly genesisHash?: string;
  readonly fees?: FeePolicy;
  /** Other nodes of the network, best somebody else's: bytes are called dead only where all of them agree, and never without one. */
  readonly witnessUrls?: readonly string[];
}

/** Opens only on a node of the very network that is configured. */
export async function openSolana(config: SolanaConfig, outbound: Outbound): Promise<Chain> {
  const { hotAddress, addresses, fees = DEFAULT_FEES, witnessUrls = [] } = config;
  const node = await openSolanaNode(config.rpcUrl, config, outbound);
  if (witnessUrls.includes(config.rpcUrl))
    throw new Fault('permanent', node.at, 'a node is no witness of its own word');
  const witnesses = witnessUrls.map((url) => () => openSolanaNode(url, config, outbound));

  const addressOf = async (account: Account): Promise<Address> =>
    account === 'hot' ? hotAddress : present((await addresses(account.deposit, 1))[0], `address ${account.deposit}`);

  return {
    ...solanaRules,
    hotAddress,
    stranger: STRANGER,

    async depositAddresses(first, count) {
      assert(count >= 0 && count <= ADDRESSES_PER_CALL, `${count} addresses in one call`);
      return addresses(first, count);
    },

    scan: (cursor, watched) => scanSlots(node, cursor, watched),
    depositDepth: (height, { finalized }) => ({ have: Math.max(0, finalized - height + 1), need: 1 }),
    standing: (sightings) => standingSightings(node, sightings),

    async terms(transfer, _, dead) {
      return transferTerms(node, fees, { from: await addressOf(transfer.from), payer: hotAddress }, transfer, dead);
    },

    broadcast: (signed) => broadcastBytes(node, signed),
    newestTime: () => node.newestTime(),
    status: (signed) => attemptStatus(node, witnesses, signed),
    paidBy: async (transfer, named) =>
      paidBy(node, { from: await addressOf(transfer.from), payer: hotAddress }, transfer, named),

    async balance(account, asset) {
      const address = await addressOf(account);
      const mint = mintOf(asset);
      const [held] = await node.accounts([mint ? tokenAccountOf(address, mint) : address]);
      if (mint) return { spendable: atoms(tokensIn(held)), locked: atoms(0n) };
      // The hot account pays fees for ever, so that the chain makes it keep its reserve; others may be emptied.
      const reserve = account === 'hot' ? await node.rentMinimum(0) : 0n;
      const lamports = held?.lamports ?? 0n;
      const spendable = lamports > reserve ? lamports - reserve : 0n;
      return { spendable: atoms(spendable), locked: atoms(lamports - spendable) };
    },

    close: async () => {},
  };
}

export async function openSolanaNode(
  url: string,
  { genesisHash = MAINNET }: Pick<SolanaConfig, 'genesisHash'>,
  outbound: Outbound,
): Promise<SolanaNode> {
  const node = new SolanaNode(url, outbound);
  const told = await node.genesisHash();
  if (told === genesisHash) return node;
  throw new Fault('permanent', node.at, `the node serves the network that began with ${told}`);
}
