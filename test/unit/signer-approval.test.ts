import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { given, Misuse } from '../../src/app/command/command.ts';
import { COMMANDS } from '../../src/app/commands.ts';
import { type Atoms, atoms } from '../../src/kernel/amount.ts';
import { approvalText, bindDestination, openBinder, openChecker, readApprovalText } from '../../src/kernel/binding.ts';
import { txHash } from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { evmRail } from '../../src/signer/rails/evm.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import * as bench from './signer-bench.ts';

const { ALICE, API, ARBITRUM, BINDERS, ENGINE, EVM_KEYS, LIMITS, MALLORY, ORDER, OTHER_ORDER, USDC } = bench;
const { fund, intent, openBench, own, payout, temporaryFolder } = bench;

const NEVER = txHash('never-mined');
const KEY = '07'.repeat(32);
const ADA = openBinder(new Secret(Buffer.from(KEY, 'hex')));
const usd = (dollars: number): Atoms => atoms(BigInt(dollars) * 1_000_000n);
const RAILS = [evmRail([ARBITRUM], EVM_KEYS)];

/** Above five hundred dollars somebody else must say yes. */
function desk(t: TestContext, above: Atoms | 'unlimited' = usd(500), file = join(temporaryFolder(t), 'journal')) {
  const bank = openBench(file, RAILS, LIMITS, BINDERS, { above, approvers: openChecker([ADA.publicKey]) });
  const told = async (request: TransferRequest): Promise<string> => {
    const answer = await bank.core.transfer(request);
    return 'refused' in answer ? answer.refused : 'signed';
  };
  return { ...bank, told };
}

const pay = (n: number, dollars: number, change: Partial<TransferRequest> = {}): TransferRequest =>
  payout({ intent: intent(`${ORDER}:payout:${n}`), nonce: n, atoms: usd(dollars), ...change });

const yes = (request: TransferRequest, by = ADA): TransferRequest => ({
  ...request,
  approval: by.sign(approvalText(request)),
});

test('a payment above the value waits for a second yes, which says exactly what is paid to whom', async (t) => {
  const { core, told } = desk(t);
  assert.equal(await told(pay(1, 400)), 'signed');
  const large = payout({ ...pay(2, 600, { owner: OTHER_ORDER }), intent: intent(`${OTHER_ORDER}:payout:2`) });
  const asked = await core.transfer(large);
  assert.ok('refused' in asked && asked.refused === 'approval_awaited');
  assert.deepEqual(readApprovalText(asked.detail), {
    ...{ intent: `${OTHER_ORDER}:payout:2`, kind: 'payout', asset: USDC, atoms: usd(600), to: ALICE },
  });
  assert.equal(await told({ ...large, approval: ADA.sign(asked.detail) }), 'signed');
  assert.equal(await told(large), 'signed', 'what was signed is given again without asking anybody');
});

test('a yes to one payment is none to another, and nobody but an approver gives one', async (t) => {
  const { told } = desk(t);
  const request = pay(1, 600);
  for (const [approved, why] of [
    [pay(1, 599), 'another amount'],
    [pay(2, 600), 'another payment'],
    [pay(1, 600, { to: MALLORY }), 'another address'],
    [pay(1, 600, { asset: bench.ETH }), 'another asset'],
    [pay(1, 600, { kind: 'refund' }), 'another kind'],
  ] as const)
    assert.equal(await told({ ...request, approval: ADA.sign(approvalText(approved)) }), 'approval_awaited', why);
  for (const thief of [API, ENGINE, openBinder(new Secret(new Uint8Array(32).fill(66)))])
    assert.equal(await told(yes(request, thief)), 'approval_awaited');
  assert.equal(await told({ ...request, approval: '00'.repeat(64) }), 'approval_awaited');
  assert.equal(await told(yes(request)), 'signed');
});

