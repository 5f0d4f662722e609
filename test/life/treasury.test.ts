import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import type { Address, AssetId } from '../../src/kernel/ids.ts';
import { AWAY, DEPOSIT_ACCOUNT, dollars, HOME, TRX1, treasuryDesk, XMR1 } from './treasury-desk.ts';

const STRANGER = 'stranger' as Address;

test('a venue that runs low is filled to the middle, once, and the money goes on to the side that trades', async () => {
  const desk = treasuryDesk({ hot: dollars(3_000_000), venue: dollars(100_000) });
  await desk.pass(10);
  assert.deepEqual(desk.log, []);
  await desk.pass(120);
  assert.deepEqual(desk.log, ['fill 900000', 'to_trading 900000']);
  assert.deepEqual(desk.onVenue(), { spot: dollars(1_000_000), unmoved: 0n });
  assert.equal(desk.booked(HOME), dollars(2_100_000));
  assert.equal(desk.booked(AWAY), dollars(1_000_000) * 100n);
});

test('a hot account that runs low is filled with what the venue can spare, in two steps', async () => {
  const desk = treasuryDesk({ hot: dollars(100_000), venue: dollars(1_400_000) });
  await desk.pass(120);
  assert.deepEqual(desk.log, ['to_transit 900000', 'withdraw 900000']);
  assert.deepEqual(desk.onVenue(), { spot: dollars(500_000), unmoved: 0n });
  assert.equal(desk.booked(HOME), dollars(999_999));
  assert.equal(desk.booked(AWAY), dollars(500_000) * 100n);
});

test('what lies on the other side of the venue already is withdrawn with the rest', async () => {
  const desk = treasuryDesk({ hot: dollars(100_000), venue: dollars(800_000), unmoved: dollars(600_000) });
  await desk.pass(120);
  assert.deepEqual(desk.log.slice(-2), ['to_transit 900000', 'withdraw 900000']);
  assert.ok(desk.log.length <= 3, desk.log.join());
  assert.deepEqual(desk.onVenue(), { spot: dollars(500_000), unmoved: 0n });
});

test('a need that passes by itself moves nothing', async () => {
  const desk = treasuryDesk({ hot: dollars(450_000), venue: dollars(900_000) });
  await desk.pass(8);
  desk.inflow(HOME, dollars(100_000));
  await desk.pass(60);
  assert.deepEqual(desk.log, []);
});

test('whatever lies where, the stock comes to rest, and nothing is moved to and fro', () =>
  fc.assert(
    fc.asyncProperty(fc.nat(4_000), fc.nat(4_000), fc.nat(500), async (hot, venue, unmoved) => {
      const thousands = (many: number) => dollars(many * 1_000);
      const desk = treasuryDesk({ hot: thousands(hot), venue: thousands(venue), unmoved: thousands(unmoved) });
      await desk.pass(200);
      const done = [...desk.log];
      await desk.pass(100);
      assert.deepEqual(desk.log, done);
      const many = (name: string) => done.filter((one) => one.startsWith(name)).length;
      const homeward = many('withdraw');
      assert.ok(many('fill') === 0 ? homeward <= 2 : many('fill') === 1 && homeward === 0, done.join());
      const { spot, unmoved: left } = desk.onVenue();
      assert.equal(left, 0n);
      assert.equal(desk.booked(AWAY), spot * 100n);
      const all = thousands(hot + venue + unmoved);
      assert.equal(desk.booked(HOME) + spot, all - dollars(homeward));
      assert.deepEqual(desk.cases, []);
    }),
    { numRuns: 60 },
  ));

test('sends are posted once: by the payment where we made them, by the ledger where a stranger did', async () => {
  const desk = treasuryDesk({ hot: dollars(1_000_000), venue: dollars(1_000_000) });
  await desk.pass(11);
  const before = desk.booked(AWAY);
  desk.row('send_out', 500n, { asset: XMR1, counterparty: STRANGER });
  desk.row('activation', 100_000_000n, { counterparty: STRANGER });
  desk.row('send_in', 700n, { asset: XMR1, counterparty: DEPOSIT_ACCOUNT });
  desk.row('send_in', 30n, { asset: XMR1, counterparty: STRANGER });
  desk.row('send_in', 9n, { asset: '1337:namesake' as AssetId, counterparty: STRANGER });
  await desk.pass(11);
  assert.equal(desk.booked(XMR1), 30n);
  assert.equal(desk.booked(AWAY), before);
  assert.equal(desk.booked('1337:namesake' as AssetId), 0n);
});

test('a token that is set up later is taken over as it lies, and from then on by the ledger', async () => {
  const desk = treasuryDesk({ hot: dollars(1_000_000), venue: dollars(1_000_000) });
  desk.hold(TRX1, 5_000n);
  desk.row('send_in', 5_000n, { asset: TRX1, counterparty: STRANGER });
  await desk.pass(11);
  assert.equal(desk.booked(TRX1), 0n);
  desk.listed.push(TRX1);
  await desk.pass(11);
  assert.equal(desk.booked(TRX1), 5_000n);
  desk.row('send_in', 40n, { asset: TRX1, counterparty: STRANGER });
  await desk.pass(11);
  assert.equal(desk.booked(TRX1), 5_040n);
});

test('what happened while nobody looked is taken over by the first who does', async () => {
  const desk = treasuryDesk({ hot: dollars(1_000_000), venue: dollars(1_000_000) });
  await desk.pass(11);
  const before = desk.booked(AWAY);
  desk.restartAfter(3_600);
  desk.row('send_in', 7n, { counterparty: STRANGER });
  desk.row('other', 1n);
  desk.restartAfter(5 * 3_600);
  await desk.pass(11);
  assert.equal(desk.booked(AWAY), before + atoms(7n));
  assert.equal(new Set(desk.cases).size, 1);
});

test('crumbs on the side that does not trade keep nobody from filling the venue, are no case and cost no action', async () => {
  const desk = treasuryDesk({ hot: dollars(3_000_000), venue: dollars(100_000) });
  for (let crumbs = 0; crumbs < 120; crumbs += 1) {
    desk.gives(100n);
    await desk.pass(5);
  }
  assert.deepEqual(desk.log, ['fill 899999', 'to_trading 900000'], 'less what it was given by then');
  assert.deepEqual(desk.cases, []);
  await desk.pass(15);
  assert.equal(desk.booked(AWAY), desk.heldThere(), 'they are the desk’s, and booked');
});

test('a row that nobody knows is a case, and none again once a person has closed it', async () => {
  const desk = treasuryDesk({ hot: dollars(1_000_000), venue: dollars(1_000_000) });
  await desk.pass(11);
  desk.row('other', 1n);
  await desk.pass(11);
  const told = present(desk.cases[0], 'a case');
  desk.closedByHand.add(told);
  const before = desk.cases.length;
  await desk.pass(1_300);
  assert.equal(desk.cases.length, before, 'its hour is read again every ten minutes');
});

test('what others gave is moved when it is worth an action', async () => {
  const desk = treasuryDesk({ hot: dollars(1_000_000), venue: dollars(1_000_000) });
  await desk.pass(11);
  desk.gives(dollars(99) * 100n);
  await desk.pass(30);
  assert.deepEqual(desk.log, []);
  desk.gives(dollars(1) * 100n);
  await desk.pass(30);
  assert.deepEqual(desk.log, ['to_trading 100']);
  assert.equal(desk.booked(AWAY), desk.heldThere());
});
