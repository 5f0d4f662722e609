import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHyperliquid } from '../../sandbox/simulators/hyperliquid/server.ts';
import type { Account } from '../../src/kernel/account.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { type Address, intentId } from '../../src/kernel/ids.ts';
import type { SignedTransfer } from '../../src/world/chains/chain.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { transferId } from '../../src/world/venues/hyperliquid/transfer-codec.ts';
import {
  assetOf,
  CUSTOMER,
  depositAddress,
  HOT,
  KEYS,
  ONE,
  openVenueChainBench,
  RAIL,
  scanned,
  watched,
} from './hyperliquid-chain-bench.ts';

const DAY_MS = 86_400_000;

/** Counts the questions that go to the venue. */
function counting() {
  const asked = new Map<string, number>();
  const outbound: Outbound = (call) => {
    asked.set(call.label, (asked.get(call.label) ?? 0) + 1);
    return httpOutbound(call);
  };
  return { asked: (label: string) => asked.get(label) ?? 0, outbound };
}

test('every token comes under its own id, two deposits to one address are two, and the venue’s own rows are none', async () => {
  const { chain, simulator, mine, close } = await openVenueChainBench();
  const start = (await chain.scan(undefined, watched)).cursor.height;
  const to = depositAddress(3);
  for (const [token, coins] of [
    ['XMR1', 2n],
    ['TRX1', 50n],
    ['ZEC1', 1n],
    ['XMR1', 2n],
  ] as const)
    simulator.pay({ from: CUSTOMER, to, token, atoms: coins * ONE });
  simulator.credit(to, 'XMR1', 7n * ONE);
  await mine(1);
  const found = await scanned(chain, start);
  assert.deepEqual(
    found.map((one) => [one.asset, one.atoms, one.sender]),
    [
      [assetOf('XMR1'), 2n * ONE, CUSTOMER],
      [assetOf('TRX1'), 50n * ONE, CUSTOMER],
      [assetOf('ZEC1'), ONE, CUSTOMER],
      [assetOf('XMR1'), 2n * ONE, CUSTOMER],
    ],
  );
  assert.equal(new Set(found.map(({ key }) => key)).size, 4);
  const standing = await chain.standing(found);
  assert.deepEqual(
    standing.map((one) => one.atoms),
    found.map((one) => one.atoms),
  );
  await close();
});

test('a deposit keeps its key however often it is seen, and an untouched account costs one question', async () => {
  const { asked, outbound } = counting();
  const { chain, pay, mine, close } = await openVenueChainBench('XMR1', {}, outbound);
  let { cursor } = await chain.scan(undefined, watched);
  await pay(depositAddress(0), atoms(ONE));
  const keys = new Set<string>();
  for (let round = 0; round < 5; round += 1) {
    await mine(1);
    const page = await chain.scan(cursor, watched);
    for (const { key } of page.sightings) keys.add(key);
    cursor = page.cursor;
  }
  assert.equal(keys.size, 1);
  assert.equal(asked('info:spotClearinghouseState'), 5 * 64);
  assert.equal(asked('info:userNonFundingLedgerUpdates'), 1, 'the history is asked for once while nothing changes');
  await close();
});

test('another process on a restarted venue goes on from the cursor', async () => {
  const { chain, simulator, pay, mine, reopen, close } = await openVenueChainBench();
  const { cursor } = await chain.scan(undefined, watched);
  const { txHash } = await pay(depositAddress(1), atoms(ONE));
  await mine(1);
  const again = await startHyperliquid({ restore: simulator.snapshot() });
  const page = await (await reopen(again)).scan(cursor, watched);
  assert.deepEqual(
    page.sightings.map((one) => one.txHash),
    [txHash],
  );
  await again.close();
  await close();
});

test('what we send ourselves is seen under our own name, so that it is nobody’s deposit and no inventory', async () => {
  const { chain, simulator, pay, mine, send, close } = await openVenueChainBench();
  const start = (await chain.scan(undefined, watched)).cursor.height;
  const from: Account = { deposit: 2 };
  await pay(depositAddress(2), atoms(3n * ONE));
  const swept = await send({ from, asset: assetOf('XMR1'), atoms: atoms(2n * ONE), to: HOT });
  await chain.broadcast(swept);
  const gift = simulator.pay({ from: CUSTOMER, to: HOT, token: 'XMR1', atoms: ONE });
  await mine(10_000);
  const toHot = (await scanned(chain, start)).filter(({ address }) => address === HOT);
  assert.deepEqual(
    toHot.map((one) => one.txHash),
    [swept.txHash, gift.txHash],
  );
  await close();
});

