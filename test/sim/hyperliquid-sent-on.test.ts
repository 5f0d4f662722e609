import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import {
  assetOf,
  CUSTOMER,
  depositAddress,
  HOT,
  ONE,
  openVenueChainBench,
  scanned,
  watched,
} from './hyperliquid-chain-bench.ts';

test('what an account has sent on since counts as if it were there, for books from the past do not know of it', async () => {
  const { chain, pay, mine, send, close } = await openVenueChainBench();
  const start = (await chain.scan(undefined, watched)).cursor.height;
  await pay(depositAddress(6), atoms(ONE));
  await mine(1);
  const found = await scanned(chain, start);
  await chain.broadcast(
    await send({ from: { deposit: 6 }, asset: assetOf('XMR1'), atoms: atoms((ONE * 2n) / 3n), to: HOT }),
  );
  await mine(1);
  const [stands] = await chain.standing(found);
  assert.deepEqual([stands?.key, stands?.atoms], [found[0]?.key, ONE]);
  await close();
});

test('what an account has sent on of one deposit does not cover another that only its history shows', async () => {
  let forged = '';
  const outbound: Outbound = async (call) => {
    const reply = await httpOutbound(call);
    if (call.label !== 'info:userNonFundingLedgerUpdates' || !forged) return reply;
    const rows = JSON.parse(reply.body) as { time: number; hash: string; delta: { user: string } }[];
    const real = rows.find(({ delta }) => delta.user === CUSTOMER.toLowerCase());
    return { ...reply, body: JSON.stringify(real ? [real, { ...real, hash: forged }, ...rows.slice(1)] : rows) };
  };
  const { chain, reopen, pay, mine, send, close } = await openVenueChainBench('XMR1', {}, outbound);
  const start = (await chain.scan(undefined, watched)).cursor.height;
  await pay(depositAddress(7), atoms(ONE));
  await mine(1);
  const real = await scanned(chain, start);
  forged = `0x${'f0'.repeat(32)}`;
  const both = await scanned(await reopen(), start);
  const fake = both.filter(({ key }) => real.every((one) => one.key !== key));
  await chain.broadcast(await send({ from: { deposit: 7 }, asset: assetOf('XMR1'), atoms: atoms(ONE), to: HOT }));
  await mine(3_600_000);
  assert.equal(fake.length, 1);
  assert.deepEqual(await chain.standing(fake), []);
  await close();
});
