import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guardHandlers } from '../../src/app/gates.ts';
import {
  guardSigner,
  HELD_BY,
  HeldByBreaker,
  type SignatureKind,
  tellRefusals,
  untilHeld,
} from '../../src/app/signing-gate.ts';
import type { Handlers } from '../../src/engine/worker.ts';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { chainId, intentId } from '../../src/kernel/ids.ts';
import type { Part } from '../../src/kernel/transfer-part.ts';
import type { Job } from '../../src/life/order/handling.ts';
import type { Order } from '../../src/life/order/order.ts';
import { newPayment, type Owner, type Payment, type Purpose } from '../../src/life/payment/payment.ts';
import type { Scope } from '../../src/life/trip/trip.ts';
import { type SignerClient, SignerRefusal } from '../../src/signer/client.ts';
import type { IntentKind } from '../../src/signer/request.ts';
import type { Breakers } from '../../src/store/gates.ts';
import type { VenueMove } from '../../src/world/venues/venue.ts';
import { ALICE, ARBITRUM, DEPOSIT_5, intent, ORDER, payout, sendHome, trade, USDC } from './signer-bench.ts';

const MONERO = chainId(0);
const openAt = (...scopes: readonly Scope[]): Breakers => ({
  isOpen: async (scope) => (scopes.includes(scope) ? 'a person looks' : undefined),
});

/** A signer that signs whatever it is asked for, and notes it. */
function willing() {
  const signed: string[] = [];
  const note = (what: string) => async () => void signed.push(what) as never;
  const signer = {
    signTransfer: ({ kind }: { kind: IntentKind }) => note(kind)(),
    signTrade: note('trade'),
    signMove: ({ move }: { move: VenueMove }) => note(`move:${move.move}`)(),
    split: note('split'),
  } as unknown as SignerClient;
  return { signed, signer };
}

function paymentFor(purpose: Purpose): Payment {
  const owner: Owner = purpose.for === 'rebalance' ? 'treasury' : ORDER;
  const from = purpose.for === 'collection' ? ({ deposit: 5 } as const) : 'hot';
  const about = { owner, purpose, from, to: ALICE, amount: amount(USDC, 5n), source: 'treasury' } as const;
  return newPayment({ ...about, payer: { address: DEPOSIT_5, index: 5 } });
}

const PAYOUT = paymentFor({ for: 'payout', number: 0 });
const paying = (...payments: readonly Payment[]) => ({ payments }) as unknown as Order;
const booksOf = (...payments: readonly Payment[]) => ({
  find: async (id: Payment['id']) => payments.find((one) => one.id === id),
  hasNonce: async () => false,
});

const KINDS = Object.keys(HELD_BY) as SignatureKind[];

function ask(signer: SignerClient, kind: SignatureKind): Promise<unknown> {
  if (kind === 'trade') return signer.signTrade(trade());
  if (kind === 'split')
    return signer.split({ family: 'monero', intent: intent('split'), count: 2, atomsEach: atoms(1n) });
  if (kind.startsWith('move:')) {
    const request = sendHome();
    const move = { ...request.move, move: kind.slice('move:'.length) } as VenueMove;
    return signer.signMove({ ...request, move });
  }
  return signer.signTransfer(payout({ kind: kind as IntentKind }));
}

const gated = (signer: SignerClient, breakers: Breakers) =>
  guardSigner(signer, breakers, (family) => (family === 'monero' ? [MONERO] : []));

test('9.15: the breaker payouts holds every signature, of every kind that the signer knows', async () => {
  const { signed, signer } = willing();
  const held = gated(signer, openAt('payouts'));
  for (const kind of KINDS) await assert.rejects(ask(held, kind), HeldByBreaker, kind);
  assert.deepEqual(signed, []);
  const closed = gated(signer, openAt());
  for (const kind of KINDS) await ask(closed, kind);
  assert.deepEqual(signed, KINDS, 'with the breaker closed, or without the gate, all of them are signed');
});

