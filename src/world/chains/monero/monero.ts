import { bytesToHex } from '@noble/hashes/utils.js';
import { atoms } from '../../../kernel/amount.ts';
import { assert, present } from '../../../kernel/assert.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Address } from '../../../kernel/ids.ts';
import { ADDRESSES_PER_CALL } from '../../../kernel/limits.ts';
import type { Outbound } from '../../outbound/http.ts';
import type { BlockRef, Chain, Heads } from '../chain.ts';
import type { SpendSide, Witness } from '../family.ts';
import { type HidingChain, paidByHidden } from '../signed-for.ts';
import { decodeAddress, subaddress, type ViewKeys } from './codec.ts';
import { type Daemon, moneroDaemon } from './daemon.ts';
import { type OpenOutputs, openingOnce } from './open-outputs.ts';
import { payoutStatus, payoutTerms, sendPayout } from './payout.ts';
import { AT_MONERO } from './reply.ts';
import { depositMinor, type MoneroRulesConfig, moneroRules } from './rules.ts';
import { type MoneroScan, scanPage } from './scan.ts';
import { standingSightings } from './standing.ts';

/** A daemon, and what sees in it what comes to the desk. */
export interface MoneroView extends MoneroRulesConfig {
  readonly daemonUrl: string;
  /** The wallet's own, which pays out. */
  readonly address: Address;
  readonly viewKey: string;
}

export interface MoneroConfig extends MoneroView {
  /** The view key does not show what was spent, and the spending wallet must know an address before money comes to it. */
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

/** What a daemon tells anybody who has the view key. */
const toldBy = (daemon: Daemon, open: OpenOutputs, config: MoneroRulesConfig): Omit<Witness, 'close'> => ({
  heads: async () => headsOf(config)(await daemon.tip()),
  standing: (sightings) => standingSightings(daemon, open, sightings),
  status: (signed) => payoutStatus(daemon, signed, config),
});

export async function openMoneroWitness(config: MoneroView, outbound: Outbound): Promise<Witness> {
  const daemon = moneroDaemon(config.daemonUrl, outbound);
  await daemon.tip();
  return { ...toldBy(daemon, openingOnce(viewKeys(config)), config), close: async () => {} };
}

export async function openMonero(config: MoneroConfig, outbound: Outbound): Promise<Chain> {
  const daemon = moneroDaemon(config.daemonUrl, outbound);
  await daemon.tip();
  const { confirmations, spendSide } = config;
  const open = openingOnce(viewKeys(config));
  const scanning: MoneroScan = { daemon, open, heads: headsOf(config) };
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
    depositAddresses: (first, count) => depositAddresses(config, first, count),
    scan: (cursor, watched) => scanPage(scanning, cursor, watched),
    depositDepth: (height, { tip }, tier) => ({ have: Math.max(0, tip - height + 1), need: confirmations[tier] }),
    ...toldBy(daemon, open, config),
    terms: () => payoutTerms(daemon),
    broadcast: (signed) => sendPayout(daemon, signed),
    paidBy: (transfer, named) => paidByHidden(hiding, transfer, named),
    // One wallet holds what came to every deposit address: it is counted once, as the hot account's.
    balance: async (account) => (account === 'hot' ? hotBalance(config) : { spendable: atoms(0n), locked: atoms(0n) }),
    close: async () => {},
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

/** Addresses are derived here; whoever spends must know them before anyone else does, and must agree. */
async function depositAddresses(config: MoneroConfig, first: number, count: number) {
  assert(count > 0 && count <= ADDRESSES_PER_CALL, `${count} addresses at once`);
  const spendable = await config.spendSide.depositAddresses(first, count);
  const keys = viewKeys(config);
  return Array.from({ length: count }, (_, offset) => {
    const minor = depositMinor(first + offset);
    const derived = subaddress(keys, 0, minor);
    if (spendable[offset] === derived) return derived;
    throw new Fault('permanent', AT_MONERO, `the signer's subaddress ${minor} is not ours`);
  });
}

function viewKeys({ address, viewKey }: MoneroView): ViewKeys {
  const { spend } = present(decodeAddress(address), 'a checked address');
  return { viewKey, publicSpend: bytesToHex(spend) };
}
