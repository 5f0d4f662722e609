import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { base58 } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { bindDestination } from '../../src/kernel/binding.ts';
import { instant } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { openSigner, unixOutbound } from '../../src/signer/client.ts';
import { type Core, openCore } from '../../src/signer/core.ts';
import { openJournal } from '../../src/signer/journal.ts';
import { openKeyTree } from '../../src/signer/keys.ts';
import type { Limits } from '../../src/signer/limits.ts';
import { openMemory } from '../../src/signer/memory.ts';
import { hyperliquidRail } from '../../src/signer/rails/hyperliquid.ts';
import { solana as family, solanaKeys, solanaRail } from '../../src/signer/rails/solana.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import { serveSigner } from '../../src/signer/server.ts';
import { Malformed } from '../../src/signer/shape.ts';
import { signedTransfer, toWire } from '../../src/signer/wire.ts';
import { solanaAddressOfKey } from '../../src/world/chains/solana/address-codec.ts';
import { SOLANA_ID, solanaToken, USDC_MINT } from '../../src/world/chains/solana/codec.ts';
import {
  API,
  aDay,
  CHECKERS,
  charter,
  EVM_KEYS,
  handClock,
  intent,
  LIMITS,
  NO_LIMIT,
  NOBODY_ASKED,
  ORDER,
  OTHER_ORDER,
  TREE,
  temporaryFolder,
  VENUE,
} from './signer-bench.ts';

const RAIL = solanaRail(solanaKeys(TREE));
const HOT = present(RAIL.addressOf('hot'), 'hot address');
const ALICE = solanaAddressOfKey(new Uint8Array(32).fill(3));
const USDC = solanaToken(USDC_MINT);

function payout(change: Partial<TransferRequest> = {}): TransferRequest {
  const { owner = ORDER } = change;
  const order = owner === 'treasury' ? ORDER : owner;
  return {
    ...{ intent: intent(`${owner}:payout:0`), kind: 'payout', owner, chainId: SOLANA_ID, from: 'hot', asset: USDC },
    ...{ atoms: atoms(5_000_000n), to: ALICE },
    binding: bindDestination(API, order, 'payout', USDC, ALICE),
    charter: charter(order, USDC, ALICE),
    fee: {
      blockhash: base58.encode(new Uint8Array(32).fill(9)),
      lastValidBlockHeight: '1000',
      unitLimit: '80000',
      unitPrice: '10000',
      accountRent: '2039280',
    },
    ...change,
  };
}

function openCoreOf(t: TestContext): Core {
  const memory = openMemory(VENUE, () => []);
  const journal = openJournal(join(temporaryFolder(t), 'journal'), TREE.journal, memory.witness);
  t.after(() => journal.close());
  const limits: Limits = {
    ...LIMITS,
    otherAssets: NO_LIMIT,
    chains: { [SOLANA_ID]: aDay(10n ** 7n, 10n ** 7n) },
  };
  const bridge = { asset: USDC, address: ALICE, minimum: 5_000_000n };
  const house = { binders: CHECKERS, limits, bridge, cold: {} };
  const venue = hyperliquidRail(
    { chainId: VENUE, market: '', baseDecimals: 8, tokens: {} },
    EVM_KEYS.key('hot'),
    NOBODY_ASKED,
  );
  return openCore({ house, rails: [RAIL], venue, journal, past: memory, clock: handClock() });
}

const sweep = payout({ kind: 'sweep', from: { deposit: 5 }, to: HOT, intent: intent(`${ORDER}:sweep:0`) });

test('keys follow SLIP-0010 as every wallet derives them, and none of ours is another', () => {
  const words = `${'abandon '.repeat(11)}about`;
  const solana = solanaKeys(openKeyTree(new Secret(mnemonicToSeedSync(words))));
  const known = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk';
  assert.equal(solanaAddressOfKey(solana({ deposit: 0 }).reveal()), known);
  const own = [HOT, ...Array.from({ length: 50 }, (_, deposit) => RAIL.addressOf({ deposit }))];
  assert.equal(new Set(own).size, own.length);
});

