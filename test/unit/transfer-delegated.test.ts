import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, chainId, type OrderId, txHash } from '../../src/kernel/ids.ts';
import type { Order } from '../../src/life/order/order.ts';
import { advance } from '../../src/life/payment/advance.ts';
import { laneOf, newPayment, type Payment, type Purpose } from '../../src/life/payment/payment.ts';
import { transferHandlers } from '../../src/life/transfer/handlers.ts';
import type { TransferStage } from '../../src/life/transfer/stage.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import type { Delegated, SignedTransfer, Transfer } from '../../src/world/chains/chain.ts';

const [COIN, TOKEN] = ['1:coin', '1:token'] as AssetId[] as [AssetId, AssetId];
const ORDER = `sw_${'a'.repeat(32)}` as OrderId;
const AT = { at: instant(1) };
const collection = (purpose: Purpose = { for: 'collection' }): Payment =>
  newPayment({
    ...{ owner: ORDER, purpose, from: { deposit: 3 }, amount: amount(TOKEN, 5n), to: 'hot' as Address },
    ...{ source: `deposit:${ORDER}`, payer: { address: 'deposit' as Address, index: 3 }, feePayer: 'sender' },
  });

interface Case {
  readonly payment: Payment;
  /** How the chain would have the hot account collect it, if it would. */
  readonly can?: Delegated | undefined;
  /** Nonces that were handed out before, by what they were handed to. */
  readonly nonces?: Readonly<Record<string, number>>;
  /** What the journal told of, signed before the database was restored. */
  readonly adopted?: Transfer;
  /** The signer made bytes of it, and nobody heard its answer. */
  readonly isLost?: boolean;
}

/** The handlers over a chain that has the hot account collect what it is allowed to, and books that remember nonces. */
function room({ payment, can, nonces = {}, adopted, isLost = false }: Case) {
  const taken = new Map(Object.entries(nonces));
  const asked: Transfer[] = [];
  const signed: TransferRequest[] = [];
  const bytes = {
    intent: payment.id,
    chainId: chainId(1),
    txHash: txHash('0x1'),
    raw: '',
    consumes: [],
    cost: atoms(9n),
  };
  const chain = {
    facts: { id: chainId(1), feePayer: 'sender', assets: [{ id: COIN, native: true }] },
    async terms(transfer: Transfer) {
      asked.push(transfer);
      const delegated = transfer.delegated && can ? { delegated: can } : {};
      return { nonce: delegated.delegated ? 40 : 0, fee: {}, cost: atoms(9n), usual: atoms(7n), ...delegated };
    },
    balance: async () => ({ spendable: atoms(0n), locked: atoms(0n) }),
  };
  const stage = {
    chain: () => chain,
    screen: async () => 'clear',
    boundOf: async () => ({ goes: 'anywhere' }),
    signer: {
      async signTransfer(request: TransferRequest): Promise<SignedTransfer> {
        signed.push(request);
        return bytes;
      },
      signedTransfer: async () => (isLost ? { bytes, isOver: false } : undefined),
    },
    books: {
      returnNonce: async (intent: string) => void taken.delete(intent),
      attempts: async (intent: string) => (adopted && intent === payment.id ? [bytes] : []),
      adopted: async () => adopted,
      lastDead: async () => undefined,
      unplanned: async () => undefined,
      gasOf: async () => 0n,
      between: async () => [],
      hasNonce: async (intent: string) => taken.has(intent),
      async takeNonce(intent: string, _: number, account: string, atLeast: number) {
        const nonce = taken.get(intent) ?? atLeast;
        taken.set(intent, nonce);
        taken.set(account, nonce);
        return nonce;
      },
    },
    clock: { now: () => instant(1) },
  } as unknown as TransferStage;
  const handlers = transferHandlers(stage);
  const job = { key: 'k', owner: ORDER, tries: 1, troubledSince: undefined };
  const order = { id: ORDER, claims: [], funds: {}, payments: [payment] } as unknown as Order;
  return {
    ...{ asked, signed, taken },
    price: () => handlers.price_payment({ ...job, effect: { effect: 'price_payment', payment: payment.id } }, order),
    sign: () =>
      handlers.sign_transfer(
        {
          ...job,
          effect: { effect: 'sign_transfer', payment: payment.id, part: 'main', lane: 'l' },
        },
        order,
      ),
  };
}

const priced = async (one: Case) => {
  const done = await room(one).price();
  assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'payment_priced');
  return [done.fact.isDelegated === true, done.fact.gas.atoms];
};

test('9.5: where the hot account can collect, nothing goes ahead; a refund is sent by the account that holds it', async () => {
  assert.deepEqual(await priced({ payment: collection(), can: { authorize: 0 } }), [true, 0n]);
  assert.deepEqual(await priced({ payment: collection(), can: undefined }), [false, 9n]);
  assert.deepEqual(await priced({ payment: collection({ for: 'refund', claim: 1 }), can: {} }), [false, 9n]);
});

