import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { base58 } from '@scure/base';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { approvalText, bindDestination, openBinder, openChecker, readApprovalText } from '../../src/kernel/binding.ts';
import { type Address, type AssetId, type ChainId, type OrderId, txHash } from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { Secret } from '../../src/kernel/secret.ts';
import type { Core } from '../../src/signer/core.ts';
import type { Limits } from '../../src/signer/limits.ts';
import type { TransferRail } from '../../src/signer/rail.ts';
import { solanaKeys, solanaRail } from '../../src/signer/rails/solana.ts';
import { tronKeys, tronRail } from '../../src/signer/rails/tron.ts';
import { zcashRail } from '../../src/signer/rails/zcash.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import { toWire } from '../../src/signer/wire.ts';
import type { SignedTransfer } from '../../src/world/chains/chain.ts';
import { SOLANA_ID, solanaToken, USDC_MINT } from '../../src/world/chains/solana/codec.ts';
import { TRON_ID } from '../../src/world/chains/tron/codec.ts';
import { USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import { encodeAddress } from '../../src/world/chains/zcash/codec.ts';
import { ZCASH_ID, ZEC_ASSET } from '../../src/world/chains/zcash/rules.ts';
import * as bench from './signer-bench.ts';

const { TREE, ORDER, OTHER_ORDER, intent, openBench, payout, temporaryFolder } = bench;

const LIMITS: Limits = {
  ...bench.LIMITS,
  assets: { ...bench.LIMITS.assets, [ZEC_ASSET.id]: bench.NO_LIMIT },
  otherAssets: { ...bench.NO_LIMIT, perDay: atoms(22_000_000n) },
  chains: Object.fromEntries([SOLANA_ID, TRON_ID, ZCASH_ID, bench.ARBITRUM].map((id) => [id, bench.FREE_CHAIN])),
};

const to = (rail: TransferRail): Address =>
  present(rail.addressOf({ deposit: 99 }) ?? rail.addressOf('hot'), 'address');

/** Nothing but a payee, an amount and a time. */
function slotless(rail: TransferRail, asset: AssetId, fee: TransferRequest['fee'], owner = ORDER): TransferRequest {
  const chainId = rail.chains[0] as ChainId;
  const binding = bindDestination(bench.API, owner, 'payout', asset, to(rail));
  const { nonce: _, ...rest } = payout({ owner, chainId, asset, to: to(rail), binding, fee, atoms: atoms(5_000_000n) });
  return rest;
}

async function signed(core: Core, request: TransferRequest): Promise<SignedTransfer> {
  const answer = await core.transfer(request);
  assert.ok('raw' in answer, toWire(answer));
  return answer;
}

const solanaFee = (lastValid: number) => ({
  blockhash: base58.encode(new Uint8Array(32).fill(lastValid % 251)),
  lastValidBlockHeight: String(lastValid),
  ...{ unitLimit: '80000', unitPrice: '10000', accountRent: '0' },
});

const HALF_DAY = 43_200_000;
const tronFee = (time: number) => ({
  ...{ ref_block_bytes: '0a12', ref_block_hash: '0011223344556677', fee_limit: '16285700', overhead: '345000' },
  timestamp: String(time),
  expiration: String(time + HALF_DAY),
});

const MINUTE = 60_000;
const FAMILIES: readonly [string, TransferRail, AssetId, number, (after: number) => TransferRequest['fee']][] = [
  [
    'Solana',
    solanaRail(solanaKeys(TREE)),
    solanaToken(USDC_MINT),
    5 * MINUTE + 1,
    (after) => solanaFee(1_000 + after * 151),
  ],
  [
    'Tron',
    tronRail(tronKeys(TREE)),
    USDT_ASSET.id,
    HALF_DAY + 3 * MINUTE,
    (after) => tronFee(1_700_000_000_000 + after * (HALF_DAY + 3 * MINUTE)),
  ],
];

for (const [name, rail, asset, lifeMs, feeAfter] of FAMILIES) {
  test(`${name}: bytes that somebody calls dead are followed by others when our own clock agrees, a few times, and all count`, async (t) => {
    const file = join(temporaryFolder(t), 'journal');
    const { core, journal, clock } = openBench(file, [rail], LIMITS);
    const request = (after: number) => slotless(rail, asset, feeAfter(after));
    const first = await signed(core, request(0));
    assert.deepEqual(await signed(core, request(1)), first, 'nobody said that they are dead');
    const early = { ...request(9), afterDead: first.txHash };
    assert.deepEqual(
      await signed(core, early),
      first,
      'their time is not over, whatever the new ones say of themselves',
    );
    clock.advance(lifeMs);
    const second = await signed(core, { ...request(1), afterDead: first.txHash });
    assert.notEqual(second.raw, first.raw);
    assert.ok(!second.consumes.some((token) => first.consumes.includes(token)));
    journal.close();

    const next = openBench(file, [rail], LIMITS);
    next.clock.advance(lifeMs);
    const again = next.core;
    assert.deepEqual(await signed(again, request(0)), second);
    const forgot = { ...request(2), afterDead: first.txHash };
    assert.deepEqual(await signed(again, forgot), second, 'whoever forgot the second gets it before there is a third');
    let last = second;
    for (const after of [2, 3]) {
      next.clock.advance(lifeMs);
      const following = await signed(again, { ...request(after), afterDead: last.txHash });
      assert.notEqual(following.raw, last.raw);
      last = following;
    }
    next.clock.advance(lifeMs);
    const fifth = await again.transfer({ ...request(4), afterDead: last.txHash });
    assert.equal('refused' in fifth && fifth.refused, 'buried_too_often');
    const more = await again.transfer(slotless(rail, asset, feeAfter(4), OTHER_ORDER));
    assert.equal('refused' in more && more.refused, name === 'Solana' ? 'over_daily_limit' : false);
  });
}

test('a large payment that died again and again needs one yes, which names the bytes that it follows', async (t) => {
  const [, rail, asset, lifeMs, feeAfter] = present(FAMILIES[1], 'Tron');
  const ada = openBinder(new Secret(new Uint8Array(32).fill(7)));
  const limits = { ...LIMITS, otherAssets: { ...bench.NO_LIMIT, floor: ratio(1n, 1n) } };
  const approval = { above: atoms(0n), approvers: openChecker([ada.publicKey]) };
  const { core, clock } = openBench(join(temporaryFolder(t), 'journal'), [rail], limits, bench.BINDERS, approval);
  const request = (after: number): TransferRequest => slotless(rail, asset, feeAfter(after));
  const yes = ada.sign(approvalText(request(0)));
  let last = await signed(core, { ...request(0), approval: yes });
  for (const after of [1, 2, 3]) {
    clock.advance(lifeMs);
    last = await signed(core, { ...request(after), afterDead: last.txHash, approval: yes });
  }
  clock.advance(lifeMs);
  const fifth = { ...request(4), afterDead: last.txHash };
  const asked = await core.transfer({ ...fifth, approval: yes });
  assert.ok('refused' in asked && asked.refused === 'approval_awaited', 'the yes of the beginning does not do');
  assert.equal(readApprovalText(asked.detail)?.inPlaceOf, last.txHash);
  await signed(core, { ...fifth, approval: ada.sign(asked.detail) });
});

/** A wallet that spends its notes in turn. */
function zcash(t: TestContext, notes: string[]) {
  const address = encodeAddress({ kind: 'transparent', receivers: { p2pkh: new Uint8Array(20).fill(7) } });
  const rail = zcashRail({
    address,
    depositAddresses: async () => [],
    sign: async (request) => ({
      ...{ intent: request.intent, chainId: ZCASH_ID, cost: atoms(15_000n) },
      txHash: txHash(notes.length.toString(16).padStart(64, '0')),
      // Version 5, and an expiry height.
      raw: `05000080${'00'.repeat(12)}${'64000000'}`,
      consumes: [present(notes.shift(), 'a note')],
    }),
  });
  const file = join(temporaryFolder(t), 'journal');
  const { core, clock, journal } = openBench(file, [rail], LIMITS);
  return {
    ...{ core, clock },
    restart: () => {
      journal.close();
      return openBench(file, [rail], LIMITS);
    },
    request: (owner: OrderId = ORDER) => slotless(rail, ZEC_ASSET.id, { source: 'shielded', most: '250000' }, owner),
  };
}

test('Zcash: what dead bytes were to spend may serve another payment, and what living ones spend may not', async (t) => {
  const { core, clock, request } = zcash(t, ['one', 'one', 'two', 'two', 'one']);
  const first = await signed(core, request());
  const serves = { name: 'Fault', kind: 'transient' };
  await assert.rejects(core.transfer(request(OTHER_ORDER)), { ...serves, message: /one serves/ });
  clock.advance(75 * MINUTE + 1);
  const second = await signed(core, { ...request(), afterDead: first.txHash });
  assert.deepEqual(second.consumes, ['two']);
  await assert.rejects(core.transfer(request(OTHER_ORDER)), { ...serves, message: /two serves/ });
  assert.deepEqual((await signed(core, request(OTHER_ORDER))).consumes, ['one']);
});

test('Zcash: what was to be spent by a payment that was given up serves others once its time is over', async (t) => {
  const { core, clock, request, restart } = zcash(t, ['one', 'one', 'one', 'one', 'one']);
  await signed(core, request());
  clock.advance(75 * MINUTE);
  const serves = (order: OrderId) => ({ name: 'Fault', kind: 'transient', message: new RegExp(`one serves ${order}`) });
  await assert.rejects(core.transfer(request(OTHER_ORDER)), serves(ORDER));
  clock.advance(1);
  assert.deepEqual((await signed(core, request(OTHER_ORDER))).consumes, ['one']);
  const third = `sw_${'c'.repeat(26)}` as OrderId;
  await assert.rejects(core.transfer(request(third)), serves(OTHER_ORDER), 'now it serves that one alone');

  const later = restart();
  later.clock.advance(75 * MINUTE);
  await assert.rejects(later.core.transfer(request(third)), serves(OTHER_ORDER));
});

test('where bytes never expire, no proof of death is enough to sign again', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const { txHash: dead } = await signed(core, payout());
  const again = await core.transfer(payout({ afterDead: dead }));
  assert.equal('refused' in again && again.refused, 'never_expires');
  const raised = { gas: '90000', maxFeePerGas: '120000000', maxPriorityFeePerGas: '1200000' };
  const dearer = await core.transfer(payout({ afterDead: dead, fee: raised }));
  assert.equal('refused' in dearer && dearer.refused, 'never_expires');
});

test('a signer that never signed the dead bytes has lost its journal, and signs nothing after them', async (t) => {
  const rail = solanaRail(solanaKeys(TREE));
  const { core } = openBench(join(temporaryFolder(t), 'journal'), [rail], LIMITS);
  const request = slotless(rail, solanaToken(USDC_MINT), solanaFee(1_000));
  const answer = await core.transfer({ ...request, afterDead: txHash('11'.repeat(32)) });
  assert.equal('refused' in answer && answer.refused, 'never_signed');
  await signed(core, { ...request, intent: intent(`${ORDER}:payout:1`) });
});