test('a yes opens nothing else: what is not bound, not made or too much is refused all the same', async (t) => {
  const { told } = desk(t);
  assert.equal(await told(yes({ ...pay(1, 600), to: MALLORY })), 'unbound_destination');
  const { charter: _, ...unmade } = pay(1, 600);
  assert.equal(await told(yes(unmade)), 'unknown_order');
  assert.equal(
    await told(yes({ ...pay(1, 600), charter: bench.charter(ORDER, USDC, ALICE, usd(1)) })),
    'over_order_amount',
  );
  assert.equal(await told(yes(pay(1, 1_001))), 'over_transfer_limit');
});

test('a large payment in small parts is a large one, over a restart too', async (t) => {
  const file = join(temporaryFolder(t), 'journal');
  const first = desk(t, usd(500), file);
  assert.equal(await first.told(pay(1, 300)), 'signed');
  assert.equal(await first.told(pay(2, 200)), 'signed');
  assert.equal(await first.told(pay(3, 1)), 'approval_awaited');
  first.journal.close();
  const { told } = desk(t, usd(500), file);
  assert.equal(await told(pay(3, 1)), 'approval_awaited');
  assert.equal(await told(yes(pay(3, 1))), 'signed');
});

test('deals, refunds and fees wait as payouts do; what stays ours does not, and without a value nobody is asked', async (t) => {
  const { told } = desk(t);
  assert.equal(await told(fund({ atoms: usd(600) })), 'approval_awaited');
  for (const kind of ['refund', 'fee'] as const) {
    const binding = bindDestination(API, ORDER, kind, USDC, ALICE);
    const request = pay(1, 600, { kind, intent: intent(`${ORDER}:${kind}:1`), binding });
    assert.equal(await told({ ...request, raised: bench.raised(request) }), 'approval_awaited', kind);
  }
  assert.equal(await told(own({ kind: 'rebalance', to: bench.BRIDGE, atoms: usd(900) })), 'signed');
  const careless = desk(t, 'unlimited');
  assert.equal(await careless.told(pay(1, 900)), 'signed');
});

const run = async (name: string, ...args: readonly string[]) => {
  const command = COMMANDS.find((one) => one.name === name) ?? assert.fail(name);
  const told = await command.run(given(command, args));
  assert.ok(told);
  return told;
};

test('`wherry approve` says what it signs, signs nothing else, and needs nothing but the key', async (t) => {
  const key = join(temporaryFolder(t), 'ada.key');
  writeFileSync(key, `${KEY}\n`, { mode: 0o600 });
  const { told } = desk(t);
  const text = approvalText(pay(1, 600));
  const { json, lines } = await run('approve', '--key', key, '--payment', text);
  const { approval } = json as { approval: string };
  assert.deepEqual(lines, [`yes to ${ORDER}:payout:1: 600000000 atoms of ${USDC} to ${ALICE} as payout`, approval]);
  assert.equal(await told({ ...pay(1, 600), approval }), 'signed');
  const again = await run('approve', '--key', key, '--payment', approvalText({ ...pay(1, 600), inPlaceOf: NEVER }));
  assert.match(again.lines?.[0] ?? '', /in place of never-mined, which must be in no block$/);
  const other = [
    '["wherry","charter","sw_x","1:a","1","1:b","x"]',
    ` ${text}`,
    '[]',
    'yes',
    text.replace('"600', '"0600'),
  ];
  for (const wrong of other) await assert.rejects(run('approve', '--key', key, '--payment', wrong), Misuse, wrong);
  await assert.rejects(run('approve', '--payment', text), Misuse);
  writeFileSync(key, 'a passphrase');
  await assert.rejects(run('approve', '--key', key, '--payment', text), /holds no private key/);
  chmodSync(key, 0o644);
  await assert.rejects(run('approve', '--key', key, '--payment', text), /chmod 600/);
});

test('`wherry key` makes a pair that belongs together, another one each time', async () => {
  const [one, two] = [await run('key new', '--json'), await run('key new')].map(
    ({ json }) => json as { privateKey: string; publicKey: string },
  );
  assert.ok(one && two && one.privateKey !== two.privateKey);
  assert.equal(openBinder(new Secret(Buffer.from(one.privateKey, 'hex'))).publicKey, one.publicKey);
});
