import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import {
  approvalText,
  type BoundPurpose,
  bindAmount,
  bindDestination,
  writeCharter,
} from '../../src/kernel/binding.ts';
import { AwaitsApproval } from '../../src/kernel/fault.ts';
import { type AssetId, chainOf } from '../../src/kernel/ids.ts';
import type { Order } from '../../src/life/order/order.ts';
import { kindOf, newPayment, type Payment, type Purpose } from '../../src/life/payment/payment.ts';
import { transferHandlers } from '../../src/life/transfer/handlers.ts';
import type { TransferStage } from '../../src/life/transfer/stage.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import { toWire } from '../../src/signer/wire.ts';
import type { Chain } from '../../src/world/chains/chain.ts';
import { solanaRules } from '../../src/world/chains/solana/rules.ts';
import { ORDER_IN } from '../life/order-phases.ts';
import {
  ALICE,
  API,
  ENGINE,
  ETH,
  HOT,
  ORDER,
  openBench,
  PROVIDER,
  payout,
  temporaryFolder,
  USDC,
} from './signer-bench.ts';

const CHARTER = writeCharter(API, ORDER, {
  gives: { asset: ETH, most: atoms(10n ** 17n) },
  gets: { asset: USDC, most: atoms(110_000_000n), address: ALICE },
  places: [],
});

type BoundAmount = Parameters<TransferStage['bindAmount']>;

const paymentOf = (purpose: Purpose, value: bigint, asset: AssetId = USDC, to = ALICE): Payment => {
  const kind = kindOf(purpose);
  const binder = kind === 'fund' ? ENGINE : API;
  const isBound = kind !== 'sweep' && kind !== 'rebalance';
  return {
    ...newPayment({
      ...{ owner: ORDER, purpose, from: 'hot', amount: amount(asset, value), to, source: `order:${ORDER}` },
      ...(isBound ? { binding: bindDestination(binder, ORDER, kind as BoundPurpose, asset, to) } : {}),
    }),
    state: { state: 'reserved' },
  };
};

/** What the engine asks the signer for, for one payment of an order that has all of these; and whether it is signed. */
async function asked(t: TestContext, payments: readonly Payment[], approval?: string) {
  const payment = payments.at(-1) as Payment;
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const requests: TransferRequest[] = [];
  const { fee, nonce = 0 } = payout();
  const { sign_transfer: sign } = transferHandlers({
    chain: () =>
      ({
        facts: { ...solanaRules.facts, id: chainOf(payment.amount.asset) },
        terms: async () => ({ fee, nonce, cost: atoms(1n), usual: atoms(1n) }),
      }) as unknown as Chain,
    signer: {
      async signTransfer(request: TransferRequest) {
        requests.push(request);
        if (approval !== undefined && request.approval === undefined) throw new AwaitsApproval(approvalText(request));
        const answer = await core.transfer(request);
        assert.ok('raw' in answer, toWire(answer));
        return answer;
      },
    },
    screen: async () => 'clear',
    boundOf: async () => ({ goes: 'anywhere' }),
    books: {
      find: async () => payment,
      attempts: async () => [],
      lastDead: async () => undefined,
      adopted: async () => undefined,
      unplanned: async () => undefined,
      takeNonce: async () => nonce,
      returnNonce: async () => {},
      approval: async () => approval,
      between: async () => [],
    },
    clock: { now: () => 1 },
    bindAmount: (...what: BoundAmount) => bindAmount(ENGINE, ...what),
  } as unknown as TransferStage);
  const { state, funds } = ORDER_IN.placing;
  const order = {
    id: ORDER,
    charter: CHARTER,
    payments,
    claims: [],
    sender: undefined,
    state,
    funds,
  } as unknown as Order;
  const effect = { effect: 'sign_transfer', payment: payment.id, part: 'main', lane: 'hot' } as const;
  await sign({ key: 'k', owner: ORDER, effect, tries: 0, troubledSince: undefined }, order);
  const request = requests.at(-1);
  assert.ok(request && requests.length === (approval === undefined ? 1 : 2));
  return request;
}

test('the signer is shown what the order was made for, and what it is paid in all with every payment of its kind', async (t) => {
  const first = paymentOf({ for: 'payout', number: 0 }, 60_000_000n);
  const second = paymentOf({ for: 'payout', number: 1 }, 70_000_000n);
  const back = paymentOf({ for: 'refund', claim: 1 }, 5n, USDC);
  const { charter, raised } = await asked(t, [first, back, second]);
  assert.equal(charter, CHARTER);
  const binding = bindAmount(ENGINE, ORDER, 'payout', USDC, atoms(130_000_000n));
  assert.deepEqual(raised, { most: 130_000_000n, binding });
});

test('more was credited than was asked for: the payout is bound again, and signed', async (t) => {
  const { atoms: paid, raised } = await asked(t, [paymentOf({ for: 'payout', number: 0 }, 900_000_000n)]);
  assert.deepEqual([paid, raised?.most], [900_000_000n, 900_000_000n]);
});

test('deals, fees and refunds of strays are signed with an amount of their own', async (t) => {
  const deal = paymentOf({ for: 'provider_deal', deal: 0 }, 40_000_000n, USDC, PROVIDER);
  const again = paymentOf({ for: 'provider_deal', deal: 1 }, 39_000_000n, USDC, PROVIDER);
  assert.equal((await asked(t, [deal, again])).raised?.most, 79_000_000n);
  const fee = paymentOf({ for: 'integrator_fee', integration: 'i', number: 0 }, 1_000_000n);
  assert.equal((await asked(t, [deal, fee])).raised?.most, 1_000_000n);
  const stray = paymentOf({ for: 'refund', claim: 1 }, 3_000_000n);
  assert.equal((await asked(t, [stray])).raised?.most, 3_000_000n);
});

test('what stays between accounts of our own needs no papers', async (t) => {
  const own = { ...paymentOf({ for: 'rebalance', number: 1 }, 1n, USDC, HOT) };
  const { charter, raised } = await asked(t, [own]);
  assert.deepEqual([charter, raised], [undefined, undefined]);
});

test('a second yes that somebody gave is shown to the signer when it asks for one', async (t) => {
  const payment = paymentOf({ for: 'payout', number: 0 }, 5_000_000n);
  assert.equal((await asked(t, [payment])).approval, undefined);
  assert.equal((await asked(t, [payment], 'ab'.repeat(64))).approval, 'ab'.repeat(64));
});