async function paying() {
  const bench = await openVenueChainBench();
  await bench.mine(2);
  const to = await bench.freshDestination();
  const payout = () => bench.send({ from: 'hot', asset: assetOf('XMR1'), atoms: atoms(ONE), to });
  return { ...bench, to, payout };
}

test('an error after the effect pays once, and a new account costs a dollar', async () => {
  const { chain, simulator, mine, received, to, payout, close } = await paying();
  const signed = await payout();
  assert.equal(signed.cost, ONE);
  simulator.setFault({ mode: 'error_after_effect', count: 1 });
  await assert.rejects(chain.broadcast(signed), { kind: 'ambiguous' });
  await chain.broadcast(signed);
  await mine(1);
  const status = await chain.status(signed);
  assert.ok(status.state === 'mined' && status.ok && status.cost === ONE);
  assert.notEqual(status.txHash, signed.txHash, 'the venue has a name of its own for it');
  assert.equal(status.txHash, simulator.received(to, 'XMR1').transfers[0]?.txHash);
  assert.equal(await received(to), ONE);
  assert.equal((await payout()).cost, 0n, 'the second time it is open');
  await close();
});

test('9.6: asking what a payment costs tells opening an account apart, and a stranger is the dearer case', async () => {
  const { chain, to, close } = await paying();
  const asked = (payee: Address) => chain.terms({ from: 'hot', asset: assetOf('XMR1'), atoms: atoms(0n), to: payee });
  for (const fresh of [to, present(chain.stranger, 'a stranger')]) {
    const terms = await asked(fresh);
    assert.ok('usual' in terms && terms.usual === ONE && terms.opening === ONE);
  }
  await close();
});

test('a refused send is unknown, not dead: a used nonce does not say what used it', async () => {
  const { chain, simulator, mine, received, to, payout, close } = await paying();
  const signed = await payout();
  const nonce = present(signed.consumes[0], 'token').split(':').at(-1);
  const other = await RAIL.sign({
    ...{ intent: intentId('treasury', 'payout', 9), kind: 'payout', owner: 'treasury', chainId: signed.chainId },
    ...{ from: 'hot', asset: assetOf('TRX1'), atoms: atoms(ONE), to: CUSTOMER, nonce: Number(nonce) },
    fee: { token: `TRX1:${assetOf('TRX1').slice(5)}`, decimals: '8', opening: '0' },
  });
  simulator.setFault({ mode: 'reject', count: 1 });
  await chain.broadcast(signed);
  await mine(1);
  assert.deepEqual(await chain.status(signed), { state: 'unknown' });

  await chain.broadcast(other);
  await chain.broadcast(signed);
  await mine(1);
  assert.equal(await received(to), 0n);
  const status = await chain.status(signed);
  assert.ok(status.state === 'dead' && /was used by another send/.test(status.proof));
  await close();
});

test('bytes that never arrived are dead when their nonce is two days old, not an hour before', async () => {
  const { chain, mine, pay, payout, close } = await paying();
  const signed = await payout();
  await mine(2 * DAY_MS - 1);
  assert.deepEqual(await chain.status(signed), { state: 'unknown' });
  await mine(3_600_000);
  const quiet = await chain.status(signed);
  assert.ok(
    quiet.state === 'unknown' && /shows nothing of .* since nonce/.test(quiet.reason ?? ''),
    'a server may lag',
  );
  await pay(HOT, atoms(ONE));
  await mine(1);
  const status = await chain.status(signed);
  assert.ok(status.state === 'dead' && /expired/.test(status.proof));
  await chain.broadcast(signed);
  assert.equal((await chain.status(signed)).state, 'dead');
  await close();
});

test('a send whose row comes without its nonce is never taken for dead, and a person is told why', async () => {
  let isNameless = false;
  const outbound: Outbound = async (call) => {
    const reply = await httpOutbound(call);
    if (!isNameless || call.label !== 'info:userNonFundingLedgerUpdates') return reply;
    return { ...reply, body: reply.body.replaceAll(/"nonce":\d+/g, '"nonce":null') };
  };
  const { chain, mine, pay, freshDestination, send, close } = await openVenueChainBench('XMR1', {}, outbound);
  await mine(2);
  const transfer = { from: 'hot', asset: assetOf('XMR1'), atoms: atoms(ONE), to: await freshDestination() } as const;
  const signed = await send(transfer);
  const other = await send({ ...transfer, atoms: atoms(2n * ONE) });
  await chain.broadcast(signed);
  isNameless = true;
  await mine(3 * DAY_MS);
  await pay(HOT, atoms(ONE));
  await mine(1);
  const status = await chain.status(signed);
  assert.ok(status.state === 'unknown' && /does not say under which nonce/.test(status.reason ?? ''), status.state);
  assert.equal((await chain.status(other)).state, 'dead', 'one that sends another sum is no such row');
  await close();
});

