import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, beforeEach, test } from 'node:test';
import { encodeAddress } from '../../src/world/chains/zcash/codec.ts';
import { RECEIVER_BYTES } from '../../src/world/chains/zcash/unified-codec.ts';
import type { Box } from './box.ts';
import {
  activationOf,
  assertCreated,
  assertSettled,
  type Bridger,
  type Bridging,
  bridged,
  type Direction,
  onVenue,
  openBridger,
  PAIRS,
  type Pair,
} from './bridger.ts';
import { assertBalanced, type RouteEnd } from './routes.ts';
import { sharedBox } from './shared-box.ts';
import { recoveryOf, stateOf, type View } from './shopper.ts';

const BLOCKS_MS = 250;
/** Little, so that what it costs to open an account would be missed. */
const STRAY_DOLLARS = 3_00000000n;
const HOUR_MS = 60 * 60_000;
const DIRECTIONS: readonly Direction[] = ['deposit', 'withdraw'];
const [XMR, TRX, ZEC] = PAIRS as [Pair, Pair, Pair];
let box: Box;
let bridger: Bridger;

before(async () => {
  box = await sharedBox();
  bridger = openBridger(box);
});
beforeEach(async () => {
  await bridger.control('DELETE', '/sandbox/faults');
  await blocks(BLOCKS_MS);
});

const together = <T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> => Promise.all(all.map(work));
const everyWay = PAIRS.flatMap((pair) => DIRECTIONS.map((direction) => ({ pair, direction })));
const blocks = (everyMs: number) => together(PAIRS, ({ native }) => bridger.rhythm(native.chainId, everyMs));
const mine = (count: number) => together(PAIRS, ({ native }) => bridger.mine(native, count));
const asksForRefund = (order: View) => stateOf(order).action === 'refund_address';
const isProcessing = ({ status }: View) => status === 'processing';
const refusal = ({ status, body }: { status: number; body: View }) => [status, body.code];

/** The deposit has all the confirmations that it needs but one. */
async function allButLast(order: Bridging): Promise<void> {
  const { confirmations, requiredConfirmations } = await bridger.read(order);
  const least = Number(requiredConfirmations) - 1;
  await bridger.mine(order.from, least - Number(confirmations));
  await bridger.untilOrder(order, (seen) => seen.confirmations === least);
}
const isPastConfirming = (order: View) => ['funding', 'executing', 'paying_out'].includes(String(stateOf(order).step));

test('three coins go both ways; two crashes fall into the middle of each, and each is paid once and to the atom', async () => {
  await blocks(0);
  const orders = await together(everyWay, ({ pair, direction }) => bridger.open(pair, direction));
  orders.forEach(assertCreated);
  const endings = Promise.all(orders.map(bridger.events));
  const grossOf = ({ pair, direction }: Bridging) => 3n * pair.minimum[direction] + 12_347n;
  await together(orders, (order) => bridger.pay(order, grossOf(order)));
  await mine(1);

  // Without blocks no deposit of a coin is final, and no payout of one.
  await together(orders, (order) => bridger.untilOrder(order, isProcessing));
  await bridger.kill('engine');
  const withdrawals = orders.filter(({ direction }) => direction === 'withdraw');
  await together(withdrawals, (order) => bridger.untilOrder(order, ({ payoutTxHash }) => payoutTxHash !== null));
  for (const order of orders) assert.equal((await bridger.read(order)).status, 'processing');
  await bridger.kill('signer');

  const deposits = orders.filter(({ direction }) => direction === 'deposit');
  await together(deposits, allButLast);
  // Without the venue no wrapped coin is paid out.
  await bridger.fault('venue', 'down');
  await mine(1);
  await together(deposits, (order) => bridger.untilOrder(order, isPastConfirming));
  for (const order of deposits) assert.equal((await bridger.read(order)).status, 'processing');
  await together(['engine', 'signer'] as const, bridger.kill);
  await bridger.control('DELETE', '/sandbox/faults');
  await blocks(BLOCKS_MS);

  await together(orders, async (order) => {
    const seen = await bridger.completed(order, grossOf(order));
    assertSettled(order, seen, grossOf(order));
    assert.equal(seen.confirmations, seen.requiredConfirmations);
    if (order.from === XMR.native) assert.equal(seen.requiredConfirmations, 20);
    const session = { 'x-session-id': order.sessionId };
    const [row] = (await box.api('GET', '/v2/orders', undefined, session)).body.orders as View[];
    assert.deepEqual([row?.product, row?.asset, row?.direction], ['bridge', order.pair.name, order.direction]);
    assert.deepEqual([row?.status, row?.actualOutput, row?.customerState], ['completed', seen.actualOutput, undefined]);
  });
  for (const types of await endings) {
    assert.deepEqual([types[0], types.at(-1)], ['snapshot', 'final']);
    assert.ok(types.includes('update'));
  }
});

test('exactly the minimum settles', async () => {
  await together(everyWay, async ({ pair, direction }) => {
    const order = await bridger.open(pair, direction);
    await bridger.pay(order, pair.minimum[direction]);
    await bridger.completed(order, pair.minimum[direction]);
  });
});

