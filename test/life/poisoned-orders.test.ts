import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { readiness } from '../../src/app/readiness.ts';
import { makeCatalog } from '../../src/catalog/catalog.ts';
import { amount } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, assetId, type OrderId, type TokenId, tokenOf } from '../../src/kernel/ids.ts';
import { depositHandlers } from '../../src/life/deposit/handlers.ts';
import { judge } from '../../src/life/deposit/judge.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { KeptSighting } from '../../src/life/order/sighting.ts';
import { openReads } from '../../src/store/reads.ts';
import type { ChainRules } from '../../src/world/chains/chain.ts';
import { evmNetwork } from '../../src/world/chains/evm/networks.ts';
import { evmRules } from '../../src/world/chains/evm/rules.ts';
import { type DepositRoom, openDepositRoom } from './deposit-room.ts';
import { ENDS, USDC, usdc } from './market.ts';
import { AT } from './order-phases.ts';
import { sighting } from './order-script.ts';
import { transfer } from './scripted-chain.ts';
import { after as afterFacts, buyOrder, claimPriced, measuresAt, minute, place } from './world.ts';

const MOST = 2n ** 256n - 1n;
const lyingToken = (number: number): AssetId =>
  assetId(ENDS.buy.chain.id, `0x${number.toString(16).padStart(40, '0')}` as TokenId);
const LIE = lyingToken(0xbad);

let room: DepositRoom;
before(async () => {
  room = await openDepositRoom();
  await room.round();
});
after(() => room.close());

async function orderOf(): Promise<Order> {
  const id = await room.keep({ ...buyOrder(), expiresAt: instant(room.clock.now() + 60_000) });
  return room.find(id);
}
const phaseOf = async (id: OrderId) => (await room.find(id)).state.phase;

/** Blocks and rounds, until all is deep. */
async function settle(): Promise<void> {
  for (let n = 0; n < 6; n += 1) {
    room.mine(1);
    await room.round();
  }
}

describe('9.3: a poisoned order stops nobody but itself', () => {
  test('a token whose balance lies ten times over is credited to a bound, and the order beside it is carried out', async () => {
    const [attacker, victim] = [await orderOf(), await orderOf()];
    for (let n = 0; n < 10; n += 1)
      room.mine(1, transfer(`lie ${n}`, attacker.depositAddress, { asset: LIE, atoms: MOST }));
    room.mine(1, transfer('honest', victim.depositAddress, usdc('100')));
    await settle();
    assert.equal(await phaseOf(victim.id), 'screening');
    const { strays } = await room.find(attacker.id);
    assert.deepEqual(strays, [amount(LIE, RULES.mostUnlistedAtoms)]);
    assert.equal(await room.books.ledger.balance(`deposit:${attacker.id}`, LIE), RULES.mostUnlistedAtoms);
    assert.equal(await room.caseOf('deposit_unjudged'), undefined);
  });

  test('the same on an address that no order has is a case for what it is, and does not come back in every round', async () => {
    const text = `INSERT INTO deposit_address (space, index, address) VALUES ('stories', 9999, 'nobody has it')`;
    await room.db.query({ name: 'poisoned_address', text });
    const nobody = 'nobody has it' as Address;
    for (let n = 0; n < 10; n += 1) room.mine(1, transfer(`stray lie ${n}`, nobody, { asset: LIE, atoms: MOST }));
    await settle();
    assert.ok(await room.caseOf('deposit_without_order'));
    assert.equal(await room.caseOf('deposit_unjudged'), undefined);
    assert.equal(await room.books.ledger.balance(`deposit:${nobody}`, LIE), 10n * RULES.mostUnlistedAtoms);
  });

  const UNBOUNDED = { mostUnlistedAtoms: MOST * 100n };
  /** Ten lies to one address, an honest deposit to another, and rounds until the honest one is deep. */
  async function poison(open: DepositRoom, eachRound = (): void => {}) {
    await open.round();
    const ids = [await open.keep(buyOrder()), await open.keep(buyOrder())] as const;
    const [attacker, victim] = await Promise.all([open.find(ids[0]), open.find(ids[1])]);
    for (let n = 0; n < 10; n += 1)
      open.mine(1, transfer(`lie ${n}`, attacker.depositAddress, { asset: LIE, atoms: MOST }));
    open.mine(6, transfer('seen after the lies', victim.depositAddress, usdc('100')));
    for (let n = 0; n < 4; n += 1) {
      eachRound();
      await open.round();
    }
    return { attacker, victim: await open.find(victim.id) };
  }

  test('without the bound the ledger overflows: that order has a case, and every other is told all the same', async () => {
    const open = await openDepositRoom(UNBOUNDED);
    try {
      const { attacker, victim } = await poison(open);
      assert.equal(victim.state.phase, 'screening');
      assert.equal((await open.caseOf('deposit_unjudged'))?.orderId, attacker.id);
      assert.equal(await open.caseOf('round_failed'), undefined, 'the chain itself is well');
    } finally {
      await open.close();
    }
  });

  test('9.3: where one loop tells all orders and ends at the first trouble, a paid order expires: so it was won', async () => {
    let isOver = false;
    const open = await openDepositRoom(UNBOUNDED, undefined, (submit) => ({
      ...submit,
      async submit(...told) {
        if (isOver) throw new Error('the round is over');
        isOver = true;
        const done = await submit.submit(...told);
        isOver = false;
        return done;
      },
    }));
    try {
      const { victim } = await poison(open, () => {
        isOver = false;
      });
      assert.deepEqual([victim.state.phase, victim.funds.confirmed], ['awaiting_deposit', usdc('0')]);
      assert.equal(afterFacts(victim, { fact: 'deadline_passed', at: victim.expiresAt }).state.phase, 'expired');
    } finally {
      await open.close();
    }
  });

  test('what cannot be read beside a good deposit at the same address does not hide it, and the case closes by itself', async () => {
    const order = await orderOf();
    room.unreadable.add(LIE);
    room.mine(1, transfer('unread', order.depositAddress, { asset: LIE, atoms: 5n }));
    room.mine(1, transfer('read', order.depositAddress, usdc('100')));
    await settle();
    assert.equal(await phaseOf(order.id), 'screening');
    assert.equal(await room.caseOf('deposit_unjudged'), undefined, 'a fault that may pass is no case');
    room.wait(RULES.caseAfterMs);
    await room.round();
    assert.equal((await room.caseOf('deposit_unjudged'))?.orderId, order.id);
    room.unreadable.clear();
    await room.round();
    assert.equal(await room.caseOf('deposit_unjudged'), undefined);
  });

  test('more addresses in motion than one round takes all have their turn, however many of them never rest', async () => {
    const { sightings } = room.books;
    const { id } = ENDS.buy.chain;
    const [victim, ...others] = [await orderOf(), await orderOf(), await orderOf()];
    const spam = others.flatMap(({ depositAddress }) =>
      ['a', 'b', 'c'].map((part) => transfer(`spam ${part} ${depositAddress}`, depositAddress, usdc('0.000001'))),
    );
    room.mine(1, ...spam, transfer('turn', victim.depositAddress, usdc('1')));
    await room.round();
    const met = new Set<Address>();
    for (let from: Address | undefined, turns = 0; turns < 8; turns += 1) {
      const [one] = new Set((await sightings.live(id, 1, from)).map(({ address }) => address));
      if (!one) break;
      assert.ok(!met.has(one));
      met.add(one);
      from = one;
    }
    assert.deepEqual(
      [victim, ...others].filter(({ depositAddress }) => !met.has(depositAddress)),
      [],
    );
  });
});

