import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { bindDestination } from '../../src/kernel/binding.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, intentId, type OrderId } from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { openCore } from '../../src/signer/core.ts';
import { openJournal } from '../../src/signer/journal.ts';
import { metersOf } from '../../src/signer/limits.ts';
import { openMemory } from '../../src/signer/memory.ts';
import { bitcoinKeys, bitcoinRail } from '../../src/signer/rails/bitcoin.ts';
import { hyperliquidRail } from '../../src/signer/rails/hyperliquid.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import { Malformed } from '../../src/signer/shape.ts';
import { toWire, transferRequest } from '../../src/signer/wire.ts';
import { addressOfScript, scriptOfAddress } from '../../src/world/chains/bitcoin/address-codec.ts';
import { type Coin, MAX_COINS, spendingFields } from '../../src/world/chains/bitcoin/codec.ts';
import { BITCOIN } from '../../src/world/chains/bitcoin/networks.ts';
import { encodeTransaction, parseTransaction } from '../../src/world/chains/bitcoin/tx-codec.ts';
import type { SignedTransfer } from '../../src/world/chains/chain.ts';
import {
  API,
  aDay,
  BRIDGE,
  CHECKERS,
  charter,
  EVM_KEYS,
  handClock,
  LIMITS,
  NOBODY_ASKED,
  ORDER,
  OTHER_ORDER,
  TREE,
  temporaryFolder,
  USDC,
  VENUE,
  VENUE_CHARGE,
  XMR1,
} from './signer-bench.ts';

const rail = bitcoinRail(BITCOIN, bitcoinKeys(TREE, BITCOIN.coin));
const HOT = present(rail.addressOf('hot'), 'hot address');
const ALICE = present(addressOfScript(BITCOIN, `76a914${'a1'.repeat(20)}88ac`), 'an address');

const coin = (value: bigint, vout = 0, account: Coin['account'] = { deposit: 5 }): Coin => ({
  ...{ txid: 'ee'.repeat(32), vout, atoms: value, account },
});

function payout(coins: readonly Coin[], fee: bigint, owner: OrderId = ORDER, to: Address = ALICE): TransferRequest {
  return {
    intent: intentId(owner, 'payout', 0),
    kind: 'payout',
    owner,
    chainId: BITCOIN.coin.asset.chainId,
    from: 'hot',
    asset: BITCOIN.coin.asset.id,
    atoms: atoms(100_000n),
    to,
    binding: bindDestination(API, owner, 'payout', BITCOIN.coin.asset.id, to),
    charter: charter(owner, BITCOIN.coin.asset.id, to),
    fee: spendingFields({ coins, fee }),
  };
}

function openSigner(t: TestContext) {
  const memory = openMemory(VENUE, (entry, before) => metersOf(entry, before, LIMITS, VENUE_CHARGE));
  const journal = openJournal(join(temporaryFolder(t), 'journal'), TREE.journal, memory.witness);
  t.after(() => journal.close());
  const limits = {
    ...LIMITS,
    assets: {
      [BITCOIN.coin.asset.id]: { perTransfer: atoms(10n ** 8n), perDay: atoms(10n ** 9n), floor: ratio(0n, 1n) },
    },
    chains: { [BITCOIN.coin.asset.chainId]: aDay(0n, 50_000n) },
  };
  const bridge = { asset: USDC, address: BRIDGE, minimum: 5_000_000n };
  const venue = hyperliquidRail(
    { chainId: VENUE, market: '', baseDecimals: 8, tokens: { [XMR1]: 8 } },
    EVM_KEYS.key('hot'),
    NOBODY_ASKED,
  );
  const house = { binders: CHECKERS, limits, bridge, cold: {} };
  return openCore({ house, rails: [rail], venue, journal, past: memory, clock: handClock() });
}

const bytes = (answer: object): SignedTransfer => {
  assert.ok('raw' in answer, inspect(answer));
  return answer as SignedTransfer;
};
const refusal = (answer: object) => ('refused' in answer ? answer.refused : 'signed');

test('pays the bound address from a deposit and returns the change to the hot address', async (t) => {
  const signed = bytes(await openSigner(t).transfer(payout([coin(500_000n)], 2_000n)));
  const { outputs, inputs } = parseTransaction(signed.raw);
  assert.deepEqual(outputs, [
    { atoms: 100_000n, script: scriptOfAddress(BITCOIN, ALICE) },
    { atoms: 398_000n, script: scriptOfAddress(BITCOIN, HOT) },
  ]);
  assert.deepEqual([signed.cost, signed.consumes], [2_000n, [`${BITCOIN.coin.asset.chainId}:${'ee'.repeat(32)}:0`]]);
  assert.ok(
    inputs.every(({ sequence }) => sequence < 0xffff_fffe),
    'it may be outbid',
  );
});

