import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { Fault, type FaultKind } from '../../src/kernel/fault.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { Secret } from '../../src/kernel/secret.ts';
import type { Order } from '../../src/life/order/order.ts';
import type { Outbound } from '../../src/world/outbound/http.ts';
import { openBridge } from '../../src/world/providers/bridge/bridge.ts';
import type { Swap } from '../../src/world/providers/provider.ts';
import { EVM_ADDRESS, MONERO_ADDRESS, OTHER_EVM_ADDRESS, VENUE_XMR, XMR } from './assets.ts';
import { type Bench, bench, NO_LIMITS, SERVER_KEY, START } from './bench.ts';
import { arrived, confirming, paidOut } from './stages.ts';

const PAIR = {
  ...{ name: 'xmr', native: { asset: XMR.id, decimals: 12 }, wrapped: { asset: VENUE_XMR.id, decimals: 8 } },
};
const COIN = 10n ** 12n;
const swap = (change: Partial<Swap> = {}): Swap => ({
  ...{ input: amount(XMR.id, 2n * COIN), output: VENUE_XMR.id, slippage: ratio(1n, 100n) },
  ...{ recipient: EVM_ADDRESS.toLowerCase() as Address, refundTo: MONERO_ADDRESS as Address },
  ...{ deadline: instant(START + 7_200_000), ...change },
});
const back = swap({
  ...{ input: amount(VENUE_XMR.id, 200_000_000n), output: XMR.id },
  ...{ recipient: MONERO_ADDRESS as Address, refundTo: EVM_ADDRESS.toLowerCase() as Address },
});
const faultOf = (kind: FaultKind) => (error: unknown) => error instanceof Fault && error.kind === kind;

let there: Bench;
before(async () => {
  there = await bench({ quota: NO_LIMITS });
});

/** Our own API, asked as any bridge desk is. `change` bends an answer. */
async function desk(change: (path: string, body: Record<string, unknown>) => unknown = (_, body) => body) {
  const outbound: Outbound = async ({ url, method = 'GET', headers = {}, body }) => {
    const path = url.slice('http://bridge'.length);
    assert.equal(headers['x-integrator-key'], SERVER_KEY);
    const reply = await there.call({
      ...{ method: method as 'GET', url: path, headers },
      ...(body === undefined ? {} : { payload: body as string }),
    });
    return { status: reply.statusCode, body: JSON.stringify(change(path, reply.json())) };
  };
  const parseAddress = (chain: number, text: string) => there.deps.catalog.chain(chain as never)?.parseAddress(text);
  const settings = { url: 'http://bridge', key: new Secret(SERVER_KEY), pairs: [PAIR], parseAddress };
  return { provider: await openBridge(settings, outbound, there.deps.clock) };
}
const only = (id: string, change: (order: Order) => Partial<Order>) =>
  there.desk.change(id.split(' ')[0] as never, change);

describe('A desk that bridges', () => {
  test('supports its coins in both directions, and says by its terms what comes out', async () => {
    const { provider } = await desk();
    assert.ok(provider.supports(XMR.id, VENUE_XMR.id) && provider.supports(VENUE_XMR.id, XMR.id));
    assert.ok(!provider.supports(XMR.id, XMR.id));
    assert.deepEqual((await provider.quote(swap()))?.least, amount(VENUE_XMR.id, 199_800_000n), 'a thousandth less');
    // Two thousandths and a flat thousandth of a coin.
    assert.deepEqual((await provider.quote(back))?.output, amount(XMR.id, (COIN * 1_995n) / 1_000n));
    const dust = swap({ input: amount(XMR.id, COIN / 10n - 1n) });
    assert.equal(await provider.quote(dust), undefined, 'below its minimum it takes nothing');
    await assert.rejects(provider.open(dust), faultOf('permanent'));
  });

  test('opens an order of ours to our own accounts, and tells how it goes to its end', async () => {
    const { provider } = await desk();
    const order = await provider.open(swap());
    assert.deepEqual([order.input, order.least], [swap().input, amount(VENUE_XMR.id, 199_800_000n)]);
    assert.ok(order.deadline > START && order.deadline <= swap().deadline);
    assert.deepEqual(await provider.status(order), { state: 'awaiting_deposit' });
    only(order.id, confirming);
    assert.deepEqual(await provider.status(order), { state: 'processing' });
    only(order.id, (seen) => ({
      ...arrived(2n * COIN, 20)(seen),
      ...{ used: amount(seen.from.id, 2n * COIN), ...paidOut(seen, 199_800_000n, START + 300_000) },
    }));
    const told = await provider.status(order);
    assert.ok(told.state === 'delivered');
    assert.deepEqual(told.output, amount(VENUE_XMR.id, 199_800_000n));
    assert.deepEqual(await provider.status({ ...order, id: `dep_unknown ${EVM_ADDRESS}` }), { state: 'unknown' });
  });

  test('is paid nothing where its order is for somebody else, another chain, no address or no time', async () => {
    const bent: readonly [Record<string, unknown>, FaultKind][] = [
      [{ toAddress: OTHER_EVM_ADDRESS }, 'ambiguous'],
      [{ refundAddress: null }, 'ambiguous'],
      [{ fromChainId: 1 }, 'ambiguous'],
      [{ depositAddress: 'nonsense' }, 'ambiguous'],
      [{ expiresAt: new Date(START).toISOString() }, 'permanent'],
    ];
    for (const [change, kind] of bent) {
      const { provider } = await desk((path, body) => (path === '/v2/bridges' ? { ...body, ...change } : body));
      await assert.rejects(provider.open(swap()), faultOf(kind), JSON.stringify(change));
    }
  });

  test('that is switched off, or whose terms cannot be read, offers nothing', async () => {
    const off = await desk((path, body) =>
      path.endsWith('/terms') ? { ...body, assets: [{ asset: 'xmr', deposit: false, withdraw: true }] } : body,
    );
    assert.equal(await off.provider.quote(swap()), undefined);
    assert.ok(await off.provider.quote(back));
    for (const fees of [{ depositFeeRate: '0.001' }, { depositFeeRate: -1 }, { depositFeeRate: 2 }, {}]) {
      const { provider } = await desk((path, body) => (path.endsWith('/terms') ? { ...body, fees } : body));
      await assert.rejects(provider.quote(swap()), faultOf('ambiguous'));
    }
  });

  test('gives back what came too late, and says so when it has', async () => {
    const phases: readonly [Record<string, unknown>, string][] = [
      [{ status: 'expired' }, 'awaiting_deposit'],
      [{ status: 'expired', refundRecovery: { phase: 'queued', amount: '5' } }, 'processing'],
      [{ status: 'expired', refundRecovery: { phase: 'completed', amount: '5' } }, 'refunded'],
      [{ status: 'refunded', refundRecovery: { phase: 'completed', amount: '5' } }, 'refunded'],
      [{ status: 'failed' }, 'failed'],
      [{ status: 'completed', actualOutput: '5', deliveredToken: {} }, 'failed'],
      [{ status: 'awaiting_deposit', observedDepositAmount: '3' }, 'incomplete'],
    ];
    for (const [change, state] of phases) {
      const { provider } = await desk((path, body) => (path.includes('verify=') ? { ...body, ...change } : body));
      const told = await provider.status(await provider.open(swap()));
      assert.equal(told.state, state, JSON.stringify(change));
      if (told.state === 'refunded') assert.deepEqual(told.amount, amount(XMR.id, 5n));
    }
  });
});
