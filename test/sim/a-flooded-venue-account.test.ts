import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import type { Address } from '../../src/kernel/ids.ts';
import type { Chain, ScanCursor, Sighting } from '../../src/world/chains/chain.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { assetOf, CUSTOMER, HOT, ONE, openVenueChainBench } from './hyperliquid-chain-bench.ts';

const DAY_MS = 86_400_000;
const watched = async (candidates: readonly Address[]) => new Set(candidates.filter((one) => one === HOT));
const LEDGER = 'info:userNonFundingLedgerUpdates';

/** A venue whose hot account has been sent so many crumbs, one a millisecond. */
async function floodedBench() {
  let asked = 0;
  const outbound: Outbound = (call) => {
    if (call.label === LEDGER) asked += 1;
    return httpOutbound(call);
  };
  const bench = await openVenueChainBench('XMR1', {}, outbound);
  const flood = async (rows: number, perMs = 1): Promise<void> => {
    for (let index = 0; index < rows; index += 1) {
      bench.simulator.pay({ from: CUSTOMER, to: HOT, token: 'USDC', atoms: 1n });
      if (index % perMs === perMs - 1) await bench.mine(1);
    }
  };
  const counted = async <T>(work: () => Promise<T>): Promise<{ readonly told: T; readonly questions: number }> => {
    const before = asked;
    return { told: await work(), questions: asked - before };
  };
  return { ...bench, flood, counted };
}

async function caughtUp(chain: Chain, from: ScanCursor) {
  const sightings: Sighting[] = [];
  let cursor = from;
  for (let more = true; more; ) {
    const page = await chain.scan(cursor, watched);
    sightings.push(...page.sightings);
    ({ cursor, more } = page);
  }
  return { sightings, cursor };
}

test('a deposit to the hot account is seen behind a flood, one page of it at a look, by whoever looks', async () => {
  const { chain, reopen, pay, mine, flood, counted, close } = await floodedBench();
  let { cursor } = (await chain.scan(undefined, watched)) as { cursor: ScanCursor };
  await flood(3_000);
  await flood(700, 700);
  await pay(HOT, atoms(7n * ONE));
  const seen = new Map<string, bigint>();
  let process = chain;
  for (let look = 0; look < 20; look += 1) {
    await mine(10_000);
    const { told, questions } = await counted(() => caughtUp(process, cursor));
    assert.ok(questions <= 1, `${questions} pages in one look`);
    const standing = await counted(() => process.standing(told.sightings));
    assert.equal(standing.told.length, told.sightings.length, 'all that was seen stands');
    assert.ok(standing.questions <= 3, `${standing.questions} pages to prove it`);
    for (const { key, asset, atoms: value } of told.sightings) if (asset === assetOf('XMR1')) seen.set(key, value);
    ({ cursor } = told);
    // Another process goes on where this one was.
    if (look === 3) process = await reopen();
  }
  assert.deepEqual([...seen.values()], [7n * ONE]);
  await close();
});

test('a payment in the midst of a flood is found in a few looks, and one that never was is dead when its nonce is', async () => {
  const { chain, send, mine, flood, counted, freshDestination, asset, close } = await floodedBench();
  await flood(2_500);
  const transfer = { from: 'hot', asset: asset.id, atoms: atoms(ONE), to: await freshDestination() } as const;
  const paid = await send(transfer);
  await mine(1);
  const lost = await send({ ...transfer, atoms: atoms(2n * ONE) });
  await chain.broadcast(paid);
  await flood(2_500);
  const look = async (signed: typeof paid): Promise<string> => {
    const { told, questions } = await counted(() => chain.status(signed));
    assert.ok(questions <= 8, `${questions} pages in one look`);
    await mine(60_000);
    return told.state;
  };
  const until = async (signed: typeof paid, state: string): Promise<void> => {
    for (let looks = 0; looks < 12; looks += 1) if ((await look(signed)) === state) return;
    assert.fail(`not ${state} in twelve looks`);
  };
  await until(paid, 'mined');
  assert.equal(await look(lost), 'unknown');
  await mine(2 * DAY_MS + 60 * 60_000);
  assert.equal(await look(lost), 'unknown', 'the history may end before its time was over');
  await flood(1);
  await until(lost, 'dead');
  assert.equal(await look(paid), 'mined');
  await close();
});