test('a payout costs the hot account one signature, a sweep two, and both are read back as asked', async () => {
  for (const [request, signatures] of [
    [payout(), 1n],
    [sweep, 2n],
  ] as const) {
    const signed = await RAIL.sign(request);
    assert.equal(signed.cost, signatures * 5_000n + 800n + 2_039_280n);
    const told = await RAIL.tell(signed, request);
    assert.ok(!('refused' in told));
    const { chainId, from, asset, atoms: amount, to } = told;
    const asked = [request.chainId, RAIL.addressOf(request.from), request.asset, request.atoms, request.to];
    assert.deepEqual([chainId, from, asset, amount, to], asked);
    assert.ok(!(signedTransfer(JSON.parse(toWire(signed))) instanceof Malformed), 'it passes the socket');
    const elsewhere = await RAIL.tell(signed, { ...request, to: RAIL.addressOf({ deposit: 9 }) ?? ALICE });
    assert.notEqual('to' in elsewhere && elsewhere.to, RAIL.addressOf({ deposit: 9 }));
  }
});

test('what cannot be built is said beforehand', () => {
  const fee = payout().fee;
  assert.equal(RAIL.objection(payout()), undefined);
  for (const change of [
    { asset: solanaToken(ALICE) },
    { atoms: atoms(2n ** 64n) },
    { fee: { ...fee, blockhash: 'x' } },
    { fee: { ...fee, unitPrice: '-1' } },
    { fee: { ...fee, unitLimit: '1400001' } },
  ])
    assert.ok(RAIL.objection(payout(change)), JSON.stringify(Object.keys(change)));
});

test('a mint under another spelling of the chain is refused, and no bug', async (t) => {
  const asset = `0${USDC}` as typeof USDC;
  const answer = await openCoreOf(t).transfer(payout({ asset }));
  assert.deepEqual(answer, { refused: 'foreign_asset', detail: `${asset} is not on chain ${SOLANA_ID}` });
});

test('bytes are never outbid, and die five minutes after they were signed, whatever height their caller names', () => {
  const fee = (lastValid: number) => ({ ...payout().fee, lastValidBlockHeight: String(lastValid) });
  assert.equal(RAIL.outbids(fee(9999), fee(1000)), false);
  for (const height of [0, 1_000, 10 ** 12])
    for (const now of [300_007, 300_008])
      assert.equal(RAIL.isOver?.(fee(height), instant(7), instant(now)), now === 300_008);
});

test('two orders that pay the same on one blockhash do not share one transaction', async (t) => {
  const core = openCoreOf(t);
  const first = await core.transfer(payout());
  assert.ok('raw' in first, toWire(first));
  assert.deepEqual(await core.transfer(payout()), first);
  await assert.rejects(
    core.transfer(payout({ owner: OTHER_ORDER })),
    (error) => error instanceof Fault && error.kind === 'transient' && error.message.includes(first.txHash),
  );
  const fee = { ...payout().fee, blockhash: base58.encode(new Uint8Array(32).fill(8)) };
  assert.ok('raw' in (await core.transfer(payout({ owner: OTHER_ORDER, fee }))));
});

test('the core signs a sweep to the hot account, and no payout that costs more than it may', async (t) => {
  const core = openCoreOf(t);
  assert.ok('raw' in (await core.transfer(sweep)));
  const elsewhere = await core.transfer({ ...sweep, intent: intent(`${ORDER}:sweep:1`), to: ALICE });
  assert.ok('refused' in elsewhere && elsewhere.refused === 'not_our_account');
  const dear = await core.transfer(payout({ fee: { ...payout().fee, unitPrice: '1000000000' } }));
  assert.ok('refused' in dear && dear.refused === 'cost_over_cap', toWire(dear));
});

test('addresses are told over the socket, and only as many as are asked for at once', async (t) => {
  const path = join(temporaryFolder(t), 'socket');
  const quiet = { info() {}, warn() {}, error() {} };
  const nobody = () => Promise.reject(new Error('nobody is called'));
  const [open] = family.open({ solana: {} }, { tree: TREE, isPromised: () => false, outbound: nobody });
  const { wallet, publicKeys } = present(open, 'the rail');
  const server = await serveSigner(
    { path, mode: 0o600, calls: 'all' },
    {
      ...{ core: openCoreOf(t), log: quiet },
      publicKeys: async () => ({ solana: await publicKeys() }),
      wallets: new Map([['solana', present(wallet, 'its addresses')]]),
    },
  );
  t.after(() => server.close());
  const signer = openSigner(unixOutbound(path));
  assert.deepEqual(await signer.publicKeys(), { solana: { hot: HOT } });
  assert.deepEqual(
    await signer.depositAddresses('solana', 7, 3),
    [7, 8, 9].map((deposit) => RAIL.addressOf({ deposit })),
  );
  await assert.rejects(signer.depositAddresses('solana', 0, 65), (error) => error instanceof Fault);
});
