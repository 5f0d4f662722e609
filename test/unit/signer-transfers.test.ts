import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { atoms } from '../../src/kernel/amount.ts';
import { bindDestination, bindFill } from '../../src/kernel/binding.ts';
import { chainId, type OrderId } from '../../src/kernel/ids.ts';
import { DAY_MS } from '../../src/signer/memory.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import { decodeEvm } from '../../src/world/chains/evm/codec.ts';
import * as bench from './signer-bench.ts';

const { openBench, payout, fund, own, intent, temporaryFolder } = bench;

const RAISED = { gas: '90000', maxFeePerGas: '120000000', maxPriorityFeePerGas: '1200000' };

async function signed(core: bench.Bench['core'], request: TransferRequest) {
  const answer = await core.transfer(request);
  assert.ok(!('refused' in answer), inspect(answer));
  return answer;
}

async function refused(core: bench.Bench['core'], request: TransferRequest): Promise<string | undefined> {
  const answer = await core.transfer(request);
  return 'refused' in answer ? answer.refused : undefined;
}

test('a payout is signed as asked, and asking again gives the same bytes, after a restart too', async (t) => {
  const file = join(temporaryFolder(t), 'journal');
  const first = openBench(file);
  const once = await signed(first.core, payout());
  const { from, nonce, transfer } = decodeEvm(once.raw);
  assert.deepEqual({ from, nonce }, { from: bench.HOT, nonce: 7 });
  assert.deepEqual(transfer, { asset: bench.USDC, to: bench.ALICE, atoms: 250_000_000n });
  assert.deepEqual(await signed(first.core, payout()), once);
  first.journal.close();
  const second = openBench(file);
  assert.deepEqual(await signed(second.core, payout()), once);
});

test('asked ten times at once, it signs once', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const answers = await Promise.all(Array.from({ length: 10 }, () => signed(core, payout())));
  assert.equal(new Set(answers.map(({ raw }) => raw)).size, 1);
});

test('an intent that was signed keeps its destination, asset, amount, account and nonce', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  await signed(core, payout());
  const bob = bench.evmAddress(`0x${'b0'.repeat(20)}`);
  assert.equal(await refused(core, payout({ to: bob })), 'intent_changed');
  assert.equal(await refused(core, payout({ asset: bench.ETH })), 'intent_changed');
  assert.equal(await refused(core, payout({ atoms: atoms(250_000_001n) })), 'amount_raised');
  assert.equal(await refused(core, payout({ atoms: atoms(249_999_999n) })), 'intent_changed');
  assert.equal(await refused(core, payout({ nonce: 8 })), 'nonce_changed');
  const asRefund = bindDestination(bench.API, bench.ORDER, 'refund', bench.USDC, bench.ALICE);
  assert.equal(await refused(core, payout({ kind: 'refund', binding: asRefund })), 'intent_changed');
});

test('a refund may leave the deposit account that holds the money, to its bound address alone', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const binding = bindDestination(bench.API, bench.ORDER, 'refund', bench.USDC, bench.ALICE);
  const refund = payout({ intent: intent(`${bench.ORDER}:refund:1`), kind: 'refund', from: { deposit: 5 }, binding });
  const { from, transfer } = decodeEvm((await signed(core, refund)).raw);
  assert.notEqual(from, bench.HOT);
  assert.equal(transfer.to, bench.ALICE);
  const bob = bench.evmAddress(`0x${'b0'.repeat(20)}`);
  assert.equal(
    await refused(core, { ...refund, intent: intent(`${bench.ORDER}:refund:2`), to: bob }),
    'unbound_destination',
  );
});

test('a token that nobody listed goes back from the account that it came to, and never from the hot one', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const binding = bindDestination(bench.API, bench.ORDER, 'refund', bench.ETH, bench.ALICE);
  const refund = payout({ intent: intent(`${bench.ORDER}:refund:1`), kind: 'refund', asset: bench.ETH, binding });
  assert.equal(await refused(core, refund), 'no_limit_set');
  const { transfer } = decodeEvm((await signed(core, { ...refund, from: { deposit: 5 } })).raw);
  assert.deepEqual([transfer.asset, transfer.to], [bench.ETH, bench.ALICE]);
});

