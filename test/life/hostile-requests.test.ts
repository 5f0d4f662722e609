import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startHyperliquid } from '../../sandbox/simulators/hyperliquid/server.ts';
import type { Config } from '../../src/app/config.ts';
import { withPart } from '../../src/app/pointer.ts';
import { signerConfigOf, signerLimitsOf } from '../../src/app/wiring/signer.ts';
import { worstCases } from '../../src/app/worst-case.ts';
import { parseUnits } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import type { AssetId } from '../../src/kernel/ids.ts';
import { scaleInt } from '../../src/kernel/ratio.ts';
import type { RefusalName } from '../../src/signer/verdict.ts';
import { OPENING_FEE } from '../../src/world/venues/hyperliquid/codec.ts';
import { exampleSettings } from '../unit/example-settings.ts';
import { read } from '../unit/proof-tables.ts';
import { ARBITRUM, ETH, payout, VENUE, VENUE_USDC } from '../unit/signer-bench.ts';
import { greedyCaller } from './greedy-caller.ts';
import { AMOUNTS, REPEATS } from './hostile-amounts.ts';
import { DESTINATIONS } from './hostile-destinations.ts';
import { FORMS } from './hostile-forms.ts';
import { AT_THE_API, FRAMES } from './hostile-frames.ts';
import { LOANS } from './hostile-loans.ts';
import { everyFamily, type Hostile, reasonOf, startHostile, transfer } from './hostile-room.ts';
import { VENUE_REQUESTS } from './hostile-venue.ts';

/** Whose socket it is. */
const SOCKETS = { engine: 'engine', api: 'API' } as const;

const HOSTILE: readonly Hostile[] = [
  ...[...FRAMES, ...AT_THE_API, ...FORMS, ...DESTINATIONS],
  ...[...LOANS, ...REPEATS, ...VENUE_REQUESTS, ...AMOUNTS],
];

test('every hostile request is refused, for the reason that is its own', async (t) => {
  const room = await everyFamily(t);
  const found: string[] = [];
  for (const { tries, door, refused, first, asks } of HOSTILE) {
    await first?.(room);
    const reply = await room.ask(door, asks(room));
    const reason = reasonOf(reply);
    if (reason !== refused) found.push(`${tries}: ${reason}, not ${refused}`);
  }
  assert.deepEqual(found, []);
  assert.ok(HOSTILE.length >= 50, `${HOSTILE.length} hostile requests`);
});

/** Every reason that the signer has, and whether a caller alone can bring it about. */
const REASONS: Readonly<Record<RefusalName, boolean>> = {
  unknown_chain: true,
  cannot_build: true,
  foreign_asset: true,
  bad_address: true,
  bad_intent: true,
  bad_nonce: true,
  wrong_account: true,
  wrong_kind: true,
  unknown_order: true,
  unbound_destination: true,
  over_order_amount: true,
  over_engine_limit: true,
  approval_awaited: true,
  not_our_deposit: true,
  gas_not_native: true,
  gas_over_cap: true,
  loan_over_cap: true,
  not_our_account: true,
  below_bridge_minimum: true,
  nothing_to_pay: true,
  intent_changed: true,
  amount_raised: true,
  nonce_changed: true,
  nonce_taken: true,
  never_expires: true,
  never_signed: true,
  buried_too_often: false,
  no_limit_set: true,
  over_transfer_limit: true,
  over_daily_limit: true,
  over_daily_cost: true,
  cost_over_cap: true,
  signed_otherwise: false,
  trade_changed: true,
  size_over_cap: true,
  notional_over_cap: true,
  price_out_of_bounds: true,
};

test('no reason to refuse is left untried, but for what only a broken codec or a signer without approvers brings about', () => {
  const tried = new Set(HOSTILE.map(({ refused }) => refused));
  for (const [reason, isTried] of Object.entries(REASONS)) assert.equal(tried.has(reason), isTried, reason);
});

test('docs/SIGNER.md lists every one of them, in this order', () => {
  const cells = (line: string) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
  const rows = read('docs/SIGNER.md')
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map(cells);
  const told = HOSTILE.map(({ tries, door, refused }, at) => [
    `${at + 1}`,
    SOCKETS[door],
    tries,
    `\`${refused.trim()}\``,
  ]);
  assert.deepEqual(rows, told);
});

