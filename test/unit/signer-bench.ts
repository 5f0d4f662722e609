import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import {
  bindAmount,
  bindDestination,
  isBoundPurpose,
  openBinder,
  openChecker,
  type Place,
  writeCharter,
} from '../../src/kernel/binding.ts';
import { type Clock, instant } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, chainId, type IntentId, type OrderId } from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { type Core, openCore } from '../../src/signer/core.ts';
import { type Journal, openJournal } from '../../src/signer/journal.ts';
import { openKeyTree } from '../../src/signer/keys.ts';
import { type ChainLimit, type Limits, metersOf } from '../../src/signer/limits.ts';
import { openMemory } from '../../src/signer/memory.ts';
import type { TransferRail } from '../../src/signer/rail.ts';
import { evmKeys, evmRail } from '../../src/signer/rails/evm.ts';
import { hyperliquidKeys, hyperliquidRail } from '../../src/signer/rails/hyperliquid.ts';
import { venueTransferRail } from '../../src/signer/rails/hyperliquid-transfers.ts';
import type { MoveRequest, TradeRequest, TransferRequest } from '../../src/signer/request.ts';
import type { SignerConfig } from '../../src/signer/start-signer.ts';
import type { House } from '../../src/signer/verdict.ts';
import { parseEvmAddress } from '../../src/world/chains/evm/codec.ts';
import { WITHDRAWAL_FEE } from '../../src/world/venues/hyperliquid/codec.ts';

export const ARBITRUM = chainId(42161);
export const VENUE = chainId(1337);
export const ETH = `${ARBITRUM}:0x0000000000000000000000000000000000000000` as AssetId;
export const USDC = `${ARBITRUM}:0xaf88d065e77c8cC2239327C5EDb3A432268e5831` as AssetId;
export const VENUE_USDC = `${VENUE}:0x6d1e7cde53ba9467b783cb7c530ce054` as AssetId;
export const XMR1 = `${VENUE}:0xbb2057659bd378d17e2e151bb04bdcaa` as AssetId;
export const ORDER = `sw_${'a'.repeat(26)}` as OrderId;
export const OTHER_ORDER = `sw_${'b'.repeat(26)}` as OrderId;
const API_KEY = new Secret(new Uint8Array(32).fill(9));
const ENGINE_KEY = new Secret(new Uint8Array(32).fill(8));
/** Whoever takes orders, and whoever carries them out. */
export const API = openBinder(API_KEY);
export const ENGINE = openBinder(ENGINE_KEY);
export const BINDERS = { api: [API.publicKey], engine: [ENGINE.publicKey] };
export const CHECKERS = { api: openChecker(BINDERS.api), engine: openChecker(BINDERS.engine) };
export const SEED = new Secret(new Uint8Array(64).fill(3));

export const evmAddress = (text: string): Address => present(parseEvmAddress(text), 'address');
export const ALICE = evmAddress(`0x${'a1'.repeat(20)}`);
export const COLD = evmAddress(`0x${'cc'.repeat(20)}`);
export const MALLORY = evmAddress(`0x${'66'.repeat(20)}`);
export const PROVIDER = evmAddress(`0x${'f0'.repeat(20)}`);
export const BRIDGE = evmAddress('0x2df1c51e09aecf9cacb7bc98cb1742757f163df7');

export const VENUE_CHARGE = { chainId: VENUE, withdrawalFee: WITHDRAWAL_FEE };

/** Three times the most of one. */
export const aDay = (gas: bigint, cost: bigint): ChainLimit => ({
  ...{ gas: atoms(gas), gasPerDay: atoms(3n * gas), cost: atoms(cost), costPerDay: atoms(3n * cost) },
});
export const NO_LIMIT = { perTransfer: 'unlimited', perDay: 'unlimited', floor: ratio(0n, 1n) } as const;
export const FREE_CHAIN = {
  gas: 'unlimited',
  gasPerDay: 'unlimited',
  cost: 'unlimited',
  costPerDay: 'unlimited',
} as const;

export const LIMITS: Limits = {
  assets: {
    [USDC]: { perTransfer: atoms(1_000_000_000n), perDay: atoms(1_500_000_000n), floor: ratio(1n, 1n) },
    // Three hundred dollars for a coin of eight decimals.
    [XMR1]: { perTransfer: atoms(500_000_000n), perDay: 'unlimited', floor: ratio(3n, 1n) },
  },
  otherAssets: undefined,
  usdPerDay: atoms(5_000_000_000n),
  engine: { usdPerTransfer: 'unlimited', usdPerDay: 'unlimited' },
  chains: {
    [ARBITRUM]: aDay(10n ** 16n, 10n ** 16n),
    [VENUE]: aDay(200_000_000n, 100_000_000n),
  },
  trades: {
    baseDecimals: 8,
    quoteDecimals: 8,
    size: atoms(1_000_000_000n),
    sellPerDay: atoms(1_500_000_000n),
    notional: atoms(2_000_00000000n),
    notionalPerDay: atoms(3_000_00000000n),
    price: { least: { num: 50n, den: 1n }, most: { num: 1000n, den: 1n } },
  },
};

/** The read side of a venue that no story of this file needs. */
export const NOBODY_ASKED = () => assert.fail('the venue is asked');

export const intent = (name: string): IntentId => name as IntentId;

/** More than any story pays, where it is not about amounts. */
export const VAST = atoms(10n ** 40n);

/** An order that was made for so much in one asset, which is asked for and paid. */
export const charter = (
  order: OrderId,
  asset: AssetId,
  address: Address,
  most = VAST,
  places: readonly Place[] = [],
): string => writeCharter(API, order, { gives: { asset, most }, gets: { asset, most, address }, places });