test('a chain’s breaker holds what is signed on it, the venue’s what happens there', async () => {
  const heldBy = async (scope: Scope): Promise<readonly SignatureKind[]> => {
    const { signer } = willing();
    const held: SignatureKind[] = [];
    for (const kind of KINDS)
      await ask(gated(signer, openAt(scope)), kind).catch((error: unknown) => {
        assert.ok(error instanceof HeldByBreaker);
        held.push(kind);
      });
    return held;
  };
  const transfers = KINDS.filter((kind) => kind !== 'split' && kind !== 'trade' && !kind.startsWith('move:'));
  assert.deepEqual(await heldBy(`chain:${ARBITRUM}`), transfers);
  assert.deepEqual(await heldBy(`chain:${MONERO}`), ['split']);
  assert.deepEqual(
    await heldBy('venue'),
    KINDS.filter((kind) => kind === 'trade' || kind.startsWith('move:')),
  );
  assert.deepEqual(
    await heldBy('refunds-only'),
    KINDS.filter((kind) => kind !== 'refund'),
    'what is given back is signed through the same gate',
  );
  assert.deepEqual([await heldBy('quotes'), await heldBy('chain:1')], [[], []]);
});

test('where only refunds are paid, what must go ahead of one is signed and what goes ahead of a collection is not, by every way', async () => {
  const { signed, signer } = willing();
  const guarded = gated(signer, openAt('refunds-only'));
  const transfers = ['gas_refund', 'gas1_refund', 'gas_sweep', 'gas2_sweep', 'back_refund'];
  for (const name of transfers) {
    const kinds: readonly IntentKind[] = name.startsWith('back') ? ['reclaim'] : ['gas', 'lend'];
    for (const kind of kinds) {
      const asked = guarded.signTransfer(payout({ intent: intentId(ORDER, name, 0), kind }));
      if (name.startsWith('gas') && name.endsWith('refund')) await asked;
      else await assert.rejects(asked, HeldByBreaker, `${kind} of ${name}`);
    }
  }
  assert.deepEqual(signed, ['gas', 'lend', 'gas', 'lend']);
});

test('bytes after a proof of death and higher fees wait for the breaker as first bytes do, and nobody is woken', async () => {
  const { signed, signer } = willing();
  const board = new Set<Scope>();
  const breakers: Breakers = { isOpen: async (scope) => (board.has(scope) ? 'a person looks' : undefined) };
  const guarded = gated(signer, breakers);
  // As when a payment that is watched is proven dead, or one to be sent has no bytes yet: these sign on their way.
  const signs = async () => {
    await guarded.signTransfer(payout());
    return 'done' as const;
  };
  const handlers = guardHandlers(
    { sign_transfer: signs, send_transfer: signs, watch_transfer: signs, work_ticket: signs } as unknown as Handlers,
    breakers,
    booksOf(),
  );
  const all = () =>
    Promise.all([
      handlers.sign_transfer({ effect: { payment: PAYOUT.id, part: 'main' } } as never, paying(PAYOUT)),
      handlers.send_transfer({} as never, {} as never),
      handlers.watch_transfer({} as never, {} as never),
    ]);
  board.add('payouts');
  assert.deepEqual(await all(), Array(3).fill({ againInMs: 2_000, heldBy: 'payouts: a person looks' }));
  assert.deepEqual(signed, []);
  board.clear();
  assert.deepEqual(await all(), ['done', 'done', 'done']);
  assert.equal(signed.length, 3);
});

