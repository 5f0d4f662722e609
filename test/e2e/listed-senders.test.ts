import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sharedBox } from './shared-box.ts';
import { assertAlmostAll, isDone, openShopper, recoveryOf, type Shopper, stateOf, USDC, XMR } from './shopper.ts';

const BASE_USDC = { name: 'USDC Base', chainId: 8453, token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };
const BLOCKS_MS = 400;
let shopper: Shopper;
let [clean, listed]: readonly string[] = [];

before(async () => {
  const box = await sharedBox();
  shopper = openShopper(box);
  for (const { chainId } of box.info.chains) if (chainId !== 1337) await shopper.rhythm(chainId, BLOCKS_MS);
  [listed, clean] = (await shopper.sendersOn(USDC.chainId)).slice(-2);
  await shopper.control('POST', '/sandbox/sanction', { address: listed });
});

/** What came to it from now on. */
async function counting(place: typeof USDC, address = ''): Promise<() => Promise<bigint>> {
  const read = async () => BigInt((await shopper.received(place, address)).total);
  const had = await read();
  return async () => (await read()) - had;
}

test('of a deposit of two accounts, one of which is listed, each gets what it sent, and no address that was named', async () => {
  const [toClean, toListed] = [await counting(USDC, clean), await counting(USDC, listed)];
  const refundAddress = await shopper.addressOn(USDC.chainId);
  const order = await shopper.buy(USDC, XMR, '100000000', { refundAddress });
  await shopper.send(USDC, order.depositAddress, 60_000_000n, listed);
  await shopper.send(USDC, order.depositAddress, 40_000_000n, clean);
  const back = await shopper.until(
    order,
    ({ status }) => status === 'refunded',
    ({ customerState }) => {
      assert.notEqual((customerState as { kind: string }).kind, 'action_required', 'nobody is asked for an address');
    },
  );
  assertAlmostAll(`${await toListed()}`, 60_000_000n);
  assertAlmostAll(`${await toClean()}`, 40_000_000n);
  assert.equal((await shopper.received(USDC, refundAddress)).total, '0');
  assert.deepEqual([back.hlFills, back.payoutTxHash], [[], null]);
});

test('what a listed account sent after completion, or on another chain, goes back to it whatever address is named', async () => {
  const refundAddress = await shopper.addressOn(USDC.chainId);
  const [extra, stray] = [
    await shopper.buy(USDC, XMR, '100000000', { refundAddress }),
    await shopper.buy(USDC, XMR, '100000000', { refundAddress }),
  ];
  await shopper.send(USDC, extra.depositAddress, 100_000_000n, clean);
  await shopper.until(extra, isDone);
  const [here, there] = [await counting(USDC, listed), await counting(BASE_USDC, listed)];
  await shopper.send(USDC, extra.depositAddress, 50_000_000n, listed);
  await shopper.send(BASE_USDC, stray.depositAddress, 70_000_000n, listed);
  await shopper.until(extra, (seen) => recoveryOf(seen)?.phase === 'completed');
  await shopper.until(stray, ({ status }) => status === 'refunded');
  assertAlmostAll(`${await here()}`, 50_000_000n);
  assertAlmostAll(`${await there()}`, 70_000_000n);
  assert.equal((await shopper.received(USDC, refundAddress)).total, '0');
  assert.notEqual(stateOf(await shopper.read(extra)).kind, 'action_required');
});
