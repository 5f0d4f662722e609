import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { NoAnswer } from '../../src/kernel/fault.ts';
import { type Address, type AssetId, assetId, chainId, type TokenId } from '../../src/kernel/ids.ts';
import { openPayoutPrices } from '../../src/store/payout-prices.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { eventually } from '../run/patience.ts';
import { TRIPS } from './customer.ts';
import { type Desk, openDesk } from './desk.ts';
import { Mortal } from './mortal.ts';
import { openWorld } from './world.ts';

let desk: Desk;
before(async () => {
  desk = await openDesk(await openWorld());
});
after(() => desk?.close());

const { fromToken, fromChainId, toToken, toChainId } = TRIPS.usdc_to_xmr;
const USDC = assetId(chainId(fromChainId), fromToken as TokenId);
const XMR = assetId(chainId(toChainId), toToken as TokenId);

test('a node that hangs keeps nobody waiting who asks what a payout costs on another chain', async () => {
  const { db, clock, monero } = desk.world;
  // So that nobody but whoever answers questions asks the node for its fee.
  const readings = await desk.takeSeats(['readings']);
  let isHanging = false;
  const hangs =
    (real: Outbound): Outbound =>
    (call) => {
      if (call.label !== 'get_fee_estimate') return real(call);
      isHanging = true;
      return new Promise(() => {});
    };
  const doors = new Mortal();
  await desk.startEngine(doors, { outbound: hangs });
  try {
    const prices = openPayoutPrices(db);
    const [stranger, other] = [await monero.freshDestination(), `0x${randomBytes(20).toString('hex')}` as Address];
    const asking = (asset: AssetId, to: Address, isEnough: () => Promise<boolean>) =>
      eventually(async () => {
        await prices.ask(asset, to, clock.now());
        return isEnough();
      });
    await asking(XMR, stranger, async () => isHanging);
    await asking(USDC, other, async () => (await prices.find(USDC, other)) !== undefined);
    assert.equal(await prices.find(XMR, stranger), undefined);
  } finally {
    doors.die();
    await readings.close();
  }
});

test('a provider that hangs is waited for no longer than a person waits, and another one is asked', async () => {
  const waits: (number | undefined)[] = [];
  const hangs: Outbound = (call) => {
    if (call.at !== 'provider:oneclick' || call.label !== 'quote') return httpOutbound(call);
    waits.push(call.deadlineMs);
    return Promise.reject(new NoAnswer('ambiguous', call.at, 'quote: no answer'));
  };
  const api = await desk.startApi(hangs);
  try {
    // Its providers open by themselves after it has begun.
    await eventually(async () => {
      const { status } = await fetch(`${api.url}/v2/swaps/quote`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(TRIPS.wbtc_to_eth),
      });
      return status === 200 && waits.length > 0;
    });
    assert.deepEqual([...new Set(waits)], [8_000]);
  } finally {
    await api.stop();
  }
});