/** Bound again by whoever carries orders out. */
export const raised = ({ owner, kind, asset }: TransferRequest, most = VAST) => ({
  most,
  binding: isBoundPurpose(kind) ? bindAmount(ENGINE, owner as OrderId, kind, asset, most) : '',
});

/** With everything that an engine shows of an order. */
export const withPapers = (request: TransferRequest): TransferRequest =>
  isBoundPurpose(request.kind)
    ? {
        ...request,
        charter: charter(request.owner as OrderId, request.asset, request.to),
        raised: raised(request),
      }
    : request;

export function payout(change: Partial<TransferRequest> = {}): TransferRequest {
  const { owner = ORDER, asset = USDC, to = ALICE } = change;
  const order = owner === 'treasury' ? ORDER : owner;
  return {
    intent: intent(`${owner}:payout:0`),
    kind: 'payout',
    owner,
    chainId: ARBITRUM,
    from: 'hot',
    asset,
    atoms: atoms(250_000_000n),
    to,
    binding: bindDestination(API, order, 'payout', asset, to),
    charter: charter(order, asset, to),
    nonce: 7,
    fee: { gas: '90000', maxFeePerGas: '100000000', maxPriorityFeePerGas: '1000000' },
    ...change,
  };
}

/** What a provider is paid for a swap, at an address of its own. */
export function fund(change: Partial<TransferRequest> = {}): TransferRequest {
  const { asset = USDC, to = PROVIDER } = change;
  const binding = bindDestination(ENGINE, ORDER, 'fund', asset, to);
  const asked = payout({ intent: intent(`${ORDER}:fund:0`), kind: 'fund', to, binding, ...change });
  return { ...asked, raised: raised(asked), ...change };
}

/** A request of the treasury: the same transfer without an order's papers. */
export function own(change: Partial<TransferRequest> & Pick<TransferRequest, 'kind'>): TransferRequest {
  const {
    binding: _,
    charter: __,
    ...rest
  } = payout({ owner: 'treasury', intent: intent(`treasury:${change.kind}:0`) });
  return { ...rest, ...change };
}

export function trade(change: Partial<TradeRequest['ticket']> = {}): TradeRequest {
  const ticket = {
    clientId: `0x${'0c'.repeat(16)}`,
    side: 'buy',
    size: atoms(300_000_000n),
    limit: '155.5',
    nonce: 1_700_000_000_000,
    expiresAfter: instant(1_700_000_010_000),
    ...change,
  } as const;
  return { owner: ORDER, ticket, wire: { asset: '10260', decimals: '8' } };
}

/** A send on the venue between accounts of our own. */
export function sendHome(change: Partial<MoveRequest> = {}, to = HOT): MoveRequest {
  return {
    intent: intent('treasury:rebalance:0'),
    owner: 'treasury',
    kind: 'rebalance',
    move: { move: 'send', asset: XMR1, atoms: atoms(200_000_000n), to, nonce: 1_700_000_000_001 },
    wire: { token: 'XMR1:0xbb2057659bd378d17e2e151bb04bdcaa', decimals: '8' },
    ...change,
  };
}

/** The same payment as a transfer of the venue's own chain. */
export function venuePayout(change: Partial<TransferRequest> = {}): TransferRequest {
  return payout({
    chainId: VENUE,
    asset: XMR1,
    atoms: atoms(200_000_000n),
    nonce: 1_700_000_000_001,
    fee: { token: 'XMR1:0xbb2057659bd378d17e2e151bb04bdcaa', decimals: '8', opening: '100000000' },
    ...change,
  });
}

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'wherry-signer-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function handClock(start = 1_700_000_000_000): Clock & { advance(ms: number): void } {
  let now = start;
  return {
    now: () => instant(now),
    advance(ms) {
      now += ms;
    },
  };
}

export const TREE = openKeyTree(SEED);
export const EVM_KEYS = evmKeys(TREE);
const VENUE_RAIL = venueTransferRail(
  { chainId: VENUE, usdc: VENUE_USDC, tokens: { [VENUE_USDC]: 8, [XMR1]: 8 } },
  hyperliquidKeys(TREE),
);
export const HOT = evmRail([], EVM_KEYS).addressOf('hot') as Address;
export const DEPOSIT_5 = evmRail([], EVM_KEYS).addressOf({ deposit: 5 }) as Address;

export interface Bench {
  readonly core: Core;
  readonly journal: Journal;
  readonly clock: ReturnType<typeof handClock>;
}

/** A signer without its socket, over real codecs and a real journal. */
export function openBench(
  journalFile: string,
  rails: readonly TransferRail[] = [evmRail([ARBITRUM], EVM_KEYS), VENUE_RAIL],
  limits: Limits = LIMITS,
  keys: SignerConfig['binders'] = BINDERS,
  approval?: House['approval'],
): Bench {
  const clock = handClock();
  const memory = openMemory(VENUE, (entry, before) => metersOf(entry, before, limits, VENUE_CHARGE));
  const journal = openJournal(journalFile, TREE.journal, memory.witness);
  const house: House = {
    binders: { api: openChecker(keys.api), engine: openChecker(keys.engine) },
    approval,
    limits,
    bridge: { asset: USDC, address: BRIDGE, minimum: 5_000_000n },
    fills: atoms(900_000_000n),
    cold: { [USDC]: { address: COLD, perDay: atoms(1_000_000_000n) } },
  };
  const market = { chainId: VENUE, market: '10260', baseDecimals: 8, tokens: { [XMR1]: 8 } };
  const venue = hyperliquidRail(market, EVM_KEYS.key('hot'), NOBODY_ASKED);
  return { core: openCore({ house, rails, venue, journal, past: memory, clock }), journal, clock };
}