test('whose nonce it uses is settled once it has one, whatever the chain can do by then', async () => {
  const payment = collection();
  assert.deepEqual(await priced({ payment, can: {}, nonces: { [payment.id]: 0 } }), [false, 9n]);
});

test('what was signed before the database was restored is paid for by whoever sent it', async () => {
  const payment = collection();
  const adopted: Transfer = { from: { deposit: 3 }, asset: TOKEN, atoms: atoms(5n), to: 'hot' as Address };
  assert.deepEqual(await priced({ payment, adopted: { ...adopted, delegated: {} } }), [true, 0n]);
  assert.deepEqual(await priced({ payment, adopted }), [false, 0n]);
});

/** Reserved, and to be sent by the hot account. */
function delegated(): Payment {
  const about = { payment: collection().id, gas: amount(COIN, 0n), cost: amount(COIN, 7n), ...AT };
  const advanced = advance(collection(), { fact: 'payment_priced', isDelegated: true, ...about });
  assert.ok(advanced !== 'ignore');
  return advanced.payment;
}

test('9.5: what the hot account sends waits in its lane, and its cost is the treasury’s', () => {
  const payment = delegated();
  assert.equal(laneOf(payment, 'main'), '1:hot');
  const hash = txHash('0x1');
  const about = { payment: payment.id, part: 'main', txHash: hash, ...AT } as const;
  const signed = advance(payment, { fact: 'transfer_signed', ...about });
  assert.ok(signed !== 'ignore');
  const done = advance(signed.payment, { fact: 'transfer_confirmed', cost: amount(COIN, 6n), ...about });
  assert.ok(done !== 'ignore');
  assert.deepEqual(done.postings, [
    { from: `deposit-payment:${payment.id}`, to: `order:${ORDER}`, amount: amount(TOKEN, 5n) },
    { from: 'treasury', to: 'world', amount: amount(COIN, 6n) },
  ]);
});

test('9.5: it is signed with the next nonce of the hot account, and with that of the deposit account when its turn has come', async () => {
  const payment = delegated();
  const first = room({ payment, can: { authorize: 2 } });
  await first.sign();
  const [request] = first.signed;
  assert.deepEqual([request?.nonce, request?.delegated, request?.from], [40, { authorize: 2 }, { deposit: 3 }]);
  assert.deepEqual([first.taken.get('hot'), first.taken.get('deposit:3')], [40, 2]);

  const bound = room({ payment, can: {} });
  await bound.sign();
  assert.deepEqual([bound.signed[0]?.delegated, bound.taken.has('deposit:3')], [{}, false]);

  // A transfer of the account itself has the nonce before it and is not mined yet.
  const early = room({ payment, can: { authorize: 2 }, nonces: { [payment.id.replace('sweep', 'bind_sweep')]: 3 } });
  await assert.rejects(early.sign(), /nonce 3 when it is its turn; the next one is 2/);
  assert.equal(early.signed.length, 0);
});

test('9.5: where the hot account cannot any more, it is priced anew', async () => {
  const payment = delegated();
  const done = await room({ payment, can: undefined }).sign();
  assert.ok(typeof done === 'object' && 'fact' in done);
  assert.equal(done.fact.fact, 'gas_short');
  const due = advance(payment, { fact: 'gas_short', payment: payment.id, ...AT });
  assert.ok(due !== 'ignore');
  const about = { payment: payment.id, gas: amount(COIN, 9n), cost: amount(COIN, 7n), ...AT };
  const ahead = advance(due.payment, { fact: 'payment_priced', ...about });
  assert.ok(ahead !== 'ignore');
  assert.deepEqual(
    [ahead.payment.bearer, ahead.payment.isDelegated, laneOf(ahead.payment, 'main')],
    ['gas', undefined, '1:3'],
  );
});

test('9.5: a nonce that it has from an earlier try goes back, and bytes that were signed with it are heard of', async () => {
  const payment = delegated();
  const binding = payment.id.replace('sweep', 'bind_sweep');
  const nonces = { [payment.id]: 40, [binding]: 2 };
  const free = room({ payment, can: undefined, nonces });
  const done = await free.sign();
  assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'gas_short');
  assert.deepEqual([free.taken.has(payment.id), free.taken.has(binding)], [false, false], 'others can be paid');

  const lost = room({ payment, can: undefined, nonces, isLost: true });
  const told = await lost.sign();
  assert.ok(typeof told === 'object' && 'fact' in told && told.fact.fact === 'transfer_signed' && told.attempt);
  assert.deepEqual([lost.taken.get(payment.id), lost.signed], [40, []], 'they are saved with their nonce');
});
