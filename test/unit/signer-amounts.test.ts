import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Atoms, atoms } from '../../src/kernel/amount.ts';
import { bindAmount, bindDestination, openBinder, writeCharter } from '../../src/kernel/binding.ts';
import type { AssetId, OrderId } from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import type { Limits } from '../../src/signer/limits.ts';
import { DAY_MS } from '../../src/signer/memory.ts';
import { evmRail } from '../../src/signer/rails/evm.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import * as bench from './signer-bench.ts';

const { ALICE, API, ARBITRUM, ENGINE, ETH, EVM_KEYS, MALLORY, ORDER, OTHER_ORDER, PROVIDER, USDC } = bench;
const { fund, intent, openBench, payout, temporaryFolder } = bench;

const usd = (dollars: number): Atoms => atoms(BigInt(dollars) * 1_000_000n);

/** A dollar is a million atoms of USDC; half of what may leave in a day may do so on the engine's word. */
const LIMITS: Limits = {
  ...bench.LIMITS,
  assets: {
    ...bench.LIMITS.assets,
    [USDC]: { perTransfer: usd(1_000), perDay: usd(10_000), floor: { num: 1n, den: 1n } },
  },
  usdPerDay: usd(10_000),
  engine: { usdPerTransfer: usd(300), usdPerDay: usd(500) },
};

const RAILS = [evmRail([ARBITRUM], EVM_KEYS)];
const desk = (t: TestContext, limits: Limits = LIMITS) => openBench(join(temporaryFolder(t), 'journal'), RAILS, limits);

type Core = ReturnType<typeof desk>['core'];
const told = async (core: Core, request: TransferRequest): Promise<string> => {
  const answer = await core.transfer(request);
  return 'refused' in answer ? answer.refused : 'signed';
};

/** An order of a hundred dollars: it gives ether and gets USDC at Alice's, at most 110. */
const GIVES = { asset: ETH, most: atoms(10n ** 17n) };
const charterOf = (order: OrderId = ORDER, by = API) =>
  writeCharter(by, order, { gives: GIVES, gets: { asset: USDC, most: usd(110), address: ALICE }, places: [] });

const nth = (kind: string, n: number, owner: OrderId = ORDER) => ({
  intent: intent(`${owner}:${kind}:${n}`),
  nonce: n,
});

const pay = (n: number, dollars: number, change: Partial<TransferRequest> = {}): TransferRequest =>
  payout({ ...nth('payout', n), atoms: usd(dollars), charter: charterOf(), ...change });

/** Of what the order gave, back to an address that somebody bound. */
const back = (n: number, value: bigint, by = API, to = ALICE): TransferRequest =>
  payout({
    ...{ ...nth('refund', n), kind: 'refund', asset: ETH, atoms: atoms(value), to, charter: charterOf() },
    binding: bindDestination(by, ORDER, 'refund', ETH, to),
  });

const raise = (request: TransferRequest, most: Atoms, by = ENGINE, of: OrderId = ORDER): TransferRequest => ({
  ...request,
  raised: { most, binding: bindAmount(by, of, request.kind as 'payout', request.asset, most) },
});

/** With ether listed, so that it may leave the hot account: a hundred dollars for a tenth. */
const WITH_ETHER: Limits = {
  ...LIMITS,
  assets: {
    ...LIMITS.assets,
    [ETH]: { perTransfer: 'unlimited', perDay: 'unlimited', floor: { num: 1_000n, den: 10n ** 12n } },
  },
};

test('an order is paid no more than it was made for, in all of its payments together', async (t) => {
  const { core } = desk(t);
  assert.equal(await told(core, pay(1, 111)), 'over_order_amount');
  assert.equal(await told(core, pay(1, 60)), 'signed');
  assert.equal(await told(core, pay(2, 51)), 'over_order_amount');
  assert.equal(await told(core, pay(2, 50)), 'signed');
  assert.equal(await told(core, pay(3, 1)), 'over_order_amount');
  const boundless = { ...pay(3, 1_000), charter: bench.charter(ORDER, USDC, ALICE) };
  assert.equal(await told(core, boundless), 'signed', 'made for more, the same order is paid more');
});