test('a sweep that emptied its account is found with the recipient, and never taken for dead', async () => {
  const { chain, pay, mine, send, received, close } = await openVenueChainBench('XMR1', { forgetsEmpty: true });
  await pay(depositAddress(5), atoms(ONE));
  const swept = await send({ from: { deposit: 5 }, asset: assetOf('XMR1'), atoms: atoms(ONE), to: HOT });
  assert.equal(swept.cost, 0n, 'an account needs nothing to pay with');
  await chain.broadcast(swept);
  await mine(1);
  assert.equal((await chain.status(swept)).state, 'mined');
  const lost: SignedTransfer = await signLost(swept);
  await mine(3 * DAY_MS);
  assert.deepEqual(await chain.status(lost), { state: 'unknown' }, 'a history that is gone proves nothing');
  assert.equal(await received(HOT), ONE);
  await close();
});

/** Another send from the same account that nobody ever posted. */
const signLost = ({ chainId, consumes }: SignedTransfer): Promise<SignedTransfer> =>
  RAIL.sign({
    ...{ intent: intentId('treasury', 'sweep', 1), kind: 'sweep', owner: 'treasury', chainId, from: { deposit: 5 } },
    ...{ asset: assetOf('XMR1'), atoms: atoms(ONE), to: HOT, nonce: Number(consumes[0]?.split(':').at(-1)) + 1 },
    fee: { token: `XMR1:${assetOf('XMR1').slice(5)}`, decimals: '8', opening: '0' },
  });

test('a server that does not show a deposit any more makes us wait; only after a while it counts for nothing', async () => {
  let hides = false;
  const outbound: Outbound = async (call) =>
    hides && call.label === 'info:userNonFundingLedgerUpdates' ? { status: 200, body: '[]' } : httpOutbound(call);
  const { chain, pay, mine, close } = await openVenueChainBench('XMR1', {}, outbound);
  const start = (await chain.scan(undefined, watched)).cursor.height;
  await pay(depositAddress(4), atoms(ONE));
  await mine(1);
  const found = await scanned(chain, start);
  hides = true;
  await assert.rejects(chain.standing(found), { kind: 'transient' });
  await mine(3_600_000);
  assert.deepEqual(await chain.standing(found), []);
  hides = false;
  assert.equal((await chain.standing(found)).length, 1);
  await close();
});

test('the signer reads its own bytes back, and objects to what is not its token', async () => {
  const { payout, close } = await paying();
  const signed = await payout();
  const request = {
    ...({ intent: signed.intent, kind: 'payout', owner: 'treasury', chainId: signed.chainId, from: 'hot' } as const),
    ...{ asset: assetOf('XMR1'), atoms: atoms(ONE), to: CUSTOMER, nonce: 1 },
    fee: { token: `XMR1:${assetOf('XMR1').slice(5)}`, decimals: '8', opening: '0' },
  };
  const told = await RAIL.tell(await RAIL.sign(request), request);
  assert.deepEqual(told, {
    ...{ chainId: signed.chainId, from: HOT, asset: assetOf('XMR1'), atoms: ONE, to: CUSTOMER, nonce: 1 },
  });
  assert.equal((await RAIL.sign(request)).txHash, transferId(HOT, 1));
  assert.equal(RAIL.objection(request), undefined);
  assert.match(RAIL.objection({ ...request, fee: { ...request.fee, decimals: '2' } }) ?? '', /decimals/);
  assert.match(RAIL.objection({ ...request, fee: { ...request.fee, token: 'XMR1:0x00' } }) ?? '', /token/);
  assert.match(
    RAIL.objection({ ...request, asset: assetOf('XMR1').replace('bb', 'cc') as typeof request.asset }) ?? '',
    /token/,
  );
  assert.equal(RAIL.addressOf({ deposit: 0 }), depositAddress(0));
  assert.notEqual(KEYS.key({ deposit: 0 }).reveal(), KEYS.key('hot').reveal());
  await close();
});