test('one atom less waits, and goes on with everything once the rest has come', async () => {
  await together(everyWay, async ({ pair, direction }) => {
    const order = await bridger.open(pair, direction);
    const little = pair.minimum[direction] - 1n;
    await bridger.pay(order, little);
    const paused = stateOf(await bridger.untilOrder(order, (seen) => stateOf(seen).kind === 'paused'));
    assert.deepEqual(paused, {
      ...{ kind: 'paused', reason: 'below_minimum' },
      ...{ observedDepositAmount: `${little}`, minimumDepositAmount: `${pair.minimum[direction]}` },
    });
    await bridger.pay(order, little);
    await bridger.completed(order, 2n * little);
  });
});

async function openV1(direction: Direction) {
  const [from, to] = direction === 'deposit' ? [XMR.native, XMR.wrapped] : [XMR.wrapped, XMR.native];
  const toAddress = await bridger.addressOn(to);
  const { status, body } = await box.api('POST', `/v1/bridge/${direction}`, { toAddress }, bridger.key);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(Object.keys(body).sort(), ['depositAddress', 'destination', 'expiresAt', 'orderId', 'sessionId']);
  assert.equal(body.destination, toAddress);
  return { orderId: String(body.orderId), depositAddress: String(body.depositAddress), toAddress, from, to };
}
const readV1 = async (id: string): Promise<View> =>
  (await box.api('GET', `/v1/bridge/order/${id}`, undefined, bridger.key)).body;

test('v1 bridges Monero both ways and tells it without proof, and tells nothing of v2', async () => {
  const WORDS = ['awaiting_deposit', 'pending_confirmations', 'processing', 'completed'];
  const LEAST = { deposit: '0.050000000001', withdraw: '0.05000001' };
  await together(DIRECTIONS, async (direction) => {
    const { orderId, depositAddress, toAddress, from, to } = await openV1(direction);
    assert.match(orderId, direction === 'deposit' ? /^dep_/ : /^wd_/);
    const words: string[] = [];
    const look = async () => {
      const seen = await readV1(orderId);
      if (words.at(-1) !== seen.status) words.push(String(seen.status));
      return seen;
    };
    const { status, amount, tx_in, tx_out, completed_at } = await look();
    assert.deepEqual([status, amount, tx_in, tx_out, completed_at], ['awaiting_deposit', '0', null, null, null]);
    const gross = XMR.minimum[direction] + 1n;
    const { txHash } = await bridger.send(from, depositAddress, gross);
    const seen = await bridger.until(look, (now) => now.status === 'completed');
    assert.deepEqual([seen.type, seen.amount, seen.tx_in], [direction, LEAST[direction], txHash]);
    assert.equal(seen.confirmations, seen.requiredConfirmations);
    assert.equal(seen.requiredConfirmations, direction === 'deposit' ? 20 : 1);
    assert.ok(seen.completed_at && !('failure_reason' in seen));
    // What is quick is not always seen on the way.
    assert.deepEqual(
      words,
      WORDS.filter((word) => words.includes(word)),
    );
    if (direction === 'deposit') assert.ok(words.includes('pending_confirmations'));
    const { total, transfers } = await bridger.received(to, toAddress);
    const net = bridged(XMR, direction, gross) - activationOf((await bridger.open(XMR, direction)).created);
    assert.deepEqual([total, transfers.map((one) => one.txHash)], [`${net}`, [seen.tx_out]]);
    const second = await box.api('GET', `/v2/bridges/${orderId}?verify=${toAddress}`);
    assert.equal(second.status, 404);
  });
  const { orderId } = await bridger.open(XMR, 'deposit');
  const { status, body } = await box.api('GET', `/v1/bridge/order/${orderId}`);
  assert.deepEqual([status, typeof body.error], [404, 'string']);
});

async function offered(): Promise<readonly View[]> {
  return (await box.api('GET', '/v2/bridges/terms', undefined, bridger.key)).body.assets as View[];
}

test('what is switched off is refused for now, terms say so, and what was begun goes on', async () => {
  const begun = await bridger.open(ZEC, 'deposit');
  const turn = async (asset: string, direction: Direction, enabled: boolean) =>
    assert.equal((await box.operator('PUT', `/operator/bridges/${asset}/${direction}`, { enabled })).status, 200);
  for (const { pair, direction } of everyWay) {
    await turn(pair.name, direction, false);
    const listed = await offered();
    assert.equal(listed.length, PAIRS.length, 'it stays listed');
    for (const one of everyWay) {
      const isOff = one.pair === pair && one.direction === direction;
      assert.equal(listed.find(({ asset }) => asset === one.pair.name)?.[one.direction], !isOff);
    }
    const toAddress = await bridger.addressOn(direction === 'deposit' ? pair.wrapped : pair.native);
    assert.deepEqual(refusal(await bridger.ask({ asset: pair.name, direction, toAddress })), [503, 'unavailable']);
    if (pair === XMR) {
      const { status, body } = await box.api('POST', `/v1/bridge/${direction}`, { toAddress }, bridger.key);
      assert.deepEqual([status, Object.keys(body)], [503, ['error']]);
    }
    if (pair === ZEC && direction === 'deposit') {
      await bridger.pay(begun, 2n * ZEC.minimum.deposit);
      await bridger.completed(begun, 2n * ZEC.minimum.deposit);
    }
    await turn(pair.name, direction, true);
  }
});

