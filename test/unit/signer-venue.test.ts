import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import type { Address } from '../../src/kernel/ids.ts';
import type { Answer } from '../../src/signer/core.ts';
import type { MoveRequest } from '../../src/signer/request.ts';
import type { SignedTransfer } from '../../src/world/chains/chain.ts';
import type { SignedAction } from '../../src/world/venues/venue.ts';
import * as bench from './signer-bench.ts';

const { openBench, trade, sendHome, intent, temporaryFolder } = bench;

const nameOf = (answer: Answer<SignedAction | SignedTransfer>) => ('refused' in answer ? answer.refused : undefined);

test('a ticket is signed once: the same bytes again, and nothing else under its client id or its nonce', async (t) => {
  const file = join(temporaryFolder(t), 'journal');
  const { core, journal } = openBench(file);
  const once = await core.trade(trade());
  assert.equal(nameOf(once), undefined);
  assert.deepEqual(await core.trade(trade()), once);
  assert.equal(nameOf(await core.trade(trade({ limit: '160' }))), 'trade_changed');
  assert.equal(nameOf(await core.trade(trade({ nonce: 1_700_000_000_009 }))), 'trade_changed');
  assert.equal(nameOf(await core.trade(trade({ clientId: `0x${'0d'.repeat(16)}` }))), 'nonce_taken');
  journal.close();
  assert.deepEqual(await openBench(file).core.trade(trade()), once);
});

test('trades keep to their market, size, value and price', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  assert.equal(nameOf(await core.trade({ ...trade(), wire: { asset: '10261', decimals: '8' } })), 'cannot_build');
  assert.equal(nameOf(await core.trade({ ...trade(), wire: { asset: '10260', decimals: '0' } })), 'cannot_build');
  assert.equal(nameOf(await core.trade(trade({ size: atoms(1_000_000_001n) }))), 'size_over_cap');
  assert.equal(nameOf(await core.trade(trade({ size: atoms(1_000_000_000n), limit: '200.01' }))), 'notional_over_cap');
  assert.equal(nameOf(await core.trade(trade({ limit: '1001' }))), 'price_out_of_bounds');
  assert.equal(nameOf(await core.trade(trade({ limit: '0.5', side: 'sell' }))), 'price_out_of_bounds');
  assert.equal(nameOf(await core.trade(trade({ size: atoms(0n) }))), 'nothing_to_pay');
  const large = { size: atoms(1_000_000_000n), limit: '200' } as const;
  assert.equal(nameOf(await core.trade(trade(large))), undefined);
  const next = { ...large, clientId: `0x${'0e'.repeat(16)}`, nonce: 1_700_000_000_002 } as const;
  assert.equal(nameOf(await core.trade(trade(next))), 'over_daily_limit');
});

test('a send is signed once, and shares its nonces with trades', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const once = await core.move(sendHome());
  assert.equal(nameOf(once), undefined);
  assert.deepEqual(await core.move(sendHome()), once);
  assert.equal(nameOf(await core.trade(trade({ nonce: 1_700_000_000_001 }))), 'nonce_taken');
  const { move } = sendHome();
  assert.equal(nameOf(await core.move(sendHome({ move: { ...move, nonce: 5 } }))), 'intent_changed');
  assert.equal(nameOf(await core.move(sendHome({ move: { ...move, atoms: atoms(1n) } }))), 'intent_changed');
});

test('payments, trades and moves of the venue account share its nonces, also when they come at once', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const nonce = 1_700_000_000_001;
  const [paid, traded, moved] = await Promise.all([
    core.transfer(bench.venuePayout({ nonce })),
    core.trade(trade({ nonce })),
    core.move(sendHome()),
  ]);
  assert.ok('raw' in paid);
  assert.equal(nameOf(traded), 'nonce_taken');
  assert.equal(nameOf(moved), 'nonce_taken');
  assert.equal(nameOf(await core.trade(trade({ nonce: nonce + 1 }))), undefined);
  const next = { intent: intent(`${bench.ORDER}:payout:2`), nonce: nonce + 1 };
  const second = await core.transfer(bench.venuePayout(next));
  assert.equal('refused' in second && second.refused, 'nonce_taken');
});