test('a replacement keeps the nonce and outbids; a smaller raise gets the bytes that exist', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const once = await signed(core, payout());
  const nudged = { ...RAISED, maxFeePerGas: '105000000' };
  assert.deepEqual(await signed(core, payout({ fee: nudged })), once);
  const replaced = await signed(core, payout({ fee: RAISED }));
  assert.notEqual(replaced.raw, once.raw);
  assert.deepEqual(replaced.consumes, once.consumes);
  assert.deepEqual(await signed(core, payout()), replaced);
  const absurd = { ...RAISED, maxFeePerGas: '1000000000000', maxPriorityFeePerGas: '2000000' };
  assert.equal(await refused(core, payout({ fee: absurd })), 'cost_over_cap');
});

test('a nonce never serves two intents', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  await signed(core, payout());
  assert.equal(await refused(core, payout({ owner: bench.OTHER_ORDER })), 'nonce_taken');
  const both = await Promise.all([
    core.transfer(payout({ owner: bench.OTHER_ORDER, nonce: 8, atoms: atoms(1n) })),
    core.transfer(payout({ intent: intent(`${bench.ORDER}:payout:1`), nonce: 8, atoms: atoms(1n) })),
  ]);
  assert.deepEqual(
    both.map((answer) => 'refused' in answer && answer.refused),
    [false, 'nonce_taken'],
  );
});

test('only a destination that was bound to this order, purpose and asset is paid', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const charterOf = (order: OrderId) => bench.charter(order, bench.USDC, bench.ALICE);
  const elsewhere = (change: Partial<TransferRequest> = {}) =>
    payout({ to: bench.PROVIDER, charter: charterOf(bench.ORDER), ...change });
  const { binding: genuine = '', ...unbound } = elsewhere();
  assert.equal(await refused(core, unbound), 'unbound_destination');
  assert.equal(await refused(core, elsewhere({ binding: '00'.repeat(64) })), 'unbound_destination');
  assert.equal(await refused(core, elsewhere({ to: bench.MALLORY, binding: genuine })), 'unbound_destination');
  const charter = charterOf(bench.OTHER_ORDER);
  const other = elsewhere({ owner: bench.OTHER_ORDER, charter, binding: genuine });
  assert.equal(await refused(core, other), 'unbound_destination');
  assert.equal(await refused(core, elsewhere({ asset: bench.ETH, binding: genuine })), 'unbound_destination');
  assert.equal(await refused(core, elsewhere({ kind: 'refund', binding: genuine })), 'unbound_destination');
  assert.equal(await refused(core, payout({ owner: 'treasury' })), 'wrong_kind');
  assert.equal(await refused(core, payout({ from: { deposit: 5 } })), 'wrong_account');
  await signed(core, elsewhere({ binding: genuine }));
});

test('a provider is paid by the hot account, at the address that was bound for that and nothing else', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const { binding: genuine = '', ...unbound } = fund();
  assert.equal(await refused(core, unbound), 'unbound_destination');
  for (const purpose of ['payout', 'refund', 'fee'] as const) {
    const binding = bindDestination(bench.ENGINE, bench.ORDER, purpose, bench.USDC, bench.PROVIDER);
    assert.equal(await refused(core, fund({ binding })), 'unbound_destination');
  }
  const charter = bench.charter(bench.ORDER, bench.USDC, bench.ALICE);
  assert.equal(await refused(core, payout({ to: bench.PROVIDER, binding: genuine, charter })), 'unbound_destination');
  assert.equal(await refused(core, fund({ to: bench.MALLORY, binding: genuine })), 'unbound_destination');
  assert.equal(await refused(core, fund({ from: { deposit: 5 } })), 'wrong_account');
  assert.equal(await refused(core, fund({ owner: 'treasury', intent: intent('treasury:fund:0') })), 'wrong_kind');
  const once = await signed(core, fund());
  assert.equal(decodeEvm(once.raw).transfer.to, bench.PROVIDER);
  assert.deepEqual(await signed(core, fund()), once);
});

test('what a provider is paid counts against the limits like any payment', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  assert.equal(await refused(core, fund({ atoms: atoms(1_000_000_001n) })), 'over_transfer_limit');
  await signed(core, fund({ atoms: atoms(1_000_000_000n) }));
  assert.equal(await refused(core, payout({ nonce: 8, atoms: atoms(500_000_001n) })), 'over_daily_limit');
  await signed(core, payout({ nonce: 8, atoms: atoms(500_000_000n) }));
});