test('what an order was paid is remembered over a restart', async (t) => {
  const file = join(temporaryFolder(t), 'journal');
  const first = openBench(file, RAILS, LIMITS);
  assert.equal(await told(first.core, pay(1, 110)), 'signed');
  first.journal.close();
  assert.equal(await told(openBench(file, RAILS, LIMITS).core, pay(2, 1)), 'over_order_amount');
});

test('the same intent signed again, or outbid, is no second payment', async (t) => {
  const { core } = desk(t);
  const higher = { gas: '90000', maxFeePerGas: '120000000', maxPriorityFeePerGas: '1200000' };
  assert.equal(await told(core, pay(1, 110)), 'signed');
  assert.equal(await told(core, pay(1, 110)), 'signed');
  assert.equal(await told(core, pay(1, 110, { fee: higher })), 'signed');
  assert.equal(await told(core, pay(2, 1)), 'over_order_amount');
});

test('payments of one order that are asked for at once, from two accounts, cannot pass its amount together', async (t) => {
  const { core } = desk(t, WITH_ETHER);
  const all = GIVES.most;
  const answers = await Promise.all([
    told(core, back(1, all)),
    told(core, { ...back(2, all), from: { deposit: 5 } }),
    told(core, { ...back(3, all), from: { deposit: 6 } }),
  ]);
  assert.deepEqual(answers.sort(), ['over_order_amount', 'over_order_amount', 'signed']);
});

test('an order is paid out or given back, or a part of each, and never both', async (t) => {
  const { core } = desk(t, WITH_ETHER);
  const tenth = GIVES.most / 10n;
  assert.equal(await told(core, back(1, GIVES.most + 1n)), 'over_order_amount', 'no more goes back than was asked for');
  assert.equal(await told(core, pay(2, 55)), 'signed', 'a half is paid');
  assert.equal(await told(core, back(3, 6n * tenth)), 'over_order_amount');
  assert.equal(await told(core, back(3, 4n * tenth)), 'signed', 'four tenths go back');
  assert.equal(await told(core, pay(4, 12)), 'over_order_amount');
  assert.equal(await told(core, pay(4, 11)), 'signed', 'and the last tenth is paid');
  assert.equal(await told(core, back(5, 1n)), 'over_order_amount');
});

test('a payment of an order that was never made is refused, whatever else it has', async (t) => {
  const { core } = desk(t);
  const stranger = openBinder(new Secret(new Uint8Array(32).fill(66)));
  const { charter: _, ...bare } = pay(1, 1);
  const [gives, most, ...rest] = charterOf().split(' ');
  for (const [charter, why] of [
    [undefined, 'no charter'],
    ['', 'an empty one'],
    [charterOf(OTHER_ORDER), 'that of another order'],
    [charterOf(ORDER, ENGINE), 'one by the engine, who takes no orders'],
    [charterOf(ORDER, stranger), 'one by a stranger'],
    [[gives, `${most}0`, ...rest].join(' '), 'a genuine one with another amount'],
    [charterOf().slice(0, -2), 'a genuine one cut short'],
    [`${charterOf()} `, 'a genuine one with a tail'],
  ] as const)
    assert.equal(await told(core, charter === undefined ? bare : { ...bare, charter }), 'unknown_order', why);
  const gets = { asset: USDC, most: usd(1), address: ALICE };
  const nothing = { gives: { ...GIVES, most: atoms(0n) }, gets, places: [] };
  assert.equal(
    await told(core, { ...bare, charter: writeCharter(API, ORDER, nothing) }),
    'unknown_order',
    'for nothing',
  );
  const { charter: __, ...deal } = fund({ atoms: usd(1) });
  assert.equal(await told(core, deal), 'unknown_order', 'the engine cannot deal for an order that was never made');
});