test('a higher fee gives other bytes with the same inputs; anything else gives the bytes that exist', async (t) => {
  const core = openSigner(t);
  const coins = [coin(500_000n), coin(600_000n, 1, 'hot')];
  const first = bytes(await core.transfer(payout(coins, 2_000n)));
  assert.deepEqual(await core.transfer(payout(coins, 2_000n)), first);
  assert.deepEqual(await core.transfer(payout(coins, 2_100n)), first, 'too little for being passed on again');
  assert.deepEqual(await core.transfer(payout([coin(700_000n, 2)], 9_000n)), first, 'other inputs could both be mined');
  const second = bytes(await core.transfer(payout(coins, 9_000n)));
  assert.notEqual(second.txHash, first.txHash);
  assert.deepEqual(second.consumes, first.consumes);
  const third = bytes(await core.transfer(payout([...coins, coin(700_000n, 2)], 20_000n)));
  assert.deepEqual(third.consumes.slice(0, 2), first.consumes);
});

test('an output is never signed for under two amounts', async (t) => {
  const core = openSigner(t);
  const first = bytes(await core.transfer(payout([coin(500_000n), coin(1_000n, 1)], 2_000n)));
  // Both have the same outputs; a signature from each would make a payment that leaves the rest to a miner.
  const claim = payout([coin(8_000n), coin(500_000n, 1)], 9_000n);
  assert.deepEqual(await core.transfer(claim), first);
});

test('an output that serves one payment serves no other', async (t) => {
  const core = openSigner(t);
  await core.transfer(payout([coin(500_000n)], 2_000n));
  const other = core.transfer(payout([coin(500_000n)], 2_000n, OTHER_ORDER));
  await assert.rejects(other, (error) => error instanceof Fault && error.kind === 'transient');
});

test('what cannot or must not be paid is refused', async (t) => {
  const core = openSigner(t);
  const plain = payout([coin(500_000n)], 2_000n);
  const sweep = { ...plain, kind: 'sweep', from: { deposit: 5 }, to: HOT } as const;
  const changes: readonly [TransferRequest, string][] = [
    [{ ...plain, to: HOT }, 'unbound_destination'],
    [{ ...plain, to: ALICE.toUpperCase() as Address }, 'bad_address'],
    [{ ...plain, nonce: 1 }, 'bad_nonce'],
    [{ ...plain, atoms: atoms(545n) }, 'cannot_build'],
    [{ ...plain, fee: {} }, 'cannot_build'],
    [payout([coin(101_000n)], 2_000n), 'cannot_build'],
    [payout([coin(102_100n)], 2_000n), 'cannot_build'],
    [payout([coin(500_000n)], 50_001n), 'cost_over_cap'],
    [sweep, 'wrong_account'],
    [{ ...plain, kind: 'gas', toDeposit: 5 }, 'not_our_deposit'],
  ];
  for (const [request, name] of changes) assert.equal(refusal(await core.transfer(request)), name);
});

test('bytes that say something else are found out', async () => {
  const request = payout([coin(500_000n)], 2_000n);
  const signed = await rail.sign(request);
  assert.ok(!('refused' in (await rail.tell(signed, request))));
  const tx = parseTransaction(signed.raw);
  const [paid, change] = tx.outputs;
  assert.ok(paid && change);
  const bent = [
    { ...tx, outputs: [paid, { ...change, script: paid.script }] },
    { ...tx, outputs: [paid] },
    { ...tx, outputs: [{ ...paid, script: change.script }, change] },
    { ...tx, outputs: [paid, change, change] },
    { ...tx, inputs: tx.inputs.map((input) => ({ ...input, vout: 1 })) },
    { ...tx, inputs: tx.inputs.map((input) => ({ ...input, witness: [] })) },
  ];
  for (const other of bent) await assert.rejects(rail.tell({ ...signed, raw: encodeTransaction(other) }, request));
  for (const other of [{ cost: atoms(1n) }, { consumes: [] }]) {
    const told = await rail.tell({ ...signed, ...other }, request);
    assert.equal('refused' in told && told.refused, 'signed_otherwise');
  }
});

test('the largest request passes the wire', () => {
  const coins = Array.from({ length: MAX_COINS }, (_, at) =>
    coin(10n ** 15n, 999_999_000 + at, { deposit: 2 ** 31 - 1 }),
  );
  const request = payout(coins, 10n ** 9n);
  const read = transferRequest(JSON.parse(toWire(request)));
  assert.ok(!(read instanceof Malformed), inspect(read));
  assert.deepEqual(read, request);
});
