import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openEngineBooks } from '../../src/app/engine-books.ts';
import { openMetrics } from '../../src/app/metrics.ts';
import { showSolvency } from '../../src/app/metrics-rounds.ts';
import { positionTaker } from '../../src/app/solvency-round.ts';
import { type Amount, amount, atoms } from '../../src/kernel/amount.ts';
import type { Address, AssetId, OrderId } from '../../src/kernel/ids.ts';
import { move } from '../../src/life/payment/posting.ts';
import { adoptDrift } from '../../src/life/transfer/adopt-drift.ts';
import type { Statement } from '../../src/store/db.ts';
import { type Position, surplusOf } from '../../src/store/solvency.ts';
import type { Venue } from '../../src/world/venues/venue.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { signedAndPaid } from './case-stories.ts';
import { ETH, ETHER, ether, USDC, usdc, XMR, xmr1 } from './market.ts';
import { TOKENS } from './operator-room.ts';
import { AT, placed, screened } from './order-phases.ts';
import { openWherry } from './wherry.ts';
import { buyOrder, final, swapOrder } from './world.ts';

const HOUR_MS = 60 * 60 * 1000;
const VENUE_USDC = '1337:USDC' as AssetId;
const DECIMALS = { home: 6, away: 8 };

let room: CaseRoom;
let books: ReturnType<typeof openEngineBooks>;
before(async () => {
  room = await openCaseRoom();
  books = openEngineBooks(room.db, room.clock, SEAL_KEY);
  room.wait(AT - room.clock.now() + 60_000);
});
after(() => room.close());

const READ = [USDC.id, ETH.id, ETHER.id, XMR.id, xmr1('1').asset, VENUE_USDC];

/** The chain agrees with the ledger about everything that lies on our own accounts. */
async function readAll(but: Partial<Record<AssetId, bigint>> = {}): Promise<void> {
  for (const asset of READ) {
    const expected = await books.ledger.expectedOnHot(asset);
    const spendable = atoms(expected + (but[asset] ?? 0n));
    await books.ledger.saveReading(asset, {
      spendable,
      locked: atoms(0n),
      expected,
      unfinal: atoms(0n),
      cost: undefined,
    });
  }
}

const venue = {
  funding: { asset: USDC.id },
  market: { quote: VENUE_USDC, quoteDecimals: DECIMALS.away },
} as unknown as Venue;
const take = () =>
  positionTaker({
    ...{ venue, books, homeDecimals: DECIMALS.home, clock: room.clock },
    worth: async ({ atoms: value }: Amount) => value as never,
  })();

const ours: Statement = {
  name: 'solvency_ours',
  text: `SELECT coalesce(sum(atoms), 0) AS atoms FROM balance WHERE asset = $1
    AND (account IN ('treasury', 'fees', 'gas') OR account LIKE 'left:%' OR account LIKE 'payment:treasury:%' OR account LIKE 'payment:%:gas%')`,
};
const positions = async () => new Map((await books.solvency.newest()).map((one) => [one.asset, one]));
const positionOf = async (asset: AssetId): Promise<Position> => {
  const found = (await positions()).get(asset);
  assert.ok(found, asset);
  return found;
};

