import { bytesToHex } from '@noble/hashes/utils.js';
import { atoms } from '../../../kernel/amount.ts';
import { assert } from '../../../kernel/assert.ts';
import { Fault } from '../../../kernel/fault.ts';
import { ADDRESSES_PER_CALL } from '../../../kernel/limits.ts';
import type { Outbound } from '../../outbound/http.ts';
import type { BlockRef, Chain, Heads } from '../chain.ts';
import type { SpendSide, Witness } from '../family.ts';
import { type HidingChain, paidByHidden } from '../signed-for.ts';
import { decodeAddress, subaddress } from './codec.ts';
import { type Daemon, moneroDaemon } from './daemon.ts';
import { type OpenOutputs, openingOnce } from './open-outputs.ts';
import { payoutStatus, payoutTerms, sendPayout } from './payout.ts';
import { AT_MONERO, records, text } from './reply.ts';
import { depositMinor, type MoneroRulesConfig, moneroRules } from './rules.ts';
import { type MoneroScan, scanPage } from './scan.ts';
import { standingSightings } from './standing.ts';
import { knowSubaddresses, openWallet, type WalletCall, type WalletConfig } from './wallet-rpc.ts';

export interface MoneroConfig extends Omit<WalletConfig, 'spendKey' | 'given'>, MoneroRulesConfig {
  readonly daemonUrl: string;
  /** A view wallet does not see what was spent, and the spend wallet must know an address before money comes to it. */
  readonly spendSide: SpendSide;
  /** Every deposit index handed out is below this. */
  readonly depositCount: () => Promise<number>;
}

const headsOf =
  ({ confirmations }: MoneroRulesConfig) =>
  ({ height: tip }: BlockRef): Heads => ({
    tip,
    safe: tip - confirmations.small + 1,
    finalized: tip - confirmations.large + 1,
  });

/** What a daemon tells anybody who has the view key, without a wallet. */
const toldBy = (daemon: Daemon, open: OpenOutputs, config: MoneroRulesConfig): Omit<Witness, 'close'> => ({
  heads: async () => headsOf(config)(await daemon.tip()),
  standing: (sightings) => standingSightings(daemon, open, sightings),
  status: (signed) => payoutStatus(daemon, signed, config),
});

/** The wallet of the first node says which outputs are ours; what they hold and whether they stand, any other node can say. */
export async function openMoneroWitness(
  config: Pick<MoneroConfig, 'daemonUrl' | 'viewKey'> & MoneroRulesConfig,
  outbound: Outbound,
): Promise<Witness> {
  const daemon = moneroDaemon(config.daemonUrl, outbound);
  await daemon.tip();
  return { ...toldBy(daemon, openingOnce(config.viewKey), config), close: async () => {} };
}

export async function openMonero(config: MoneroConfig, outbound: Outbound): Promise<Chain> {
  const daemon = moneroDaemon(config.daemonUrl, outbound);
  await daemon.tip();
  const { confirmations, spendSide, viewKey, depositCount } = config;
  const wallet = await openWallet({ ...config, given: async () => depositMinor(await depositCount()) }, outbound);
  const heads = headsOf(config);
  const open = openingOnce(viewKey);
  const scanning: MoneroScan = { daemon, wallet, open, heads };
  const hiding: HidingChain = {
    ...{ at: AT_MONERO, settledConfirmations: config.settledConfirmations, signedFor: spendSide.signedFor },
    ...{ tip: daemon.tip, hashAt: daemon.hashAt },
    async find(hash) {
      const [found] = await daemon.transactions([hash]);
      return found && { height: found.height, cost: atoms(found.tx.fee) };
    },
  };

  return {
    ...moneroRules(config),
    hotAddress: config.address,
    depositAddresses: (first, count) => depositAddresses(config, wallet, first, count),
    scan: (cursor, watched) => scanPage(scanning, cursor, watched),
    depositDepth: (height, { tip }, tier) => ({ have: Math.max(0, tip - height + 1), need: confirmations[tier] }),
    ...toldBy(daemon, open, config),
    terms: () => payoutTerms(daemon),
    broadcast: (signed) => sendPayout(daemon, signed),
    paidBy: (transfer, named) => paidByHidden(hiding, transfer, named),
    // One wallet holds what came to every deposit address: it is counted once, as the hot account's.
    balance: async (account) => (account === 'hot' ? hotBalance(config) : { spendable: atoms(0n), locked: atoms(0n) }),
    close: async () => {
      await wallet('store');
    },
  };
}

/** A spending wallet that was made anew reads no block before it was told which addresses were given out: only we know. */
async function hotBalance({ spendSide, depositCount }: MoneroConfig) {
  try {
    return await spendSide.balance();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    await spendSide.depositAddresses(Math.max(0, (await depositCount()) - 1), 1);
    return spendSide.balance();
  }
}

/** Addresses are derived here; the wallets must know them before anyone else does, and must agree. */
async function depositAddresses(config: MoneroConfig, wallet: WalletCall, first: number, count: number) {
  assert(count > 0 && count <= ADDRESSES_PER_CALL, `${count} addresses at once`);
  const minors = Array.from({ length: count }, (_, offset) => depositMinor(first + offset));
  const [spendable] = await Promise.all([
    config.spendSide.depositAddresses(first, count),
    knowSubaddresses(wallet, depositMinor(first + count)),
  ]);
  const known = await wallet('get_address', { account_index: 0, address_index: minors });
  const told = records(known, 'addresses').map((entry) => text(entry, 'address'));
  const keys = { viewKey: config.viewKey, publicSpend: publicSpendOf(config) };
  return minors.map((minor, index) => {
    const derived = subaddress(keys, 0, minor);
    if (told[index] === derived && spendable[index] === derived) return derived;
    throw new Fault('permanent', AT_MONERO, `the wallets' subaddress ${minor} is not ours`);
  });
}

function publicSpendOf({ address }: MoneroConfig): string {
  const decoded = decodeAddress(address);
  assert(decoded, 'a checked address');
  return bytesToHex(decoded.spend);
}
