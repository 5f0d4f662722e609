import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import type { IntentId, OrderId } from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { openKeyTree } from '../../src/signer/keys.ts';
import { tronKeys, tronRail } from '../../src/signer/rails/tron.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import { parseTronAddress, TRON_ID, tronAddressOfHex } from '../../src/world/chains/tron/codec.ts';
import { depthAt, TRX_ASSET, tronRules, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';

const rules = tronRules();
const address = (text: string) => present(parseTronAddress(text), text);
const SOMEONE = address('TJRabPrwbZy45sbavfcjinPJC18kjpRTv8');

test('tokens are named by contract, the coin by its name or as native, and nothing by a symbol', () => {
  assert.equal(rules.parseToken('native'), 'TRX');
  assert.equal(rules.parseToken('TRX'), 'TRX');
  assert.equal(rules.parseToken('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'), USDT_ASSET.token);
  for (const text of ['USDT', 'trx', SOMEONE, '41a614f803b6fd780986a42c78ec9c7f77e6ded13c']) {
    assert.equal(rules.parseToken(text), undefined, text);
  }
});

test('nobody is paid at an address of the system, a furnace or a token', () => {
  const odd = [
    present(tronAddressOfHex('00'.repeat(20)), 'zero'),
    present(tronAddressOfHex('01'.padStart(40, '0')), 'a precompiled contract'),
    address('TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy'),
    address(USDT_ASSET.token),
  ];
  for (const one of odd) assert.ok(rules.refusesDestination(one), one);
  assert.equal(rules.refusesDestination(SOMEONE), undefined);
});

test('the payment link says how much of what', () => {
  assert.equal(rules.depositUri(SOMEONE, TRX_ASSET, undefined), `tron:${SOMEONE}`);
  assert.equal(rules.depositUri(SOMEONE, TRX_ASSET, atoms(1_500_000n)), `tron:${SOMEONE}?amount=1.5`);
  assert.equal(
    rules.depositUri(SOMEONE, USDT_ASSET, atoms(20_000_000n)),
    `tron:${SOMEONE}?amount=20&token=${USDT_ASSET.token}`,
  );
});

test('a block is as deep as it needs to be once it is solidified, and not before', () => {
  const heads = { tip: 130, safe: 110, finalized: 110 };
  assert.deepEqual(depthAt(110, heads, 19), { have: 21, need: 19 });
  assert.deepEqual(depthAt(111, heads, 19), { have: 18, need: 19 });
  assert.deepEqual(depthAt(130, heads, 19), { have: 1, need: 19 });
  assert.deepEqual(depthAt(131, heads, 19), { have: 0, need: 19 });
  assert.deepEqual(depthAt(128, heads, 3), { have: 3, need: 3 });
});

const rail = tronRail(tronKeys(openKeyTree(new Secret(new Uint8Array(64).fill(7)))));
const fee = {
  ref_block_bytes: '0a12',
  ref_block_hash: '0011223344556677',
  expiration: '1700043200000',
  timestamp: '1700000000000',
  fee_limit: '16285700',
  overhead: '345000',
};
const owner = `sw_${'a'.repeat(26)}` as OrderId;
const request: TransferRequest = {
  ...{ intent: `${owner}:payout:0` as IntentId, kind: 'payout', owner, chainId: TRON_ID, from: 'hot' },
  ...{ asset: USDT_ASSET.id, atoms: atoms(5_000_000n), to: SOMEONE, fee },
};

test('the signer’s rail tells from the bytes alone what they pay', async () => {
  for (const from of ['hot', { deposit: 5 }] as const) {
    const signed = await rail.sign({ ...request, from });
    const { asset, atoms: value, to, chainId } = request;
    const told = { chainId, from: rail.addressOf(from), asset, atoms: value, to, nonce: undefined };
    assert.deepEqual(await rail.tell(signed, request), told);
    assert.deepEqual(signed.consumes, [`${TRON_ID}:${signed.txHash}:${fee.expiration}`]);
    assert.equal(signed.cost, 16_285_700n + 345_000n);
    const other = await rail.sign({ ...request, atoms: atoms(1n) });
    await assert.rejects(rail.tell({ ...signed, txHash: other.txHash }, request), { name: 'Bug' });
  }
});

test('the signer’s rail replaces nothing: two artefacts of one intent could both be paid', () => {
  const dearer = { ...fee, fee_limit: '99000000', expiration: '1700086300000' };
  assert.equal(rail.outbids(dearer, fee), false);
  assert.equal(rail.hasNonces, false);
  assert.equal(rail.objection(request), undefined);
  assert.ok(rail.objection({ ...request, fee: {} }));
});