test('gas goes only to our own deposit address, in native coin, under the cap', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const gas = (change: Partial<TransferRequest>) =>
    own({ kind: 'gas', asset: bench.ETH, atoms: atoms(10n ** 15n), to: bench.DEPOSIT_5, toDeposit: 5, ...change });
  assert.equal(await refused(core, gas({ to: bench.MALLORY })), 'not_our_deposit');
  assert.equal(await refused(core, gas({ toDeposit: 6 })), 'not_our_deposit');
  assert.equal(await refused(core, gas({ asset: bench.USDC })), 'gas_not_native');
  assert.equal(await refused(core, gas({ atoms: atoms(10n ** 16n + 1n) })), 'gas_over_cap');
  assert.equal((await signed(core, gas({}))).chainId, bench.ARBITRUM);
});

test('a sweep goes from a deposit account to the hot account', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const sweep = (change: Partial<TransferRequest>) =>
    own({ kind: 'sweep', from: { deposit: 5 }, to: bench.HOT, nonce: 0, ...change });
  assert.equal(await refused(core, sweep({ to: bench.MALLORY })), 'not_our_account');
  assert.equal(await refused(core, sweep({ from: 'hot' })), 'wrong_account');
  const { raw } = await signed(core, sweep({}));
  assert.equal(decodeEvm(raw).from, bench.DEPOSIT_5);
});

test('a rebalance goes to the bridge or to ourselves, and never too little to the bridge', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const move = (leg: number, change: Partial<TransferRequest>) =>
    own({ kind: 'rebalance', intent: intent(`treasury:rebalance:${leg}`), nonce: leg, ...change });
  assert.equal(await refused(core, move(1, { to: bench.MALLORY })), 'not_our_account');
  assert.equal(await refused(core, move(1, { to: bench.BRIDGE, asset: bench.ETH })), 'not_our_account');
  assert.equal(await refused(core, move(1, { to: bench.BRIDGE, atoms: atoms(4_999_999n) })), 'below_bridge_minimum');
  await signed(core, move(1, { to: bench.BRIDGE, atoms: atoms(5_000_000n) }));
  assert.equal(await refused(core, move(2, { to: bench.COLD })), 'not_our_account');
  await signed(core, move(3, { to: bench.HOT, asset: bench.ETH, atoms: atoms(0n) }));
});

test('what is too much goes to the cold store of its asset, as much as a day allows, and uses nobody’s limit', async (t) => {
  const file = join(temporaryFolder(t), 'journal');
  const { core, journal } = openBench(file);
  const put = (leg: number, change: Partial<TransferRequest> = {}) =>
    own({ kind: 'cold', intent: intent(`treasury:cold:${leg}`), nonce: leg, to: bench.COLD, ...change });
  assert.equal(await refused(core, put(1, { to: bench.MALLORY })), 'not_our_account');
  assert.equal(await refused(core, put(1, { asset: bench.ETH })), 'not_our_account');
  assert.equal(await refused(core, put(1, { from: { deposit: 5 } })), 'wrong_account');
  assert.equal(await refused(core, put(1, { atoms: atoms(1_000_000_001n) })), 'over_daily_limit');
  const { raw } = await signed(core, put(1, { atoms: atoms(900_000_000n) }));
  assert.equal((await signed(core, put(1, { atoms: atoms(900_000_000n) }))).raw, raw, 'asked again, the same bytes');
  assert.equal(await refused(core, put(1, { atoms: atoms(900_000_000n), nonce: 9 })), 'nonce_changed');
  assert.equal(await refused(core, put(2, { atoms: atoms(100_000_001n) })), 'over_daily_limit');
  journal.close();
  const again = openBench(file);
  assert.equal(await refused(again.core, put(2, { atoms: atoms(100_000_001n) })), 'over_daily_limit');
  await signed(again.core, payout({ nonce: 3, atoms: atoms(1_000_000_000n) }));
  again.clock.advance(DAY_MS + 1);
  await signed(again.core, put(2, { atoms: atoms(1_000_000_000n) }));
});