test('a send needs a known token and its true decimals, and pays no order: that is for transfers', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const { move, wire } = sendHome();
  assert.ok(move.move === 'send');
  const toAlice = { ...move, to: bench.ALICE };
  assert.equal(nameOf(await core.move(sendHome({ move: toAlice }))), 'not_our_account');
  assert.equal(nameOf(await core.move(sendHome({ wire: { ...wire, decimals: '0' } }))), 'cannot_build');
  const imposter = { ...wire, token: 'XMR1:0xbb2057659bd378d17e2e151bb04bdcab' };
  assert.equal(nameOf(await core.move(sendHome({ wire: imposter }))), 'cannot_build');
  for (const kind of ['payout', 'refund', 'fee', 'fund', 'sweep', 'gas'] as const) {
    assert.equal(nameOf(await core.move(sendHome({ kind }))), 'wrong_kind');
    const ofOrder = { owner: bench.ORDER, intent: intent(`${bench.ORDER}:payout:0`), kind, move: toAlice };
    assert.equal(nameOf(await core.move(sendHome(ofOrder))), 'wrong_kind', kind);
  }
});

test('the treasury moves money between our own pockets only', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const own = (leg: number, move: MoveRequest['move']): MoveRequest => ({
    intent: intent(`treasury:rebalance:${leg}`),
    owner: 'treasury',
    kind: 'rebalance',
    move,
    wire: {},
  });
  const some = atoms(500_00000000n);
  const withdraw = { move: 'withdraw', atoms: some, to: bench.HOT, nonce: 1 } as const;
  assert.equal(nameOf(await core.move(own(1, { ...withdraw, to: bench.MALLORY }))), 'not_our_account');
  assert.equal(nameOf(await core.move(own(1, { ...withdraw, atoms: atoms(some + 1n) }))), 'cannot_build');
  assert.equal(nameOf(await core.move({ ...own(1, withdraw), kind: 'payout' })), 'wrong_kind');
  assert.equal(nameOf(await core.move(own(1, withdraw))), undefined);
  assert.equal(nameOf(await core.move(own(2, { move: 'to_trading', atoms: some, nonce: 2 }))), undefined);
  assert.equal(nameOf(await core.move(own(3, { move: 'to_transit', atoms: some, nonce: 3 }))), undefined);
  const { move, wire } = sendHome({}, bench.ALICE);
  assert.equal(nameOf(await core.move({ ...own(4, move), wire })), 'not_our_account');
});

const moveOwn = (nonce: number, value: bigint): MoveRequest => ({
  ...{ intent: intent(`treasury:rebalance:${nonce}`), owner: 'treasury', kind: 'rebalance', wire: {} },
  move: { move: 'withdraw', atoms: atoms(value), to: bench.HOT, nonce },
});
const DOLLAR = 10n ** 8n;

test('whoever asks for withdrawals again and again burns no more of their fee than a day may cost', async (t) => {
  const { core, clock } = openBench(join(temporaryFolder(t), 'journal'));
  assert.equal(nameOf(await core.move(moveOwn(1, (101n * DOLLAR) / 100n))), 'below_bridge_minimum');
  assert.equal(nameOf(await core.move(moveOwn(1, 99n * DOLLAR))), 'below_bridge_minimum');
  for (const nonce of [1, 2, 3]) assert.equal(nameOf(await core.move(moveOwn(nonce, 100n * DOLLAR))), undefined);
  assert.equal(nameOf(await core.move(moveOwn(4, 100n * DOLLAR))), 'over_daily_cost');
  assert.equal(nameOf(await core.move(moveOwn(3, 100n * DOLLAR))), undefined, 'the same bytes cost nothing more');
  clock.advance(25 * 3_600_000);
  assert.equal(nameOf(await core.move(moveOwn(4, 100n * DOLLAR))), undefined);
});

test('an account that was never paid counts as one to be opened, whatever the caller says', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const unsaid = { ...bench.venuePayout().fee, opening: '0' };
  const crumb = (number: number, to: Address) => {
    const about = { intent: intent(`${bench.ORDER}:payout:${number}`), nonce: 100 + number, to };
    return core.transfer(bench.venuePayout({ ...about, atoms: atoms(1n), fee: unsaid }));
  };
  const stranger = (number: number) => bench.evmAddress(`0x${String(number).repeat(40)}`);
  for (const number of [1, 2, 3]) {
    const signed = await crumb(number, stranger(number));
    assert.equal('cost' in signed ? signed.cost : nameOf(signed), DOLLAR);
  }
  assert.equal(nameOf(await crumb(4, stranger(4))), 'over_daily_cost');
  const again = await crumb(5, stranger(1));
  assert.equal('cost' in again ? again.cost : nameOf(again), 0n, 'it is opened once at most');
});
