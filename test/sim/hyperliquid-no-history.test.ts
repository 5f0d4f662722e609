import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { assetOf, HOT, ONE, openVenueChainBench } from './hyperliquid-chain-bench.ts';

const DAY_MS = 86_400_000;

test('a server that has nothing to show of the hot account proves no death', async () => {
  let shows: (body: string) => string = (body) => body;
  const outbound: Outbound = async (call) => {
    const reply = await httpOutbound(call);
    return call.label === 'info:userNonFundingLedgerUpdates' ? { ...reply, body: shows(reply.body) } : reply;
  };
  const { chain, mine, pay, send, received, freshDestination, close } = await openVenueChainBench('XMR1', {}, outbound);
  await mine(2);
  const to = await freshDestination();
  const signed = await send({ from: 'hot', asset: assetOf('XMR1'), atoms: atoms(ONE), to });
  const nonce = Number(signed.consumes[0]?.split(':').at(-1));
  await chain.broadcast(signed);
  await mine(3 * DAY_MS);
  await pay(HOT, atoms(ONE));
  await mine(1);
  const rowsWhere = (isShown: (at: number) => boolean) => (body: string) =>
    JSON.stringify((JSON.parse(body) as { time: number }[]).filter(({ time }) => isShown(time)));
  for (const part of [() => false, (at: number) => at > nonce + DAY_MS, (at: number) => at < nonce]) {
    shows = rowsWhere(part);
    for (const _ of ['twice', 'is no proof']) assert.equal((await chain.status(signed)).state, 'unknown');
  }
  shows = (body) => body;
  await mine(3_600_000);
  assert.equal((await chain.status(signed)).state, 'mined');
  assert.equal(await received(to), ONE);
  await close();
});