describe('9.3: what strangers can grow is bounded', () => {
  const kept = (index: number, value: ReturnType<typeof usdc>, sender: string): KeptSighting => ({
    ...{ ...sighting(index, value), sender: sender as Address, state: 'final', credited: value.atoms },
    firstSeenAt: minute(5),
  });
  const factsOf = (order: Order, sightings: readonly KeptSighting[]) =>
    judge(order, sightings, measuresAt(10, 10), minute(5));

  test('tokens: of those that nobody listed only the first few are taken up', () => {
    const spam = Array.from({ length: 20 }, (_, n) => kept(n, amount(lyingToken(n), 1n), 'spammer'));
    const order = afterFacts(buyOrder(), ...factsOf(buyOrder(), spam));
    assert.equal(order.strays.length, RULES.mostUnlistedTokens);
    assert.deepEqual(factsOf(order, spam), [], 'and no more of them later');
  });

  test('claims: beyond the bound a person is told, and nothing of it is claimed', async () => {
    const done = await room.keep(buyOrder({ refundTo: place(USDC.id, 'home') }));
    const { depositAddress } = await room.find(done);
    for (let n = 0; n <= RULES.mostClaims + 1; n += 1) {
      room.mine(1, transfer(`more ${n}`, depositAddress, usdc(n === 0 ? '100' : '2')));
      await settle();
      if (n > 0 && n <= RULES.mostClaims) await room.tell(done, (order) => claimPriced(order, n, AT));
    }
    const order = await room.find(done);
    assert.equal(order.claims.length, RULES.mostClaims);
    assert.equal((await room.caseOf('claims_full'))?.orderId, done);
  });

  test('senders: those of the most are screened; a crowd that is more than specks is not cleared', async () => {
    const crowd = (each: string, count: number) => [
      kept(0, usdc('100'), 'customer'),
      ...Array.from({ length: count }, (_, n) => kept(n + 1, usdc(each), `stranger ${n}`)),
    ];
    const told = ({ funds }: Order) => [funds.senders.length, funds.senders[0], funds.isCrowd];
    const specks = afterFacts(buyOrder(), ...factsOf(buyOrder(), crowd('0.000001', 1_000)));
    assert.deepEqual(told(specks), [1, 'customer', undefined], 'all of them together are one speck');
    const some = afterFacts(buyOrder(), ...factsOf(buyOrder(), crowd('0.1', 80)));
    assert.deepEqual(told(some), [64, 'customer', undefined]);
    const many = afterFacts(buyOrder(), ...factsOf(buyOrder(), crowd('1', 1_000)));
    const { screen_deposit: screen } = depositHandlers({
      chain: () => room.chain,
      screen: async () => 'clear',
      bindRefund: (_, asset, address) => ({ asset, address, binding: '' }),
      costsNow: async () => ({ fees: [], now: usdc('0'), quoted: usdc('0') }),
      ...{ partsOf: async () => [], isUntold: async () => false },
      proven: async ({ funds }) => funds.confirmed,
      clock: room.clock,
    });
    const job = {
      key: '',
      owner: many.id,
      effect: { effect: 'screen_deposit' },
      tries: 0,
      troubledSince: undefined,
    } as const;
    const verdicts = await Promise.all([specks, many].map((order) => screen(job, order)));
    assert.deepEqual(
      verdicts.map(
        (done) =>
          typeof done === 'object' && 'fact' in done && done.fact.fact === 'deposit_screened' && done.fact.clear,
      ),
      [true, false],
    );
  });
});

