import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screenDestinations } from '../../src/app/gates.ts';
import type { Desk } from '../../src/engine/desk.ts';
import { amount } from '../../src/kernel/amount.ts';
import { bindDestination } from '../../src/kernel/binding.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, chainId } from '../../src/kernel/ids.ts';
import type { Order } from '../../src/life/order/order.ts';
import { newPayment, type Payment } from '../../src/life/payment/payment.ts';
import { refusedByScreening } from '../../src/life/transfer/screened.ts';
import { wantedOf } from '../../src/life/transfer/wanted.ts';
import { decodeAddress, encodeAddress } from '../../src/world/chains/monero/codec.ts';
import { MONERO_DEFAULTS, MONERO_ID, moneroRules } from '../../src/world/chains/monero/rules.ts';
import { encodeAddress as encodeZcash, zcashSpellings } from '../../src/world/chains/zcash/codec.ts';
import { inEverySpelling, type Screen } from '../../src/world/screening/screen.ts';
import { ALICE, API, MALLORY, ORDER, USDC } from './signer-bench.ts';
import { transferRoom } from './transfer-room.ts';

const knows =
  (...listed: readonly string[]): Screen =>
  async (_, addresses) =>
    addresses.some((one) => listed.includes(one)) ? 'hit' : 'clear';
/** The planted counterpart: a desk that screens nobody. */
const asleep: Screen = async () => 'clear';

test('9.16: screening by half: destination, refund and payout address are screened when they are given', async () => {
  const reached: string[] = [];
  const desk = {
    create: async () => reached.push('create'),
    command: async () => reached.push('command'),
  } as unknown as Desk;
  const to = (address: string) => ({ asset: USDC, address: address as Address, binding: '' });
  const create = (guarded: Desk, destination: string, refundTo?: string) =>
    guarded.create({ destination: to(destination), refundTo: refundTo && to(refundTo) } as never, {} as never);
  const give = (guarded: Desk, command: 'give_refund_address' | 'give_payout_address', address: string) =>
    guarded.command(ORDER, { command, to: to(address) });
  const screened = screenDestinations(desk, knows('listed'));
  const fieldsOf = (answer: unknown) => {
    const { refusal, fields } = answer as { refusal: string; fields: { field: string }[] };
    return [refusal, ...fields.map(({ field }) => field)];
  };
  assert.deepEqual(fieldsOf(await create(screened, 'listed')), ['address_refused', 'toAddress']);
  assert.deepEqual(fieldsOf(await create(screened, 'clean', 'listed')), ['address_refused', 'refundAddress']);
  assert.deepEqual(fieldsOf(await create(screened, 'listed', 'listed')), [
    'address_refused',
    'toAddress',
    'refundAddress',
  ]);
  assert.deepEqual(fieldsOf(await give(screened, 'give_refund_address', 'listed')), [
    'address_refused',
    'refundAddress',
  ]);
  assert.deepEqual(fieldsOf(await give(screened, 'give_payout_address', 'listed')), [
    'address_refused',
    'payoutAddress',
  ]);
  assert.deepEqual(reached, []);
  await create(screened, 'clean', 'clean');
  await give(screened, 'give_payout_address', 'clean');
  await screened.command(ORDER, { command: 'close_wait' });
  await create(screenDestinations(desk, asleep), 'listed');
  assert.deepEqual(reached, ['create', 'command', 'command', 'create'], 'without screening the listed one gets in');
});

test('not knowing whether an address is listed is no reason to take it', async () => {
  const down: Screen = async () => {
    throw new Fault('transient', 'screening', 'down');
  };
  const desk = screenDestinations({ create: () => assert.fail('it was taken') } as unknown as Desk, down);
  await assert.rejects(desk.create({ destination: { asset: USDC, address: ALICE } } as never, {} as never), Fault);
});

const PAYOUT = newPayment({
  ...{ owner: ORDER, purpose: { for: 'payout', number: 0 }, from: 'hot', source: `order:${ORDER}` },
  ...{ amount: amount(USDC, 5_000_000n), to: ALICE },
  binding: bindDestination(API, ORDER, 'payout', USDC, ALICE),
});

test('9.16: screening by half: an address that was listed after it was taken is not paid, and nothing is signed', async (t) => {
  const room = transferRoom(t);
  room.listed.add(ALICE);
  room.open(PAYOUT);
  assert.deepEqual(await room.work(), ['told payment_refused', 'heard unpaid']);
  assert.deepEqual(room.versions(PAYOUT.id), []);
  const careless = transferRoom(t);
  careless.open(PAYOUT);
  assert.equal((await careless.work())[0], 'signed payout 7', 'a room that does not know of the list pays');
});

