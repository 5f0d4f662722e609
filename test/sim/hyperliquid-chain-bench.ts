import assert from 'node:assert/strict';
import {
  type HyperliquidOptions,
  type HyperliquidSimulator,
  startHyperliquid,
} from '../../sandbox/simulators/hyperliquid/server.ts';
import { TOKENS, type TokenName } from '../../sandbox/simulators/hyperliquid/state.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { type Clock, instant } from '../../src/kernel/clock.ts';
import { type Address, assetId, intentId, type TokenId, txHash } from '../../src/kernel/ids.ts';
import { SCAN_BLOCKS_PER_PAGE } from '../../src/kernel/limits.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { openKeyTree } from '../../src/signer/keys.ts';
import { hyperliquidKeys } from '../../src/signer/rails/hyperliquid.ts';
import { venueTransferRail } from '../../src/signer/rails/hyperliquid-transfers.ts';
import type { Chain, ScanCursor, Sighting, SignedTransfer, Transfer } from '../../src/world/chains/chain.ts';
import type { ChainBench } from '../../src/world/chains/conformance.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { openVenueChain } from '../../src/world/venues/hyperliquid/chain.ts';
import { addressOf } from '../../src/world/venues/hyperliquid/codec.ts';
import { VENUE_CHAIN } from '../../src/world/venues/hyperliquid/tokens.ts';
import { elsewhereThan } from './addresses-elsewhere.ts';

export const KEYS = hyperliquidKeys(openKeyTree(new Secret(new Uint8Array(64).fill(5))));
export const HOT = addressOf(KEYS.key('hot').reveal());
export const CUSTOMER = '0x52908400098527886E0F7030069857D2E4169EE7' as Address;
export const ONE = 10n ** 8n;
/** Deposit accounts that orders have. */
const ISSUED = 64;
const VENUE_ITSELF = '0x2222222222222222222222222222222222222222' as Address;

export const assetOf = (name: TokenName) => assetId(VENUE_CHAIN, TOKENS[name].tokenId as TokenId);

export const RAIL = venueTransferRail(
  {
    chainId: VENUE_CHAIN,
    usdc: assetOf('USDC'),
    tokens: Object.fromEntries((['USDC', 'XMR1', 'TRX1', 'ZEC1'] as const).map((name) => [assetOf(name), 8])),
  },
  KEYS,
);

export interface VenueChainBench extends ChainBench {
  readonly simulator: HyperliquidSimulator;
  /** The same chain as another process opens it, on this or another simulator. */
  reopen(at?: HyperliquidSimulator): Promise<Chain>;
  /** Asks for the terms and signs, as the pipeline does. */
  send(transfer: Transfer): Promise<SignedTransfer>;
}

/** A block is a millisecond: what is done now shows once the next one has come. Accounts are as new as can be. */
export async function openVenueChainBench(
  name: TokenName = 'XMR1',
  options: HyperliquidOptions = {},
  outbound: Outbound = httpOutbound,
): Promise<VenueChainBench> {
  let now = 1_800_000_000_000;
  let fresh = 0;
  let legs = 0;
  const simulator = await startHyperliquid({ ...options, now: () => now + 1 });
  for (const token of ['USDC', 'XMR1', 'TRX1', 'ZEC1']) {
    simulator.credit(HOT, token, 1_000n * ONE);
    simulator.credit(CUSTOMER, token, 1_000n * ONE);
  }
  const clock: Clock = { now: () => instant(now) };
  const addresses = Array.from({ length: ISSUED }, (_, index) =>
    present(RAIL.addressOf({ deposit: index }), 'address'),
  );
  const accounts = async (below: number, most: number) =>
    addresses
      .map((address, index) => ({ index, address, since: instant(now - 1), wasEmptied: false }))
      .filter(({ index }) => index < below)
      .reverse()
      .slice(0, most);
  const config = {
    ...{ url: simulator.url, account: HOT, xpub: KEYS.xpub, accounts, pageMs: SCAN_BLOCKS_PER_PAGE },
    tokenIds: [TOKENS.XMR1.tokenId, TOKENS.TRX1.tokenId, TOKENS.ZEC1.tokenId],
  };
  const chain = await openVenueChain(config, outbound, clock);
  const asset = present(
    chain.facts.assets.find(({ id }) => id === assetOf(name)),
    name,
  );
  return {
    simulator,
    reopen: (at = simulator) => openVenueChain({ ...config, url: at.url }, outbound, clock),
    async send(transfer) {
      legs += 1;
      const terms = await chain.terms(transfer);
      assert.ok(!('refused' in terms) && terms.nonce !== undefined);
      const intent = intentId('treasury', 'payout', 100 + legs);
      const about = { intent, kind: 'payout', owner: 'treasury', chainId: VENUE_CHAIN } as const;
      return RAIL.sign({ ...transfer, ...about, nonce: terms.nonce, fee: terms.fee });
    },
    chain,
    asset,
    unit: atoms(ONE),
    hasPool: false,
    foreign: elsewhereThan('evm'),
    refusedDestination: VENUE_ITSELF,
    async pay(to, amount) {
      const sent = simulator.pay({ from: CUSTOMER, to, token: name, atoms: amount });
      return { txHash: txHash(sent.txHash), from: CUSTOMER };
    },
    async mine(blocks) {
      now += blocks;
    },
    reorg: () => Promise.reject(new Error('the venue takes nothing back')),
    sign: (request) => RAIL.sign(request),
    received: async (address) => BigInt(simulator.received(address, name).total),
    async freshDestination() {
      fresh += 1;
      return addressOf(new Uint8Array(32).fill(fresh));
    },
    close: async () => {
      await chain.close();
      await simulator.close();
    },
  };
}

export const depositAddress = (deposit: number): Address => present(RAIL.addressOf({ deposit }), 'deposit address');
const OURS = new Set([HOT, ...Array.from({ length: 64 }, (_, index) => depositAddress(index))]);
export const watched = async (candidates: readonly Address[]) => new Set(candidates.filter((one) => OURS.has(one)));

/** All that is seen from this height to the tip. */
export async function scanned(chain: Chain, from: number): Promise<readonly Sighting[]> {
  const found: Sighting[] = [];
  let cursor: ScanCursor = { height: from, recent: [] };
  for (let more = true; more; ) {
    const page = await chain.scan(cursor, watched);
    found.push(...page.sightings);
    ({ cursor, more } = page);
  }
  return found;
}