describe('9.3: while our own books lag behind', () => {
  test('the deadline expires no order whose address has sightings that were not told yet', async () => {
    const order = await orderOf();
    const handlers = depositHandlers({
      chain: () => room.chain,
      screen: async () => 'clear',
      bindRefund: (_, asset, address) => ({ asset, address, binding: '' }),
      costsNow: async () => ({ fees: [], now: usdc('0'), quoted: usdc('0') }),
      ...{ partsOf: async () => [], proven: async ({ funds }) => funds.confirmed },
      isUntold: ({ depositAddress }) => room.books.sightings.isUntold(room.chain.facts.family, depositAddress),
      clock: room.clock,
    });
    const judged = async () => {
      const effect = { effect: 'judge_deadline', due: order.expiresAt } as const;
      return handlers.judge_deadline({ key: '', owner: order.id, effect, tries: 0, troubledSince: undefined }, order);
    };
    room.mine(1, transfer('in time', order.depositAddress, usdc('100')));
    const { chain, books } = room;
    const page = await chain.scan(await books.sightings.cursor(chain.facts.id), async () => new Set());
    await books.sightings.savePage(
      ...([
        chain.facts.id,
        chain.facts.family,
        await books.sightings.cursor(chain.facts.id),
        page,
        room.clock.now(),
      ] as const),
    );
    room.wait(120_000);
    assert.deepEqual(await judged(), { againInMs: 1_000 }, 'it was seen, and nobody has told the order');
    await settle();
    assert.equal(await phaseOf(order.id), 'screening', 'carried out in the end');
    const late = await judged();
    assert.ok(typeof late === 'object' && 'fact' in late);
  });

  test('a round that keeps failing is told by the readiness in words, by a gauge and by a case', async () => {
    const reads = openReads(room.db, room.books.orders, () => '');
    const words = readiness(
      { reads },
      { held: async () => undefined, unwritable: async () => undefined },
      [{ facts: room.chain.facts }],
      room.clock,
    );
    const { scan } = room.chain;
    Object.assign(room.chain, { scan: () => Promise.reject(new Error('http://secret-node says no')) });
    await assert.rejects(room.round());
    assert.equal(
      (await room.caseOf('round_failed'))?.reason,
      'the round "scan Arbitrum One" keeps failing: http://secret-node says no',
    );
    assert.ok((await words()).includes('the round "scan Arbitrum One" keeps failing'));
    const gauges = await reads.counts(room.clock.now());
    assert.ok(gauges.some(({ what, name, n }) => what === 'round' && name === 'scan Arbitrum One' && n === 1));
    Object.assign(room.chain, { scan });
    await room.round();
    assert.ok(!(await words()).some((one) => one.includes('keeps failing')));
  });

  test('the operator reads the ledger with a token in it that nobody listed', async () => {
    const rules = [evmRules(evmNetwork(42161))];
    const catalog = makeCatalog(rules, rules[0] as ChainRules);
    const lines = await openReads(room.db, room.books.orders, catalog.symbol).ledger();
    const line = lines.find(({ asset }) => asset === LIE);
    assert.deepEqual([line?.symbol, line && line.owed >= RULES.mostUnlistedAtoms], [tokenOf(LIE), true]);
    assert.ok(lines.some(({ symbol }) => symbol === 'USDC'));
    assert.throws(() => catalog.asset(LIE), 'as it was asked for before');
  });
});
