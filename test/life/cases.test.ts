import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { CaseKind } from '../../src/life/case/case.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { openStories } from './case-stories.ts';

let room: CaseRoom;
let raised: Awaited<ReturnType<typeof openStories>>;
before(async () => {
  room = await openCaseRoom();
  raised = await openStories(room);
});
after(() => room.close());

/** Complete by type. */
const KINDS = Object.keys({
  deposit_orphaned: true,
  deposit_unjudged: true,
  claims_full: true,
  collection_refused: true,
  advance_not_collected: true,
  both_payouts_refused: true,
  refund_refused: true,
  unlisted_refund: true,
  deal_unpaid_late: true,
  fee_refused: true,
  house_payment_refused: true,
  payment_undone: true,
  payment_dead: true,
  payment_stuck: true,
  settlement_refused: true,
  provider_failed: true,
  provider_delivered_other: true,
  provider_delivered_less: true,
  provider_delivered_more: true,
  refund_unasked: true,
  nothing_left_after_fees: true,
  reward_received: true,
  approval_awaited: true,
  inventory_short: true,
  instruction_failed: true,
  stock_low: true,
  venue_row_unexpected: true,
  venue_move_unseen: true,
  round_failed: true,
  breaker_tripped: true,
  drift: true,
  clock_skew: true,
  nodes_disagree: true,
  states_missing: true,
  scanner_behind: true,
  database_behind: true,
  journal_unwritable: true,
  order_forgotten: true,
  signed_after_refusal: true,
  deposit_out_of_reach: true,
  deposit_without_order: true,
  webhook_disabled: true,
} satisfies Record<CaseKind, true>) as readonly CaseKind[];

/** Each is raised once, and its calls are how the money is given back, collected, paid or settled. */
const ONLY_WAYS: readonly CaseKind[] = [
  ...(['collection_refused', 'advance_not_collected', 'refund_refused', 'unlisted_refund'] as const),
  ...(['fee_refused', 'payment_dead'] as const),
];

describe('every case', () => {
  for (const kind of KINDS)
    test(`${kind} is raised where it happens, explains itself, and every call that it offers works`, async () => {
      await raised[kind]();
      const shown = await room.caseOf(kind);
      assert.ok(shown, `${kind} was not raised`);
      assert.ok(shown.meaning.length > 20 && shown.reason.length > 5 && shown.actions.length > 0);
      assert.ok(['now', 'today'].includes(shown.urgency) && !Number.isNaN(Date.parse(shown.since)));
      const named = shown.actions.join('; ').match(/cases\/\{id\}\/[a-z-]+/g) ?? [];
      const offered = shown.calls.map(({ path }) => path.replace(shown.id, '{id}').replace('/operator/', ''));
      for (const one of named) assert.ok(offered.includes(one), `${one} is named and not offered`);

      for (const name of ['retry', 'send-again', 'raise-fee', 'give-back', 'settle', 'approve']) {
        const path = `/operator/cases/${shown.id}/${name}`;
        if (shown.calls.some((one) => one.path === path)) continue;
        const answer = await room.ask('POST', path, { txHash: '0x1', by: 'Ada', reason: 'to see' });
        const isRefused = answer.status === 409 || answer.status === 400;
        assert.ok(isRefused && typeof answer.json().error === 'string', `${name}: ${answer.status}`);
      }
      const close = shown.calls.filter(({ path }) => path.endsWith('/close'));
      const isOnlyWay = ONLY_WAYS.includes(kind);
      assert.equal(close.length, isOnlyWay ? 0 : 1);
      const closePath = `/operator/cases/${shown.id}/close`;
      if (isOnlyWay) {
        const refused = await room.ask('POST', closePath, { by: 'Ada', reason: 'I have seen it' });
        const helps = shown.calls.map(({ path }) => path.split('/').at(-1)).join(', ');
        assert.equal(refused.status, 409);
        assert.match(refused.json().error, new RegExp(`still owed.*closes by itself.*what helps is: ${helps}\\.$`));
      }
      for (const { method, path, body } of [...shown.calls].filter((one) => one !== close[0])) {
        const answer = await room.ask(method, path, body && Object.fromEntries(Object.keys(body).map(example)));
        assert.equal(answer.status, 200, `${path}: ${answer.text}`);
        assert.equal(typeof answer.json().asked, 'string');
      }
      const isGivenBack = shown.calls.some(({ path }) => path.endsWith('/give-back'));
      const { status } = await room.ask('POST', closePath, { by: 'Ada', reason: 'it is dealt with' });
      assert.equal(status, isGivenBack ? 404 : isOnlyWay ? 409 : 200, 'what was given back has closed by itself');
      if (status === 409) return;
      assert.equal((await room.ask('POST', closePath, { by: 'Ada', reason: 'again' })).status, 404);
      assert.ok(!(await room.shown()).some(({ id }) => id === shown.id));
    });
});

const EXAMPLES: Readonly<Record<string, string>> = { txHash: `0x${'1'.repeat(64)}`, approval: 'ab'.repeat(64) };
const example = (name: string): [string, string] => [name, EXAMPLES[name] ?? 'Ada'];