test('what was signed before its address was listed is paid, though nobody heard of it: its money is not the order’s again', async (t) => {
  const room = transferRoom(t);
  room.open(PAYOUT);
  room.lost.add(PAYOUT.id);
  await assert.rejects(room.work(), { kind: 'transient' });
  assert.deepEqual(room.versions(PAYOUT.id), [], 'the answer was lost');
  room.listed.add(ALICE);
  const told = await room.work();
  assert.ok(told.includes('told transfer_signed') && !told.includes('told payment_refused'), told.join());
  assert.equal(room.versions(PAYOUT.id).length, 1);
});

test('of a payment that is refused before anything was signed the nonce serves the next one', async (t) => {
  const room = transferRoom(t);
  room.listed.add(ALICE);
  room.open(PAYOUT);
  await room.work();
  assert.equal(room.nonceOf(PAYOUT.id), undefined);
});

test('what a breaker holds keeps no nonce, unless its bytes may exist', async (t) => {
  const room = transferRoom(t);
  room.held.add(PAYOUT.id);
  room.open(PAYOUT);
  await assert.rejects(room.work(), { kind: 'transient', at: 'breaker' });
  assert.equal(room.nonceOf(PAYOUT.id), undefined, 'whoever comes next takes it');
  room.held.clear();
  room.lost.add(PAYOUT.id);
  await assert.rejects(room.work(), { kind: 'transient', at: 'signer' });
  room.held.add(PAYOUT.id);
  await assert.rejects(room.work(), { kind: 'transient', at: 'breaker' });
  assert.equal(room.nonceOf(PAYOUT.id), 7, 'it was signed with');
});

test('a payment that is under way is not outbid once its address is listed: a person is told instead', async (t) => {
  const room = transferRoom(t);
  room.open(PAYOUT);
  await room.work();
  room.listed.add(ALICE);
  room.wait(15_000);
  await room.work();
  room.wait(60_000);
  const told = await room.work();
  assert.deepEqual(
    told.filter((one) => one.startsWith('signed')),
    [],
  );
  assert.ok(told.includes('case payment_stuck'), told.join());
  assert.equal(room.versions(PAYOUT.id).length, 1);
});

test('what goes back to the very account it came from is returned, all other payments to strangers are screened', async () => {
  const to = MALLORY;
  const order = { claims: [], sender: { asset: USDC, address: MALLORY, binding: '' } } as unknown as Order;
  const about = { owner: ORDER, from: 'hot', amount: amount(USDC, 5n), to, source: `order:${ORDER}` } as const;
  const stage = { screen: knows(MALLORY), boundOf: async () => ({ goes: 'anywhere' }) as const };
  const refusal = async (purpose: Payment['purpose'], owner: Order | undefined = order) =>
    (await refusedByScreening(stage, wantedOf(newPayment({ ...about, purpose }), 'main'), owner))?.refused;
  const refused = 'the address did not pass screening';
  assert.equal(await refusal({ for: 'refund', claim: 1 }), undefined);
  assert.equal(await refusal({ for: 'refund', claim: 1 }, { ...order, sender: undefined }), refused);
  assert.equal(await refusal({ for: 'payout', number: 0 }), refused);
  assert.equal(await refusal({ for: 'provider_deal', deal: 0 }), refused);
  assert.equal(await refusal({ for: 'integrator_fee', integration: 'i', number: 0 }), refused);
  assert.equal(await refusal({ for: 'rebalance', number: 0 }), undefined);
});

test('a listed wallet is known in every spelling of its address', async () => {
  const listed = moneroRules(MONERO_DEFAULTS).facts.addressExample as Address;
  const wallet = decodeAddress(listed);
  assert.ok(wallet);
  const standard = encodeAddress({ ...wallet, kind: 'standard' });
  const disguised = encodeAddress({ ...wallet, kind: 'integrated', paymentId: new Uint8Array(8).fill(7) });
  const { spellings } = moneroRules(MONERO_DEFAULTS);
  const asked = inEverySpelling(knows(standard), (_, address) => spellings?.(address) ?? []);
  assert.equal(await asked(MONERO_ID, [disguised]), 'hit');
  assert.equal(await knows(standard)(MONERO_ID, [disguised]), 'clear', 'by its text alone it passes');
  assert.equal(await asked(MONERO_ID, [listed]), 'clear', 'a subaddress shows no other');

  const receivers = { p2pkh: new Uint8Array(20).fill(1), orchard: new Uint8Array(43).fill(2) };
  const unified = encodeZcash({ kind: 'unified', receivers });
  const transparent = encodeZcash({ kind: 'transparent', receivers: { p2pkh: receivers.p2pkh } });
  assert.ok(zcashSpellings(unified).includes(transparent));
  assert.equal(
    await inEverySpelling(knows(transparent), (_, one) => zcashSpellings(one))(chainId(1), [unified]),
    'hit',
  );
});
