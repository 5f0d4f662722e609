import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openRoundReports, reportedRound } from '../../src/engine/reported-round.ts';
import type { IntentId } from '../../src/kernel/ids.ts';
import type { CaseKind } from '../../src/life/case/case.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { openStories, priced, signedAndPaid } from './case-stories.ts';
import { USDC, usdc } from './market.ts';
import { AT, news, screened } from './order-phases.ts';
import { place } from './world.ts';

let room: CaseRoom;
let raised: Awaited<ReturnType<typeof openStories>>;
before(async () => {
  room = await openCaseRoom();
  raised = await openStories(room);
});
after(() => room.close());

describe('closing a case', () => {
  test('needs a name and a reason, and keeps both', async () => {
    await room.cases.raise('treasury', { case: 'venue_row_unexpected', row: 'row 9' });
    const path = `/operator/cases/${(await room.caseOf('venue_row_unexpected'))?.id}/close`;
    for (const body of [
      undefined,
      {},
      { by: 'Ada' },
      { reason: 'x' },
      { by: '', reason: 'x' },
      { by: 'A', reason: '' },
    ])
      assert.equal((await room.ask('POST', path, body)).status, 400);
    assert.equal((await room.ask('POST', path, { by: 'Ada', reason: 'it was me' })).status, 200);
    const [row] = await room.db.query({
      name: 'case_test_closed',
      text: `SELECT closed_by, closed_why FROM attention WHERE subject = 'row 9'`,
    });
    assert.deepEqual([row?.['closed_by'], row?.['closed_why']], ['Ada', 'it was me']);
  });

  test('that is not there is 404, whatever it is called', async () => {
    for (const id of ['999999', '0', 'x', '-1', '1e3', '99999999999999999999', '%00'])
      for (const name of ['close', 'give-back'])
        assert.ok(
          [404, 400].includes(
            (await room.ask('POST', `/operator/cases/${id}/${name}`, { by: 'Ada', reason: 'x' })).status,
          ),
        );
  });
});

describe('giving back', () => {
  const decide = async (kind: CaseKind) => {
    const { id, orderId } = (await room.caseOf(kind)) ?? assert.fail(kind);
    const answer = await room.ask('POST', `/operator/cases/${id}/give-back`, {
      by: 'Ada',
      reason: 'the issuer agreed',
    });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(await room.caseOf(kind), undefined);
    return room.find(orderId ?? assert.fail('no order'));
  };

  test('a deposit that could not be collected owes it from its own address, once, and keeps who decided', async () => {
    await raised.collection_refused();
    const order = await decide('collection_refused');
    assert.equal(order.state.phase, 'failed');
    const [claim] = order.claims;
    assert.deepEqual(
      [claim?.amount, claim?.from, claim?.stage],
      [usdc('100'), { deposit: order.depositIndex }, 'pricing'],
    );
    assert.deepEqual(order.used, usdc('0'));
    const again = await room.submit.submit(order.id, 'again', {
      ...{ fact: 'give_back_decided', what: 'deposit', byHand: { by: 'Ada', reason: 'x' }, at: AT },
    });
    assert.equal(again, 'ignored');
    const paid = await room.tell(order.id, priced, (now) => news(now, 'refund').priced(0n), ...signedAndPaid('refund'));
    assert.equal(paid.claims[0]?.stage, 'completed');
  });

  test('a refund whose address is refused asks for another, and is paid there', async () => {
    await raised.refund_refused();
    const order = await decide('refund_refused');
    assert.deepEqual(
      order.claims.map(({ stage, to }) => [stage, to?.address]),
      [
        ['replaced', 'sender'],
        ['address_required', undefined],
      ],
    );
    const done = await room.tell(
      order.id,
      { fact: 'refund_address_given', to: place(USDC.id, 'another'), at: AT },
      priced,
      (now) => news(now, 'refund').priced(0n),
      ...signedAndPaid('refund'),
    );
    assert.deepEqual([done.state.phase, done.claims[1]?.stage], ['refunded', 'completed']);
    assert.equal(done.payments.at(-1)?.to, 'another');
  });
});

describe('what is over closes by itself', () => {
  test('an instruction that works again', async () => {
    await raised.instruction_failed();
    const { id = '', orderId } = (await room.caseOf('instruction_failed')) ?? {};
    const handlers = {
      screen_deposit: async () => ({ fact: screened(true) as Fact }),
      price_payment: async () => ({ againInMs: 1e9 }),
    };
    await room.whileWorking(handlers, async () => {
      assert.equal((await room.ask('POST', `/operator/cases/${id}/retry`)).status, 200);
      await room.until('instruction_failed', false);
    });
    assert.equal((await room.find(orderId ?? assert.fail('no order'))).state.phase, 'collecting');
  });

  test('a payment that waited for a second yes, once somebody has given it', async () => {
    await raised.approval_awaited();
    const { id = '', orderId = assert.fail('no order') } = (await room.caseOf('approval_awaited')) ?? {};
    const payment = `${orderId}:payout:0` as IntentId;
    const path = `/operator/cases/${id}/approve`;
    for (const approval of ['yes', 'AB'.repeat(64), 'ab'.repeat(63)])
      assert.equal((await room.ask('POST', path, { approval, by: 'Ada', reason: 'known' })).status, 400, approval);
    assert.equal((await room.ask('POST', path, { approval: 'ab'.repeat(64) })).status, 400, 'by nobody, for no reason');
    assert.equal(await room.payments.approval(payment), undefined);
    const shown: (string | undefined)[] = [];
    const sign_transfer = async () => {
      shown.push(await room.payments.approval(payment));
      return { againInMs: 1e9 };
    };
    await room.whileWorking({ sign_transfer }, async () => {
      const given = { approval: 'ab'.repeat(64), by: 'Ada', reason: 'the customer is known' };
      assert.equal((await room.ask('POST', path, given)).status, 200);
      await room.until('approval_awaited', false);
    });
    assert.deepEqual(shown, ['ab'.repeat(64)], 'the signer is shown it, at once');
  });

  test('a round that works again, also after its process was replaced', async () => {
    const { clock, cases } = room;
    await cases.raise('treasury', { case: 'round_failed', round: 'treasury', reason: 'no answer' });
    await reportedRound('treasury', openRoundReports({ clock, cases, caseAfterMs: 60_000 }), async () => false)();
    assert.equal(await room.caseOf('round_failed'), undefined);
  });

  test('and an error of unknown kind is a case at once', async () => {
    const { clock, cases } = room;
    const broken = reportedRound('readings', openRoundReports({ clock, cases, caseAfterMs: 60_000 }), () =>
      Promise.reject(new TypeError('undefined is not a function')),
    );
    await assert.rejects(broken(), TypeError);
    assert.match((await room.caseOf('round_failed'))?.reason ?? '', /readings.*not a function/);
  });
});