test('an overpayment that is credited is bound again by the engine, and only what is beyond counts as its word', async (t) => {
  const { core } = desk(t);
  const stranger = openBinder(new Secret(new Uint8Array(32).fill(66)));
  const more = pay(1, 200);
  assert.equal(await told(core, more), 'over_order_amount');
  assert.equal(await told(core, raise(more, usd(199))), 'over_order_amount', 'less than is asked for');
  assert.equal(await told(core, raise(more, usd(200), API)), 'over_order_amount', 'by whoever takes orders');
  assert.equal(await told(core, raise(more, usd(200), stranger)), 'over_order_amount');
  assert.equal(await told(core, raise(more, usd(200), ENGINE, OTHER_ORDER)), 'over_order_amount', 'for another order');
  const asRefund = bindAmount(ENGINE, ORDER, 'refund', USDC, usd(200));
  assert.equal(await told(core, { ...more, raised: { most: usd(200), binding: asRefund } }), 'over_order_amount');
  const ofEther = bindAmount(ENGINE, ORDER, 'payout', ETH, usd(200));
  assert.equal(await told(core, { ...more, raised: { most: usd(200), binding: ofEther } }), 'over_order_amount');
  const shifted = { most: usd(900), binding: bindAmount(ENGINE, ORDER, 'payout', USDC, usd(200)) };
  assert.equal(await told(core, { ...pay(1, 900), raised: shifted }), 'over_order_amount', 'the amount is signed');
  assert.equal(await told(core, raise(more, usd(200))), 'signed', '90 beyond');
  assert.equal(
    await told(core, raise(pay(2, 1), usd(200))),
    'over_order_amount',
    'it was bound for all payments together',
  );
  const other = (n: number, dollars: number) =>
    raise(
      payout({
        ...nth('payout', n, OTHER_ORDER),
        owner: OTHER_ORDER,
        atoms: usd(dollars),
        charter: charterOf(OTHER_ORDER),
      }),
      usd(5_000),
      ENGINE,
      OTHER_ORDER,
    );
  assert.equal(await told(core, other(3, 411)), 'over_engine_limit', '301 beyond, of at most 300 in one');
  assert.equal(await told(core, other(3, 410)), 'signed', '300 beyond');
  assert.equal(await told(core, other(4, 111)), 'over_engine_limit', '501 in a day');
  assert.equal(await told(core, other(4, 110)), 'signed', '500 in a day');
});

test('whoever has the engine’s key and socket takes no more than its own limits, and those count over a restart', async (t) => {
  const file = join(temporaryFolder(t), 'journal');
  const first = openBench(file, RAILS, LIMITS);
  const steal = (n: number, dollars: number) =>
    fund({
      ...{ ...nth('fund', n), atoms: usd(dollars), to: MALLORY, charter: charterOf() },
      binding: bindDestination(ENGINE, ORDER, 'fund', USDC, MALLORY),
    });
  assert.equal(await told(first.core, steal(1, 301)), 'over_engine_limit');
  assert.equal(await told(first.core, steal(1, 300)), 'signed');
  assert.equal(await told(first.core, steal(2, 201)), 'over_engine_limit');
  assert.equal(await told(first.core, steal(2, 200)), 'signed');
  first.journal.close();
  const { core, clock } = openBench(file, RAILS, LIMITS);
  assert.equal(await told(core, steal(3, 1)), 'over_engine_limit');
  assert.equal(await told(core, pay(4, 110)), 'signed', 'customers are paid as before');
  const careless = desk(t, { ...LIMITS, engine: { usdPerTransfer: 'unlimited', usdPerDay: 'unlimited' } });
  for (const n of [1, 2, 3])
    assert.equal(await told(careless.core, steal(n, 900)), 'signed', 'without limits it is won');
  clock.advance(DAY_MS + 1);
  assert.equal(await told(core, steal(3, 300)), 'signed', 'the next day');
});