/** The example that comes with the product, on the chains whose keys need no wallet beside the signer. */
const settings = (usdPerDay: string): Config =>
  exampleSettings((limits) => {
    const none = { perTransfer: '0', perDay: '0', floorUsd: '150' };
    const still = { gas: '0', gasPerDay: '0', cost: '0', costPerDay: '0' };
    const withoutMonero = withPart(withPart(limits, '/assets/XMR', none), '/chains/Monero', still);
    return withPart(withoutMonero, '/usdPerDay', usdPerDay);
  });

async function greedy(t: TestContext, config: Config) {
  const [limits, { venue }] = [signerLimitsOf(config), signerConfigOf(config)];
  // A desk that has not traded yet: nothing but the settings says what a price is.
  const untraded = await startHyperliquid();
  t.after(() => untraded.close());
  const room = await startHostile(t, (base) => ({ ...base, venue: { ...venue, url: untraded.url }, limits }));
  const floorOf = (asset: AssetId) => present(limits.assets[asset], asset).floor;
  const usd = (asset: AssetId, atoms: bigint): bigint => scaleInt(atoms, floorOf(asset), 'down');
  return { room, limits, usd, caller: greedyCaller(room, limits, venue.tokens) };
}

const sum = (values: readonly bigint[]): bigint => values.reduce((total, one) => total + one, 0n);
const CENT = 10_000n;
/** Millionths of a dollar, as they are shown in cents. */
const shown = (usd: string): bigint => present(parseUnits(usd, 6), 'dollars');

const partsOf = (config: Config, taken: string) =>
  present(
    worstCases(config).find((one) => one.taken === taken),
    taken,
  ).parts;

function expectComputed(config: Config, taken: readonly bigint[]): void {
  for (const [at, signed] of taken.entries()) {
    const { what, usd } = present(partsOf(config, 'engine')[at], 'part');
    const apart = shown(usd) - signed;
    assert.ok(apart < CENT && apart > -CENT, `${what}: ${signed} were signed, ${usd} are computed`);
  }
}

test('what `wherry limits` computes is what a taken engine can take: in every asset, in fees, and by trades', async (t) => {
  const config = settings('1000000');
  const { room, limits, usd, caller } = await greedy(t, config);
  const paid = sum([...(await caller.payouts())].map(([asset, atoms]) => usd(asset, atoms)));
  // The venue took a dollar to open the account of the thief, which he did not speak of; it charges withdrawals to ourselves as well.
  const charged = OPENING_FEE + (await caller.withdrawals(3)) + (await caller.fees(VENUE, VENUE_USDC));
  const burned = usd(ETH, await caller.fees(ARBITRUM, ETH)) + usd(VENUE_USDC, charged);
  const { sold, bought } = await caller.trades();
  // Sold at the lowest price while it was worth the highest, and bought the other way round.
  const { least, most } = limits.trades.price;
  const band = most.num * least.den - least.num * most.den;
  const lost = (sold * band) / (most.den * least.den) + (bought * band) / (most.num * least.den);
  const returned = sum([...(await caller.refunds())].map(([asset, atoms]) => usd(asset, atoms)));
  expectComputed(config, [paid, burned, returned, usd(VENUE_USDC, lost)]);
  // Whoever takes the API has its orders paid by an honest engine, which trades at honest prices, and signs nothing.
  assert.deepEqual(partsOf(config, 'api'), partsOf(config, 'engine').slice(0, 3));
  assert.equal(reasonOf(await room.ask('api', transfer(payout()))), 'not_found');
});

test('where the limit in dollars binds first, no more than that can be taken of all assets together', async (t) => {
  const config = settings('20000');
  const { usd, caller } = await greedy(t, config);
  const inAll = (taken: ReadonlyMap<AssetId, bigint>) => sum([...taken].map(([asset, atoms]) => usd(asset, atoms)));
  const [paid, returned] = [inAll(await caller.payouts()), inAll(await caller.refunds())];
  expectComputed(config, [paid]);
  assert.ok(paid - returned < CENT && returned - paid < CENT, 'as much once more out of deposit accounts');
});

test('on its own word, without orders of the thief, an engine can take what its own limit says', async (t) => {
  const config = settings('20000');
  const { limits, caller } = await greedy(t, config);
  assert.equal(await caller.deals(), limits.engine.usdPerDay, 'dollars of six decimals are millionths of a dollar');
});