describe('what is held against what is owed', () => {
  let dealt: OrderId;

  test('at every step of an order what is left for the house is what the ledger says is the house’s', async () => {
    await room.stock(USDC.id, XMR.id, ETH.id, ETHER.id, xmr1('1').asset, VENUE_USDC);
    const [leg] = buyOrder().route.legs;
    assert.ok(leg?.leg === 'venue');
    await room.stock(leg.spend);
    const steps = [
      [final(usdc('100'), AT), { deposits: usdc('100').atoms, orders: usdc('100').atoms }],
      [screened(true), { payments: usdc('100').atoms, orders: 0n }],
    ] as const;
    const id = await room.keep(buyOrder());
    for (const [fact, shown] of steps) {
      await room.tell(id, fact);
      await readAll();
      await take();
      for (const asset of READ) {
        const one = await positionOf(asset);
        const [row] = await room.db.query(ours, [asset]);
        assert.equal(surplusOf(one), BigInt(row?.['atoms'] as string), asset);
      }
      const position = await positionOf(USDC.id);
      for (const [name, value] of Object.entries(shown)) assert.equal(position[name as 'orders'], value, name);
    }
  });

  test('what a provider was paid for and has not delivered is held with it, and owed to the customer', async () => {
    dealt = await room.keep(swapOrder({ collects: false }));
    await room.tell(dealt, final(ether('0.1'), AT), screened(true), placed, ...signedAndPaid('provider_deal'));
    await readAll();
    await take();
    const { providers, orders } = await positionOf(ETHER.id);
    assert.equal(providers, (ether('0.1').atoms * 997n) / 1000n, 'the deposit less the fee');
    assert.equal(orders, ether('0.1').atoms, 'the fee is not earned before the delivery');
  });

  test('what belongs to an order that is done with is a claim, and to an integration is its own', async () => {
    const asset = XMR.id;
    await room.submit.commitHouse({
      key: 'owed to many',
      postings: [
        move('world', 'order:unclaimed', amount(asset, 7n)),
        move('world', 'owed:acme', amount(asset, 5n)),
        move('world', 'payment:sw_x:fee:0', amount(asset, 3n)),
        move('world', 'payment:treasury:rebalance:1', amount(asset, 2n)),
      ],
    });
    await readAll();
    await take();
    const { claims, integrators, payments } = await positionOf(asset);
    assert.deepEqual([claims, integrators, payments], [7n, 8n, 0n]);
  });

  test('what is under way between our own places is not lost on the way', async () => {
    room.wait(2 * HOUR_MS);
    const before = await positionOf(USDC.id);
    const value = usdc('1000');
    await room.db.query(
      {
        name: 'solvency_moved',
        text: `INSERT INTO venue_move (nonce, kind, asset, atoms, body, created_at) VALUES (1, 'withdraw', $1, $2, '', $3)`,
      },
      [VENUE_USDC, (value.atoms * 100n).toString(), room.clock.now()],
    );
    await take();
    assert.equal((await positionOf(VENUE_USDC)).inFlight, value.atoms * 100n);
    assert.equal((await positionOf(USDC.id)).inFlight, before.inFlight);
    room.wait(2 * HOUR_MS);
    await take();
    assert.equal((await positionOf(VENUE_USDC)).inFlight, 0n);
  });

  test('an operator reads it with its history, one row for each hour, and the height that each account was read at', async () => {
    await room.db.query(
      {
        name: 'solvency_cursor',
        text: `INSERT INTO scan_cursor (chain_id, cursor, heads, at) VALUES ($1, '{}', '{"tip": 123}', 1)`,
      },
      [USDC.chainId],
    );
    await readAll({ [USDC.id]: -50n });
    for (let minute = 0; minute < 3; minute += 1) {
      await take();
      room.wait(60_000);
    }
    const { assets, surplusUsdMicros } = (await room.ask('GET', `/operator/solvency?asset=${USDC.id}`)).json();
    assert.equal(assets.length, 1);
    const [line] = assets;
    assert.deepEqual([line.asset, line.height, typeof surplusUsdMicros], [USDC.id, 123, 'string']);
    assert.equal(BigInt(line.held.total) - BigInt(line.owed.total), BigInt(line.surplus));
    const history = async (query: string) => (await room.ask('GET', `/operator/solvency?${query}`)).json().history;
    const rows = (await history(`hours=1&asset=${USDC.id}`)) as readonly { at: string }[];
    assert.ok(rows.length <= 2, 'minutes of one hour are one row');
    room.wait(91 * 24 * HOUR_MS);
    await take();
    assert.equal(
      (await history(`hours=2160&asset=${USDC.id}`)).length,
      1,
      'what is older than ninety days is forgotten',
    );
    assert.equal((await room.ask('GET', '/operator/solvency?hours=0')).status, 400);
  });

  test('and a collector of metrics reads it in whole coins', async () => {
    const metrics = openMetrics('api');
    showSolvency(metrics, await books.solvency.newest(), [USDC]);
    const page = await metrics.registry.metrics();
    assert.match(page, new RegExp(`wherry_solvency\\{asset="${USDC.id}",symbol="USDC",side="held",role="api"\\} \\d`));
    assert.ok(!page.includes('symbol="XMR"'), 'only of what is listed');
  });

  test('money that is missing shows as what is left for the house, below nought where customers’ is gone', async () => {
    const held = await books.ledger.expectedOnHot(USDC.id);
    await readAll({ [USDC.id]: -held });
    await take();
    const { held: total, surplus } = (await room.ask('GET', `/operator/solvency?asset=${USDC.id}`)).json().assets[0];
    assert.ok(BigInt(surplus) <= BigInt(total.gas));
    assert.equal(total.hot, '0');
  });
});