test('each key binds what it is for: nobody with one of them can do the other’s part', async (t) => {
  const { core } = desk(t, WITH_ETHER);
  const by = (who: typeof API, kind: 'payout' | 'refund' | 'fee' | 'fund', to = MALLORY, asset: AssetId = USDC) => {
    const binding = bindDestination(who, ORDER, kind, asset, to);
    const request = payout({ ...nth(kind, 1), kind, to, asset, atoms: atoms(5n), charter: charterOf(), binding });
    return raise(request, usd(1));
  };
  assert.equal(await told(core, by(ENGINE, 'payout')), 'unbound_destination', 'the engine names no payout address');
  assert.equal(await told(core, by(ENGINE, 'fee')), 'unbound_destination', 'nor one for fees');
  assert.equal(await told(core, by(API, 'fund')), 'unbound_destination', 'whoever takes orders makes no deals');
  assert.equal(
    await told(core, by(ENGINE, 'payout', ALICE, ETH)),
    'signed',
    'another asset, to the customer’s own address',
  );
  const later = (kind: 'fee' | 'fund' | 'refund', n: number, request: TransferRequest) => ({
    ...request,
    ...nth(kind, n),
  });
  assert.equal(await told(core, later('fee', 2, by(API, 'fee'))), 'signed');
  assert.equal(await told(core, later('fund', 3, by(ENGINE, 'fund', PROVIDER))), 'signed');
  assert.equal(await told(core, later('refund', 4, by(API, 'refund'))), 'signed');
  assert.equal(await told(core, later('refund', 5, by(ENGINE, 'refund'))), 'signed');
});

test('what goes back to a sender whom the engine named counts as its word, also within the order', async (t) => {
  const { core } = desk(t, { ...WITH_ETHER, engine: { usdPerTransfer: usd(60), usdPerDay: usd(60) } });
  assert.equal(await told(core, back(1, GIVES.most, ENGINE, MALLORY)), 'over_engine_limit', 'a hundred dollars');
  assert.equal(await told(core, back(1, GIVES.most / 2n, ENGINE, MALLORY)), 'signed', 'fifty');
  assert.equal(await told(core, back(2, GIVES.most / 5n, ENGINE, MALLORY)), 'over_engine_limit', 'twenty more');
  assert.equal(await told(core, back(2, GIVES.most / 2n)), 'signed', 'the customer’s own address has no such limit');
});

test('a fee, a stray token and a deal have no amount in the order: each is bound by the engine, and counts as its word', async (t) => {
  const { core } = desk(t);
  const binding = bindDestination(API, ORDER, 'fee', USDC, MALLORY);
  const fee = payout({ ...nth('fee', 1), kind: 'fee', to: MALLORY, atoms: usd(3), charter: charterOf(), binding });
  assert.equal(await told(core, fee), 'over_order_amount');
  assert.equal(await told(core, raise(fee, usd(3))), 'signed');
  const { raised: _, ...deal } = fund({ ...nth('fund', 2), atoms: usd(100), charter: charterOf() });
  assert.equal(await told(core, deal), 'over_order_amount');
  assert.equal(await told(core, raise(deal, usd(100))), 'signed');
  const stray = payout({
    ...{ ...nth('refund', 3), kind: 'refund', from: { deposit: 5 }, atoms: usd(4), charter: charterOf() },
    binding: bindDestination(API, ORDER, 'refund', USDC, ALICE),
  });
  assert.equal(await told(core, stray), 'over_order_amount');
  assert.equal(await told(core, raise(stray, usd(4))), 'signed');
});

test('a key is replaced with overlap: both halves are known for a while, and then the old one no more', async (t) => {
  const next = openBinder(new Secret(new Uint8Array(32).fill(10)));
  const old = pay(1, 10);
  const fresh = pay(2, 10, {
    charter: charterOf(ORDER, next),
    binding: bindDestination(next, ORDER, 'payout', USDC, ALICE),
  });
  const knows = (...keys: readonly string[]) =>
    openBench(join(temporaryFolder(t), 'journal'), RAILS, LIMITS, { ...bench.BINDERS, api: keys }).core;
  const overlap = knows(API.publicKey, next.publicKey);
  assert.equal(await told(overlap, old), 'signed');
  assert.equal(await told(overlap, fresh), 'signed');
  const after = knows(next.publicKey);
  assert.equal(await told(after, fresh), 'signed');
  assert.equal(await told(after, old), 'unknown_order');
  assert.equal(await told(knows(API.publicKey), fresh), 'unknown_order', 'before it was made known');
});
