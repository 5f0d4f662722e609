import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { amount } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, chainId, txHash } from '../../src/kernel/ids.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openSightings } from '../../src/store/sightings.ts';
import { SEAL_KEY } from '../seal-key.ts';

const ETHER = '1:0x0000000000000000000000000000000000000000' as AssetId;
const ELSEWHERE = '10:0x0000000000000000000000000000000000000000' as AssetId;
const HOT = '0xhot' as Address;

interface Line {
  readonly name: string;
  readonly from: AssetId;
  readonly native?: boolean;
  readonly phase?: string;
  readonly isOpen: boolean;
  readonly at: number;
  readonly deal?: { readonly input: AssetId; readonly output: AssetId };
}

async function insert(db: Db, line: Line, index: number): Promise<void> {
  const { name, from, native = true, phase = 'awaiting_deposit', isOpen, at, deal } = line;
  await db.query(
    {
      name: 'insert_order',
      text: `INSERT INTO orders (id, version, generation, product, phase, is_open, is_busy, session_hash, client_hash, created_at,
          updated_at, expires_at, deposit_space, deposit_index, deposit_address, asked, expected, observed, destination,
          from_asset, from_coin, expects, doc)
        VALUES ($1, 0, 'v2', 'swap', $2, $3, true, '', '', $4, $4, $4, 'evm', $5, $1, 1, 1, 0, '', $6, $7, $8, '{}')`,
    },
    [name, phase, isOpen, at, index, from, native, deal ? [deal.input, deal.output] : []],
  );
}

async function freshDb(t: TestContext): Promise<Db> {
  const place = await testDatabase(async (url) => {
    await migrate(url);
  });
  const db = openDb(place.url);
  t.after(async () => {
    await db.close();
    await place.drop();
  });
  return db;
}

test('coins are expected where orders ask for them, and at the hot account while a provider owes them', async (t) => {
  const db = await freshDb(t);
  const { expecting } = openSightings(db, SEAL_KEY);
  const ask = (most = 10) => expecting(ETHER, HOT, instant(100), most);
  const lines: readonly Line[] = [
    { name: 'old and open', from: ETHER, isOpen: true, at: 1 },
    { name: 'new and open', from: ETHER, isOpen: true, at: 150 },
    { name: 'finished long ago', from: ETHER, isOpen: false, at: 99 },
    { name: 'finished lately', from: ETHER, isOpen: false, at: 200 },
    { name: 'finished before', from: ETHER, isOpen: false, at: 100 },
    { name: 'on another chain', from: ELSEWHERE, isOpen: true, at: 200 },
    { name: 'a token', from: '1:0xtoken' as AssetId, native: false, isOpen: true, at: 200 },
  ];
  for (const [index, line] of lines.entries()) await insert(db, line, index);
  assert.deepEqual(await ask(), ['new and open', 'old and open', 'finished lately', 'finished before']);
  assert.deepEqual(await ask(3), ['new and open', 'old and open', 'finished lately']);

  const deal = { input: ELSEWHERE, output: ETHER };
  await insert(db, { name: 'swapped', from: ELSEWHERE, phase: 'completed', isOpen: false, at: 1 }, 20);
  assert.ok(!(await ask()).includes(HOT));
  await insert(db, { name: 'swapping', from: ELSEWHERE, phase: 'swapping', isOpen: true, at: 1, deal }, 21);
  assert.deepEqual(await ask(1), [HOT, 'new and open']);
  assert.ok((await expecting(ELSEWHERE, HOT, instant(100), 10)).includes(HOT), 'a provider may also give back');
});

test('what a provider delivers by an inner call is known by its amount, whatever transaction the provider names', async (t) => {
  const db = await freshDb(t);
  await db.query({
    name: 'insert_sightings',
    text: `INSERT INTO sighting (chain_id, key, space, address, asset, atoms, tx_hash, height, block_hash, first_seen_at, state, credited)
      SELECT 1, key, 'evm', '${HOT}', '${ETHER}', 7, tx, 5, '0xblock', 10, 'final', 7
      FROM (VALUES ('plain', '0xplain'), ('inner', '0xblock')) AS t (key, tx)`,
  });
  const { takeDelivery, live, settle } = openSightings(db, SEAL_KEY);
  const take = (deal: string, atoms: bigint) => {
    const told = amount(ETHER, atoms);
    return takeDelivery({ deal, chain: chainId(1), account: HOT, told, txHash: txHash('0xtold'), since: instant(0) });
  };
  assert.equal(await take('another amount', 8n), undefined);
  // A row that says final and was never proven: whoever has the database wrote it.
  await assert.rejects(take('this one', 7n), { kind: 'permanent', message: /no engine has proven it/ });
  await settle(chainId(1), await live(chainId(1), 10, undefined));
  assert.deepEqual(await take('this one', 7n), amount(ETHER, 7n));
  assert.deepEqual(await take('this one', 7n), amount(ETHER, 7n), 'asked again, it is the same');
  assert.equal(await take('next', 7n), undefined, 'it is taken once, and a plain transfer goes by its own name');
});