test('Zcash takes its deposits by either spelling, and pays every kind of address but one', async () => {
  const receiver = (type: keyof typeof RECEIVER_BYTES) => ({
    [type]: Uint8Array.from(randomBytes(RECEIVER_BYTES[type])),
  });
  const destinations = {
    u1: encodeAddress({ kind: 'unified', receivers: { ...receiver('orchard'), ...receiver('p2pkh') } }),
    zs1: encodeAddress({ kind: 'sapling', receivers: receiver('sapling') }),
    t1: encodeAddress({ kind: 'transparent', receivers: receiver('p2pkh') }),
    t3: encodeAddress({ kind: 'transparent', receivers: receiver('p2sh') }),
  };
  const withdrawn = together(Object.entries(destinations), async ([kind, toAddress]) => {
    assert.ok(toAddress.startsWith(kind));
    const order = await bridger.open(ZEC, 'withdraw', { toAddress });
    await bridger.pay(order, 2n * ZEC.minimum.withdraw);
    await bridger.completed(order, 2n * ZEC.minimum.withdraw);
  });
  const deposit = await bridger.open(ZEC, 'deposit');
  const { transparent } = deposit.created.depositAddressForms as Record<string, string>;
  await bridger.send(ZEC.native, String(transparent), ZEC.minimum.deposit);
  await bridger.completed(deposit, ZEC.minimum.deposit);
  await withdrawn;
  const toAddress = 'tex1s2rt77ggv6q989lr49rkgzmh5slsksa9khdgte';
  const refused = await bridger.ask({ asset: 'zec', direction: 'withdraw', toAddress });
  assert.deepEqual(refusal(refused), [400, 'invalid_address']);
});

test('another token of the venue is no deposit: it goes back, from every kind of withdrawal', async () => {
  const strays: readonly [Pair, RouteEnd, bigint][] = [
    [TRX, onVenue('USDC'), STRAY_DOLLARS],
    [TRX, XMR.wrapped, 20_000_000n],
    [XMR, ZEC.wrapped, 20_000_000n],
    [ZEC, TRX.wrapped, 70_00000000n],
  ];
  await together(strays, async ([pair, token, amount]) => {
    const order = await bridger.open(pair, 'withdraw');
    await bridger.send(token, order.depositAddress, amount);
    const asked = await bridger.untilOrder(order, asksForRefund);
    const { kind, phase, asset, amount: owed } = recoveryOf(asked);
    assert.deepEqual([kind, phase, asset, owed], ['wrong_chain', 'address_required', token.name, `${amount}`]);
    assert.equal((await bridger.refunded(order, token, amount)).status, 'refunded');
  });
});

test('a stray and a deposit after it lie on one account: the deposit is bridged, and the stray goes back whole', async () => {
  const order = await bridger.open(TRX, 'withdraw');
  const [usdc, least] = [onVenue('USDC'), TRX.minimum.withdraw];
  await bridger.send(usdc, order.depositAddress, STRAY_DOLLARS);
  await bridger.untilOrder(order, asksForRefund);
  await bridger.pay(order, least);
  await bridger.completed(order, least);
  assert.equal((await bridger.refunded(order, usdc, STRAY_DOLLARS)).status, 'completed');
});

test('an order that nobody paid expires; what comes later is owed, and its owner says where it goes', async () => {
  const orders = await together(everyWay, ({ pair, direction }) => bridger.open(pair, direction));
  const old = await openV1('deposit');
  await bridger.passTime(HOUR_MS + 1_000);
  await together(orders, (order) => bridger.untilOrder(order, ({ status }) => status === 'expired'));
  assert.equal(
    (
      await bridger.until(
        () => readV1(old.orderId),
        ({ status }) => status === 'expired',
      )
    ).tx_in,
    null,
  );
  await together(orders, async (order) => {
    const amount = 2n * order.pair.minimum[order.direction];
    assert.deepEqual(refusal(await bridger.giveRefundAddress(order, await bridger.addressOn(order.from))), [
      409,
      'action_not_available',
    ]);
    await bridger.pay(order, amount);
    const asked = await bridger.untilOrder(order, asksForRefund);
    const { kind, asset, amount: owed } = recoveryOf(asked);
    assert.deepEqual([kind, asset, owed], ['source', order.created.fromSymbol, `${amount}`]);
    const back = await bridger.refunded(order, order.from, amount);
    assert.deepEqual([back.status, back.payoutTxHash], ['refunded', null]);
    assert.equal((await bridger.received(order.to, order.toAddress)).total, '0');
  });
});

test('after all of it the ledger and the chains agree, and nobody has to look', async () => {
  await assertBalanced(box);
  assert.deepEqual((await box.operator('GET', '/operator/cases')).body.cases, []);
});