test('what is out already is looked for though a breaker is open, for it may be mined by now; what would outbid it is held', async () => {
  const { signed, signer } = willing();
  const guarded = gated(signer, openAt('payouts'));
  let isMined = false;
  const outbids = async () => {
    if (isMined) return 'done' as const;
    await guarded.signTransfer(payout());
    return 'done' as const;
  };
  const handlers = guardHandlers({ sign_transfer: outbids } as unknown as Handlers, openAt('payouts'), booksOf());
  const job = { effect: { payment: PAYOUT.id, part: 'main', replaces: '0xfirst' } } as never;
  const held = { againInMs: 2_000, heldBy: 'payouts: a person looks' };
  assert.deepEqual(await handlers.sign_transfer(job, paying(PAYOUT)), held);
  isMined = true;
  assert.equal(await handlers.sign_transfer(job, paying(PAYOUT)), 'done');
  assert.deepEqual(signed, []);
});

test('where only refunds are paid nothing else even takes a nonce or opens a deal, and every step of a refund goes on', async () => {
  const begun: string[] = [];
  const begins = (what: string) => async () => {
    begun.push(what);
    return 'done' as const;
  };
  const [refund, rebalance] = [paymentFor({ for: 'refund', claim: 0 }), paymentFor({ for: 'rebalance', number: 3 })];
  const order = paying(refund, PAYOUT, paymentFor({ for: 'collection' }));
  const handlers = guardHandlers(
    {
      sign_transfer: async ({ effect }: Job<'sign_transfer'>) => begins(`${effect.part} of ${effect.payment}`)(),
      ...{ place_leg: begins('deal'), work_ticket: begins('trade') },
    } as unknown as Handlers,
    openAt('refunds-only'),
    booksOf(rebalance),
  );
  const signs = (payment: Payment, part: Part, whose?: Order) =>
    handlers.sign_transfer({ effect: { payment: payment.id, part } } as never, whose as Order);
  for (const payment of order.payments) for (const part of ['gas', 'main'] as const) await signs(payment, part, order);
  await signs(rebalance, 'main');
  await handlers.place_leg({} as never, order);
  await handlers.work_ticket({} as never, order);
  assert.deepEqual(begun, [`gas of ${refund.id}`, `main of ${refund.id}`]);
});

test('no payment of the house begins on a chain that is stopped, though no order was read with it', async () => {
  const rebalance = paymentFor({ for: 'rebalance', number: 3 });
  const begins = async (scope: Scope) => {
    const handlers = { sign_transfer: async () => 'done' } as unknown as Handlers;
    const guarded = guardHandlers(handlers, openAt(scope), booksOf(rebalance));
    const job = { effect: { payment: rebalance.id, part: 'main' } } as never;
    return (await guarded.sign_transfer(job, undefined as never)) === 'done';
  };
  assert.deepEqual([await begins(`chain:${ARBITRUM}`), await begins('chain:1')], [false, true]);
});

test('what contradicts the signer is told before the refusal is heard; limits and settings are not', async () => {
  const told: string[] = [];
  const refusing = (refused: string) =>
    tellRefusals(
      {
        ...willing().signer,
        signTransfer: () => Promise.reject(new SignerRefusal(refused, 'as the journal has it')),
        signTrade: () => Promise.reject(new SignerRefusal(refused, 'as the journal has it')),
      },
      async (intent, name) => void told.push(`${intent} ${name}`),
    );
  for (const name of ['nonce_taken', 'over_daily_limit', 'cost_over_cap', 'approval_awaited'])
    await assert.rejects(refusing(name).signTransfer(payout()), SignerRefusal, name);
  await assert.rejects(refusing('trade_changed').signTrade(trade()), SignerRefusal);
  assert.deepEqual(told, [`${payout().intent} nonce_taken`, `${trade().ticket.clientId} trade_changed`]);
});

test('a round that a breaker holds ends quietly; any other trouble of it is told', async () => {
  await untilHeld(async () => {
    throw new HeldByBreaker('move:withdraw', 'payouts', 'a person looks');
  });
  await assert.rejects(
    untilHeld(async () => {
      throw new Error('the venue is down');
    }),
    /the venue is down/,
  );
});
