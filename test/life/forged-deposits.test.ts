import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { txHash } from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { depositHandlers } from '../../src/life/deposit/handlers.ts';
import type { Order } from '../../src/life/order/order.ts';
import type { KeptSighting } from '../../src/life/order/sighting.ts';
import type { Statement } from '../../src/store/db.ts';
import { openSightings } from '../../src/store/sightings.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { type DepositRoom, openDepositRoom } from './deposit-room.ts';
import { usdc } from './market.ts';
import { transfer } from './scripted-chain.ts';
import { buyOrder, final } from './world.ts';

/** As whoever has the database, and nothing else, writes it: a deposit that never came, called final. */
const FORGE: Statement = {
  name: 'forge',
  text: `INSERT INTO sighting (chain_id, key, space, address, asset, atoms, tx_hash, height, block_hash, first_seen_at, state, credited, seal)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, 'final', $6, $10)`,
};
const SWELL: Statement = {
  name: 'swell',
  text: 'UPDATE sighting SET credited = $2, atoms = $2, changed = true WHERE key = $1',
};
const UNSEAL: Statement = { name: 'unseal', text: 'UPDATE sighting SET seal = NULL, changed = true WHERE key = $1' };
const SEALS: Statement = { name: 'seals', text: 'SELECT seal FROM sighting WHERE key = $1' };

let room: DepositRoom;
before(async () => {
  room = await openDepositRoom();
  await room.round();
  room.mine(3);
  await room.round();
});
after(() => room.close());

const rounds = async (count = 6) => {
  for (let n = 0; n < count; n += 1) {
    room.mine(1);
    await room.round();
  }
};
const orderOf = async (): Promise<Order> => room.find(await room.keep(buyOrder()));
const phaseOf = async ({ id }: Order) => (await room.find(id)).state.phase;
const sealOf = async (key: string) => (await room.db.query(SEALS, [key]))[0]?.['seal'];
const troubleOf = async ({ id }: Order) =>
  (await room.shown()).find((one) => one.case === 'deposit_unjudged' && one.orderId === id);

async function forge(key: string, { depositAddress }: Order, seal: string | null = null): Promise<void> {
  const { id, family } = room.chain.facts;
  const { asset, atoms: value } = usdc('3823');
  await room.db.query(FORGE, [id, key, family, depositAddress, asset, `${value}`, `0x${key}`, 1, 'block 1', seal]);
}

describe('a row that says final', () => {
  test('and that nobody paid moves no order: it is a case, which names the row', async () => {
    const order = await orderOf();
    await forge('never paid', order);
    await rounds();
    const now = await room.find(order.id);
    assert.deepEqual(
      [now.state.phase, now.funds.confirmed, now.version],
      ['awaiting_deposit', usdc('0'), order.version],
    );
    const told = await troubleOf(order);
    assert.match(told?.reason ?? '', /3823000000 atoms of .* are final \(never paid\), and the chain does not show it/);
  });

  test('with the seal of somebody else’s key, or of another row, is not believed either', async () => {
    const honest = await orderOf();
    room.mine(1, transfer('honest', honest.depositAddress, usdc('100')));
    await rounds();
    const [copied, strangers] = [await orderOf(), await orderOf()];
    await forge('copied seal', copied, String(await sealOf('honest')));
    await forge('strange seal', strangers);
    await sealWith(new Secret(new Uint8Array(32)), 'strange seal');
    await rounds();
    assert.deepEqual([await phaseOf(copied), await phaseOf(strangers)], ['awaiting_deposit', 'awaiting_deposit']);
    assert.ok((await troubleOf(copied)) && (await troubleOf(strangers)));

    // The seal is what holds it: whoever had the engine's key as well would be believed.
    const robbed = await orderOf();
    await forge('sealed', robbed);
    await sealWith(SEAL_KEY, 'sealed');
    await rounds();
    assert.equal(await phaseOf(robbed), 'screening');
  });

  test('of a real deposit, but with more atoms, holds the order as it is', async () => {
    const order = await orderOf();
    room.mine(1, transfer('swollen', order.depositAddress, usdc('1')));
    await rounds();
    const before = await room.find(order.id);
    assert.deepEqual(before.funds.confirmed, usdc('1'));
    await room.db.query(SWELL, ['swollen', `${usdc('3823').atoms}`]);
    await rounds();
    assert.deepEqual((await room.find(order.id)).funds.confirmed, usdc('1'));
    assert.ok(await troubleOf(order));
  });

  test('of a real deposit that lost its seal is proven against the chain again, and goes on without anybody', async () => {
    const order = await orderOf();
    room.mine(1, transfer('unsealed', order.depositAddress, usdc('50')));
    await rounds();
    const seal = await sealOf('unsealed');
    await room.db.query(UNSEAL, ['unsealed']);
    await rounds(2);
    assert.equal(await sealOf('unsealed'), seal);
    assert.equal(await troubleOf(order), undefined);
  });
});

/** Seals the row as an engine with that key would after it had asked the chain. */
async function sealWith(key: Secret<Uint8Array>, name: string): Promise<void> {
  const { live, settle } = openSightings(room.db, key);
  const { id } = room.chain.facts;
  const row = (await live(id, 500, undefined)).find((one): one is KeptSighting => one.key === name);
  assert.ok(row);
  await settle(id, [row]);
}

test('an order that counts more than was proven is not taken up, whatever its own row says', async () => {
  const order = await orderOf();
  const believed = await room.tell(order.id, final(usdc('3823'), instant(1)));
  const { facts } = room.chain;
  const { screen_deposit: screen } = depositHandlers({
    chain: () => room.chain,
    screen: async () => 'clear',
    bindRefund: (_, asset, address) => ({ asset, address, binding: '' }),
    partsOf: async () => [],
    costsNow: async () => ({ fees: [], now: usdc('0'), quoted: usdc('0') }),
    isUntold: async () => false,
    proven: ({ from, depositAddress }) => room.books.sightings.proven(facts.id, facts.family, depositAddress, from.id),
    clock: room.clock,
  });
  const effect = { effect: 'screen_deposit' } as const;
  const job = { key: '', owner: order.id, effect, tries: 0, troubledSince: undefined };
  await assert.rejects(screen(job, believed), {
    ...{ name: 'Fault', kind: 'permanent', message: /counts 3823000000 atoms of .*, and only 0 are proven/ },
  });
  await forge('half of it', order);
  await assert.rejects(screen(job, believed), /only 0 are proven/, 'a forged row proves nothing');
  const paid: KeptSighting = {
    ...{ key: 'half of it', orderId: order.id, address: order.depositAddress, ...usdc('3823') },
    ...{ credited: atoms(usdc('3823').atoms), txHash: txHash('0xhalf of it'), height: 1, blockHash: 'block 1' },
    ...{ sender: undefined, firstSeenAt: instant(1), state: 'final', isReward: false, changed: true, isProven: true },
  };
  await room.books.sightings.settle(facts.id, [paid]);
  assert.deepEqual(
    await room.books.sightings.proven(facts.id, facts.family, order.depositAddress, usdc('1').asset),
    amount(usdc('1').asset, usdc('3823').atoms),
  );
  assert.ok(await screen(job, believed));
});