test('stock is bought where the engine agreed, within its own limits and one more, and not at all where none is set', async (t) => {
  const file = join(temporaryFolder(t), 'journal');
  const { core, journal } = openBench(file);
  const buy = (leg: number, change: Partial<TransferRequest> = {}) =>
    own({
      ...{ kind: 'fill', intent: intent(`treasury:fill:${leg}`), nonce: leg, to: bench.PROVIDER },
      ...{ binding: bindFill(bench.ENGINE, bench.USDC, bench.PROVIDER), atoms: atoms(100_000_000n), ...change },
    });
  assert.equal(await refused(core, buy(1, { to: bench.MALLORY })), 'unbound_destination');
  const byApi = bindFill(bench.API, bench.USDC, bench.PROVIDER);
  assert.equal(await refused(core, buy(1, { binding: byApi })), 'unbound_destination');
  assert.equal(await refused(core, buy(1, { atoms: atoms(1_000_000_001n) })), 'over_daily_limit');
  await signed(core, buy(1, { atoms: atoms(800_000_000n) }));
  assert.equal(await refused(core, buy(2, { atoms: atoms(100_000_001n) })), 'over_daily_limit');
  journal.close();
  const again = openBench(file);
  assert.equal(await refused(again.core, buy(2, { atoms: atoms(100_000_001n) })), 'over_daily_limit');
  await signed(again.core, buy(2));
});

test('limits hold per transfer and over any 24 hours, and a replacement is not counted twice', async (t) => {
  const file = join(temporaryFolder(t), 'journal');
  const { core, clock, journal } = openBench(file);
  const leg = (n: number, value: bigint) =>
    payout({ intent: intent(`${bench.ORDER}:payout:${n}`), nonce: n, atoms: atoms(value) });
  assert.equal(await refused(core, leg(1, 1_000_000_001n)), 'over_transfer_limit');
  await signed(core, leg(1, 1_000_000_000n));
  await signed(core, { ...leg(1, 1_000_000_000n), fee: RAISED });
  clock.advance(DAY_MS / 2);
  await signed(core, leg(2, 500_000_000n));
  assert.equal(await refused(core, leg(3, 1n)), 'over_daily_limit');
  journal.close();
  const again = openBench(file);
  again.clock.advance(DAY_MS / 2);
  assert.equal(await refused(again.core, leg(3, 1n)), 'over_daily_limit');
  again.clock.advance(DAY_MS / 2 + 1);
  await signed(again.core, leg(3, 1_000_000_000n));
  assert.equal(await refused(again.core, leg(4, 1n)), 'over_daily_limit');
});

test('two payments at once cannot pass one limit together', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const legs = [1, 2].map((n) =>
    core.transfer(payout({ intent: intent(`${bench.ORDER}:payout:${n}`), nonce: n, atoms: atoms(800_000_000n) })),
  );
  const answers = await Promise.all(legs);
  assert.deepEqual(
    answers.map((answer) => 'refused' in answer && answer.refused),
    [false, 'over_daily_limit'],
  );
});

test('what has no limit cannot leave, and what cannot be built is refused with a reason', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  assert.equal(await refused(core, payout({ asset: bench.ETH })), 'no_limit_set');
  assert.equal(await refused(core, payout({ chainId: chainId(10) })), 'unknown_chain');
  assert.equal(await refused(core, payout({ asset: bench.XMR1 })), 'foreign_asset');
  assert.equal(await refused(core, payout({ to: bench.ALICE.toLowerCase() as typeof bench.ALICE })), 'bad_address');
  assert.equal(await refused(core, payout({ fee: {} })), 'cannot_build');
  assert.equal(await refused(core, payout({ atoms: atoms(2n ** 256n) })), 'cannot_build');
  assert.equal(await refused(core, payout({ atoms: atoms(0n) })), 'nothing_to_pay');
  assert.equal(await refused(core, payout({ intent: intent(`${bench.OTHER_ORDER}:payout:0`) })), 'bad_intent');
  const { nonce: _, ...slotless } = payout();
  assert.equal(await refused(core, slotless), 'bad_nonce');
});

test('a listed asset in another spelling is refused before anything is built: limits and meters know one spelling', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  for (const [asset, reason] of [
    [bench.USDC.toLowerCase(), 'cannot_build'],
    [bench.USDC.toUpperCase(), 'cannot_build'],
    [`0${bench.USDC}`, 'foreign_asset'],
    [`0000${bench.USDC}`, 'foreign_asset'],
  ] as const) {
    const spelt = asset as typeof bench.USDC;
    // Of a deposit account a token that nobody lists may leave without a limit: no listed one may pass for such.
    for (const kind of ['payout', 'refund'] as const) {
      const binding = bindDestination(bench.API, bench.ORDER, kind, spelt, bench.ALICE);
      const from = kind === 'refund' ? { deposit: 5 } : 'hot';
      const ask = payout({ intent: intent(`${bench.ORDER}:${kind}:0`), kind, from, asset: spelt, binding });
      assert.equal(await refused(core, ask), reason, asset);
    }
  }
});