describe('a drift is adopted', () => {
  const booked = () => books.ledger.balance('treasury', USDC.id);
  const handler = adoptDrift({
    drift: (asset) => books.ledger.drift(asset),
    commit: async (work) => {
      const done = await room.submit.commitHouse(work);
      return typeof done === 'object' ? done : undefined;
    },
  });
  const raised = async (value: bigint, deposit?: { place: string; address: Address }) => {
    room.wait(1_000);
    await room.cases.raise('treasury', {
      case: 'drift',
      asset: USDC.id,
      atoms: value,
      ...(deposit ? { deposit } : {}),
    });
    const found = (await room.shown()).find(
      (one) => one.case === 'drift' && (deposit !== undefined) === one.reason.includes('deposit address'),
    );
    assert.ok(found);
    return found;
  };
  const adopt = (id: string, reason = 'coins from before the first block') =>
    room.ask('POST', `/operator/cases/${id}/adopt`, { reason }, `Bearer ${TOKENS.ada}`);
  const work = (go: () => Promise<void>) => room.whileWorking({ adopt_drift: handler }, go);

  for (const [what, value] of [
    ['more', 500n],
    ['less', -400n],
  ] as const)
    test(`where the account holds ${what}: booked once as the treasury’s, under a name and with a reason`, async () => {
      await readAll({ [USDC.id]: value });
      const before = await booked();
      const { id, calls } = await raised(value);
      assert.ok(calls.some(({ path }) => path.endsWith('/adopt')));
      assert.equal((await room.ask('POST', `/operator/cases/${id}/adopt`, {}, `Bearer ${TOKENS.ada}`)).status, 400);
      assert.equal((await adopt(id)).status, 200);
      assert.equal((await adopt(id)).status, 200, 'asked twice');
      await work(async () => void (await room.until('drift', false)));
      assert.equal((await booked()) - before, value);
      await readAll();
      assert.equal(await books.ledger.drift(USDC.id), 0n);
      const { acts } = (await room.ask('GET', '/operator/audit?limit=1')).json();
      assert.deepEqual([acts[0].operator, acts[0].reason], ['ada', 'coins from before the first block']);
    });

  test('what the account does not show is not booked, whoever says so', async () => {
    await readAll();
    const before = await booked();
    const { id } = await raised(9_999n);
    await adopt(id);
    await work(async () => {
      room.wait(60_000);
      await readAll({ [USDC.id]: 9_998n });
    });
    assert.equal(await booked(), before);
    await room.cases.over('treasury', { case: 'drift' });
  });

  test('what is missing on a deposit address is its customer’s, and nobody books it away', async () => {
    const { id, calls } = await raised(-5n, { place: 'sw_a', address: 'deposit 1' as Address });
    assert.ok(!calls.some(({ path }) => path.endsWith('/adopt')));
    assert.equal((await adopt(id)).status, 409);
    await room.cases.over('treasury', { case: 'drift' });
  });

  test('from a shell, too', async () => {
    const wherry = await openWherry();
    try {
      await room.app.listen({ host: '127.0.0.1', port: 0 });
      const file = join(wherry.dir, 'token');
      writeFileSync(file, `${TOKENS.ada}\n`, { mode: 0o600 });
      const env = {
        WHERRY_OPERATOR_URL: `http://127.0.0.1:${(room.app.server.address() as AddressInfo).port}`,
        WHERRY_OPERATOR_TOKEN_FILE: file,
      };
      const { id } = await raised(70n);
      const { code, out } = await wherry.run(['drift', 'adopt', id, '--reason', 'a gift'], { env });
      assert.equal(code, 0);
      assert.match(out, new RegExp(`^Case ${id}: 70 atoms of .* are booked as the treasury's`));
      const { code: misused } = await wherry.run(['drift', 'adopt', 'all', '--reason', 'x'], { env });
      assert.notEqual(misused, 0);
    } finally {
      wherry.close();
    }
  });
});
