import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Address, type AssetId, chainId, type IntentId, type OrderId, type TxHash } from '../../src/kernel/ids.ts';
import { type Case, type CaseKind, type CaseOf, subjectOf } from '../../src/life/case/case.ts';
import { guideFor } from '../../src/operator/case-guide.ts';

const SRC = join(import.meta.dirname, '../../src');
/** They know every kind, and raise none. */
const TABLES = [
  'life/case/case.ts',
  'operator/case-guide.ts',
  'operator/past-guides.ts',
  'life/order/cases-over.ts',
  'life/payment/cases-over.ts',
];

const payment = 'sw_order:payout:0' as IntentId;
const txHash = '0xhash' as TxHash;
const asset = '1:ETH' as AssetId;

/** One of each kind, complete by type. */
const EACH: { readonly [K in CaseKind]: CaseOf<K> } = {
  deposit_orphaned: { case: 'deposit_orphaned', asset, atoms: 29n, usd: '28.00' },
  deposit_unjudged: {
    case: 'deposit_unjudged',
    chain: chainId(30),
    address: 'poisoned' as Address,
    reason: 'overflow',
  },
  claims_full: { case: 'claims_full' },
  collection_refused: { case: 'collection_refused', reason: 'frozen' },
  advance_not_collected: { case: 'advance_not_collected', reason: 'frozen' },
  both_payouts_refused: { case: 'both_payouts_refused', reason: 'frozen' },
  refund_refused: { case: 'refund_refused', claim: 31, reason: 'frozen' },
  unlisted_refund: { case: 'unlisted_refund', claim: 39, asset },
  refund_unasked: { case: 'refund_unasked', claim: 38 },
  deal_unpaid_late: { case: 'deal_unpaid_late', deal: 32, reason: 'frozen' },
  fee_refused: { case: 'fee_refused', reason: 'frozen' },
  house_payment_refused: { case: 'house_payment_refused', payment, reason: 'frozen' },
  payment_undone: { case: 'payment_undone', payment, txHash },
  signed_after_refusal: { case: 'signed_after_refusal', payment, chain: chainId(48), txHash },
  payment_dead: { case: 'payment_dead', payment, part: 'main', txHash, proof: 'nonce used' },
  payment_stuck: { case: 'payment_stuck', payment, part: 'gas', txHash, reason: 'no room' },
  settlement_refused: { case: 'settlement_refused', payment, part: 'main', txHash, reason: 'it pays less' },
  provider_failed: { case: 'provider_failed', provider: 'acme', deal: 'theirs-33', reason: 'lost' },
  provider_delivered_other: { case: 'provider_delivered_other', provider: 'acme', asset },
  provider_delivered_more: { case: 'provider_delivered_more', provider: 'acme', deal: 'theirs-40', asset, atoms: 41n },
  provider_delivered_less: { case: 'provider_delivered_less', provider: 'acme', deal: 'theirs-39', asset, atoms: 40n },
  nothing_left_after_fees: { case: 'nothing_left_after_fees' },
  reward_received: { case: 'reward_received', asset, atoms: 34n },
  stock_low: { case: 'stock_low', asset, atoms: 44n, low: 45n, target: 46n },
  inventory_short: { case: 'inventory_short', asset },
  instruction_failed: { case: 'instruction_failed', instruction: 'sign_transfer', reason: 'no keys' },
  venue_row_unexpected: { case: 'venue_row_unexpected', row: 'row-35' },
  venue_move_unseen: { case: 'venue_move_unseen', move: 'withdraw', nonce: 36 },
  nodes_disagree: {
    case: 'nodes_disagree',
    chain: chainId(47),
    about: '0xdeposit',
    first: 'that it is there',
    second: 'that it is not',
  },
  states_missing: { case: 'states_missing', chain: chainId(48), first: 49, last: 50 },
  scanner_behind: { case: 'scanner_behind', chain: chainId(48), at: 51, tip: 52 },
  clock_skew: { case: 'clock_skew', against: 'venue', seconds: 41 },
  database_behind: { case: 'database_behind', reason: 'the journal knows 38 signatures more' },
  journal_unwritable: { case: 'journal_unwritable', reason: 'the disk of the journal has 42 bytes left' },
  order_forgotten: { case: 'order_forgotten', order: 'sw_39' as OrderId, signed: ['sw_39:payout:0'] },
  deposit_out_of_reach: {
    ...{ case: 'deposit_out_of_reach', asset, atoms: 51n, address: '0xhome' as Address, txHash },
    sender: '0xsender' as Address,
    why: 'it is locked until block 52',
  },
  deposit_without_order: { case: 'deposit_without_order', asset, atoms: 40n, address: '0xhome' as Address, txHash },
  webhook_disabled: { case: 'webhook_disabled', webhook: 'hook_x' },
  approval_awaited: { case: 'approval_awaited', payment, text: '["wherry","approval"]' },
  round_failed: { case: 'round_failed', round: 'scan Monero', reason: 'no answer' },
  breaker_tripped: { case: 'breaker_tripped', trip: 'money_lost:1h', scope: 'refunds-only', reason: 'lost 43' },
  drift: { case: 'drift', asset, atoms: -37n },
};
const KINDS = Object.keys(EACH) as readonly CaseKind[];

interface Place {
  readonly file: string;
  readonly kind: string;
}

/** Where cases are raised: a value with a kind. One with a subject beside it only names which of them are over. */
function raisedIn(file: string): readonly Place[] {
  const source = readFileSync(join(SRC, file), 'utf8');
  const literals = [...source.matchAll(/case: '(\w+)'(?!, subject)/g)];
  return literals.map(([, kind = '']) => ({ file, kind }));
}

const RAISED = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !TABLES.includes(file))
  .flatMap(raisedIn);

test('every place that raises a case has a guide for it, and every kind is raised somewhere', () => {
  for (const { file, kind } of RAISED) assert.ok(KINDS.includes(kind as CaseKind), `${kind} of ${file} has no guide`);
  const raised = new Set(RAISED.map(({ kind }) => kind));
  const idle = KINDS.filter((kind) => !raised.has(kind));
  assert.deepEqual(idle, [], 'kinds that nothing raises');
});

test('a guide says all that its case knows, what it means and what can be done', () => {
  for (const kind of KINDS) {
    const about: Case = EACH[kind];
    const { case: _, ...known } = about;
    const { reason, meaning, urgency, actions } = guideFor(about);
    for (const [name, value] of Object.entries(known)) {
      const isSaid = reason.includes(String(value));
      assert.ok(isSaid, `${kind} does not say its ${name}: ${reason}`);
    }
    assert.ok(reason.length > 0 && !/undefined|\[object/.test(reason), `${kind}: ${reason}`);
    assert.match(meaning, /^[A-Z].*\.$/s, kind);
    assert.ok(urgency === 'now' || urgency === 'today', kind);
    assert.ok(actions.length > 0, `nothing can be done about ${kind}`);
  }
  const meanings = KINDS.map((kind) => guideFor(EACH[kind]).meaning);
  assert.equal(new Set(meanings).size, KINDS.length, 'no two kinds mean the same');
});

test('cases of one kind that are about different things stand beside each other', () => {
  for (const kind of KINDS) {
    const about = EACH[kind];
    assert.equal(subjectOf(about), subjectOf({ ...about }));
    if ('payment' in about)
      assert.notEqual(subjectOf(about), subjectOf({ ...about, payment: 'treasury:rebalance:1' as IntentId }), kind);
  }
});
