import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { bindDestination } from '../../src/kernel/binding.ts';
import type { Address } from '../../src/kernel/ids.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { transition } from '../../src/life/order/transition.ts';
import { newPayment, type Payment } from '../../src/life/payment/payment.ts';
import { decodeEvm } from '../../src/world/chains/evm/codec.ts';
import { ALICE, API, ENGINE, MALLORY, ORDER as OWNER, PROVIDER, USDC } from '../unit/signer-bench.ts';
import { transferRoom } from '../unit/transfer-room.ts';
import { ether } from './market.ts';
import { AT, news, placed, screened } from './order-phases.ts';
import { after, final, isIgnored, swapOrder } from './world.ts';

const FUNDING = newPayment({
  ...{ owner: OWNER, purpose: { for: 'provider_deal', deal: 0 }, from: 'hot', source: `order:${OWNER}` },
  ...{ amount: amount(USDC, 5_000_000n), to: PROVIDER },
  binding: bindDestination(ENGINE, OWNER, 'fund', USDC, PROVIDER),
});
const STUCK_MS = 60_000;

test('9.1: revert, then reorganise, at a provider’s funding: a revert that is not final tells nothing, and the same bytes pay once', async (t) => {
  const room = transferRoom(t);
  room.open(FUNDING);
  await room.work();
  const [signed] = room.versions(FUNDING.id);
  assert.ok(signed);
  const later = () => {
    room.wait(STUCK_MS / 4);
    return room.work();
  };
  room.mine(signed.txHash, { ok: false });
  assert.deepEqual([...(await later()), ...(await later())], [], 'in the first block it reverts');
  room.mine(signed.txHash);
  assert.deepEqual(await later(), ['told transfer_confirmed', 'heard paid'], 'after the reorganisation it works');
  room.mine(signed.txHash, { settled: true });
  assert.deepEqual(await later(), ['told transfer_settled', 'heard settled']);
  assert.deepEqual(
    room.log.filter((one) => one.startsWith('signed')),
    ['signed fund 7'],
  );
});

const placing = after(swapOrder({ collects: false }), final(ether('0.1'), AT), screened(true));
const funding = after(placing, placed(placing));
const sent = (order: Order): Order => {
  const { signed, sent: gone } = news(order, 'provider_deal');
  return after(order, signed, gone);
};
const effectsOf = (order: Order, fact: Fact) => {
  const step = transition(order, fact, RULES);
  return step === 'ignore' ? [] : step.effects.map(({ effect }) => effect);
};
/** Payments to providers that could still take effect, or did. */
const alive = ({ payments }: Order): readonly Payment[] =>
  payments.filter(({ purpose, state }) => purpose.for === 'provider_deal' && state.state !== 'refused');

test('no other provider is funded before the first funding has failed for good', () => {
  const order = sent(funding);
  assert.equal(order.state.phase, 'swapping');
  assert.deepEqual(alive(order).length, 1);
  // Whatever else is told meanwhile: nobody can be placed beside a funding that may still pay.
  assert.ok(isIgnored(order, { ...placed(placing), at: AT } as Fact));
  assert.ok(isIgnored(order, { fact: 'leg_declined', number: 0, refused: true, at: AT }));
  const { failed } = news(order, 'provider_deal');
  assert.deepEqual(effectsOf(order, failed), ['place_leg'], 'final: the money is back and another is looked for');
  const again = after(order, failed);
  assert.deepEqual([again.state.phase, alive(again).length], ['placing', 0]);
  const second = after(again, placed(again));
  assert.deepEqual(
    alive(second).map(({ id }) => id.split(':').slice(1).join(' ')),
    ['fund 1'],
  );
  const { confirmed } = news(order, 'provider_deal');
  assert.ok(isIgnored(second, confirmed), 'what was final cannot come back, so nothing is made of it');
});

test('9.1: a desk that believes a revert at one block funds two providers when the chain is reorganised: so it was won', () => {
  const order = sent(funding);
  const { failed, confirmed } = news(order, 'provider_deal');
  // The planted handler tells as final what one block shows.
  const believed = after(order, failed);
  const second = sent(after(believed, placed(believed)));
  const paidAnew = after(second, news(second, 'provider_deal').confirmed);
  assert.equal(alive(paidAnew).length, 1, 'as far as the order knows');
  const [first] = paidAnew.payments.filter(({ purpose }) => purpose.for === 'provider_deal');
  assert.ok(first?.state.state === 'refused' && 'txHash' in confirmed, 'yet these bytes live and may pay as well');
});

const payoutTo = (number: number, to: Address): Payment =>
  newPayment({
    ...{ owner: OWNER, purpose: { for: 'payout', number }, from: 'hot', source: `order:${OWNER}` },
    ...{ amount: amount(USDC, 5_000_000n), to, binding: bindDestination(API, OWNER, 'payout', USDC, to) },
  });

/** The first address reverts in one block; the block is taken back after another address was given, if one was. */
async function reverted(t: TestContext, isFinalAtOnce: boolean): Promise<readonly number[]> {
  const room = transferRoom(t);
  const [first, second] = [payoutTo(0, MALLORY), payoutTo(1, ALICE)];
  room.open(first);
  await room.work();
  room.mine(present(room.versions(first.id)[0], 'bytes').txHash, { ok: false, settled: isFinalAtOnce });
  room.wait(STUCK_MS / 4);
  if ((await room.work()).includes('heard unpaid')) {
    room.open(second);
    await room.work();
  }
  // The reorganised chain takes in whatever bytes there are, each under a nonce of its own.
  return [first, second].flatMap(({ id }) => room.versions(id).map(({ raw }) => decodeEvm(raw).nonce));
}

test('9.1: a payout that reverts is paid to another address once its failure is final, and not a block sooner', async (t) => {
  assert.deepEqual(await reverted(t, false), [7]);
});

test('9.1: a desk that believes a revert at one block pays two addresses when the chain is reorganised: so it was won', async (t) => {
  assert.deepEqual(await reverted(t, true), [7, 8], 'both live, and neither excludes the other');
});
