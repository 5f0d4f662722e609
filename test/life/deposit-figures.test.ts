import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { twapOf } from '../../src/life/order/view/twap.ts';
import { customerState, errorOf } from '../../src/life/order/view/v2-customer.ts';
import type { Statement } from '../../src/store/db.ts';
import { type DepositRoom, openDepositRoom } from './deposit-room.ts';
import { ETH, USDC, usdc } from './market.ts';
import { AT, news, ORDER_IN } from './order-phases.ts';
import { transfer } from './scripted-chain.ts';
import { after as afterFacts, buyOrder, claimPriced, place, screenedFact } from './world.ts';

const SENT: Statement = {
  name: 'figures_attempt',
  text: `INSERT INTO attempt (chain_id, tx_hash, intent, payment, raw, consumes, cost, created_at)
    VALUES ($1, $2, 'story', $3, '', '{}', 0, 0)`,
};

let room: DepositRoom;
before(async () => {
  room = await openDepositRoom();
  await room.round();
  await room.stock(ETH.id, USDC.id);
});
after(() => room.close());

test('9.20: what is observed never counts gas that the desk itself sent, and confirmations do not fall back for it', async () => {
  const coins = (value: bigint) => amount(ETH.id, value);
  const asked = coins(10n ** 17n);
  const base = buyOrder();
  const id = await room.keep({
    ...base,
    from: ETH,
    asked,
    minimum: asked,
    funds: { ...base.funds, seen: coins(0n), confirmed: coins(0n) },
    used: coins(0n),
  });
  const { depositAddress } = await room.find(id);
  const stray: Fact = { fact: 'stray_observed', total: amount(USDC.id, 5_000_000n), from: { deposit: 1 }, at: AT };
  await room.tell(
    id,
    stray,
    { fact: 'refund_address_given', to: place(USDC.id, 'home'), at: AT },
    (order) => claimPriced(order, 1, AT),
    (order) => news(order, 'refund').priced(7n),
  );
  const { payments } = await room.find(id);
  room.mine(1, transfer('deposit', depositAddress, asked));
  await room.round();
  const before = (await room.find(id)).funds;
  await room.db.query(SENT, [room.chain.facts.id, '0xgas', present(payments[0], 'the refund').id]);
  room.mine(1, transfer('gas', depositAddress, coins(7n)));
  await room.round();
  const { funds } = await room.find(id);
  assert.deepEqual([funds.seen, before.seen], [asked, asked]);
  assert.ok(funds.have > before.have, 'one block more');
});

test('9.20: the quantity of a trade in chunks is its plan until it begins', () => {
  const waiting = buyOrder({ asked: usdc('4000'), chunks: 4 });
  assert.deepEqual(
    [twapOf(waiting)?.status, twapOf(waiting)?.totalQty, twapOf(waiting)?.filledQty],
    ['pending', '4000.00', '0.00'],
  );
});

test('9.20: an order is not told to be refunded while its address is still asked for', () => {
  const asked = afterFacts(ORDER_IN.screening, screenedFact(false, undefined, AT));
  assert.deepEqual(
    [customerState(asked, RULES).kind, errorOf(asked)?.code],
    ['action_required', 'refund_address_required'],
  );
  const given = afterFacts(asked, { fact: 'refund_address_given', to: place(USDC.id, 'home'), at: AT });
  assert.equal(errorOf(given)?.code, 'refunded');
});
