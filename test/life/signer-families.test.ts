import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startZcashSimulator } from '../../sandbox/simulators/zcash/simulator.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { bindDestination } from '../../src/kernel/binding.ts';
import { type Address, intentId } from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { openSigner, unixOutbound } from '../../src/signer/client.ts';
import { deriveKeys } from '../../src/signer/keys.ts';
import { bitcoinRail } from '../../src/signer/rails/bitcoin.ts';
import { solanaRail } from '../../src/signer/rails/solana.ts';
import { tronRail } from '../../src/signer/rails/tron.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import { openSeedFile } from '../../src/signer/seed.ts';
import { type SignerConfig, startSigner } from '../../src/signer/start-signer.ts';
import { BITCOIN, bitcoinDepositAddresses } from '../../src/world/chains/bitcoin/address-codec.ts';
import { tronDepositAddresses } from '../../src/world/chains/tron/codec.ts';
import { expiryHeight } from '../../src/world/chains/zcash/codec.ts';
import { ZCASH_ID, ZEC_ASSET } from '../../src/world/chains/zcash/rules.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { BINDING_KEY, handClock, LIMITS, ORDER, payout, temporaryFolder } from '../unit/signer-bench.ts';
import { listLog, PASSPHRASE, seedFile, signerConfig } from './signer-process.ts';

/** A signer for every family, on a Zcash network of its own. */
async function everyFamily(t: TestContext) {
  const folder = temporaryFolder(t);
  const world = await startZcashSimulator();
  t.after(() => world.close());
  const { accountUuid } = world;
  const plenty = { perTransfer: 'unlimited', perDay: 'unlimited' } as const;
  const config: SignerConfig = {
    ...signerConfig(folder),
    ...{ bitcoin: { network: BITCOIN }, solana: true, tron: true },
    zcash: { walletUrl: world.walletUrl('spend'), walletLogin: new Secret(world.walletLogin), accountUuid },
    limits: {
      ...LIMITS,
      assets: { ...LIMITS.assets, [ZEC_ASSET.id]: plenty },
      chains: { ...LIMITS.chains, [ZCASH_ID]: { gas: atoms(0n), cost: atoms(250_000n) } },
    },
  };
  await seedFile(folder);
  const start = (outbound: Outbound) => startSigner(config, { outbound, clock: handClock(), log: listLog() });
  return { folder, world, start, signer: openSigner(unixOutbound(config.socketPath)) };
}

test('what the others may know of each family is told over the socket, and deposits follow from it', async (t) => {
  const { folder, start, signer } = await everyFamily(t);
  const server = await start(httpOutbound);
  t.after(() => server.close());
  const told = await signer.publicKeys();
  const keys = deriveKeys(await openSeedFile(join(folder, 'seed'), PASSPHRASE));
  const [bitcoin, solana, tron] = [bitcoinRail(BITCOIN, keys), solanaRail(keys), tronRail(keys)];
  assert.equal(told.bitcoin?.hot, bitcoin.addressOf('hot'));
  assert.equal(told.solana?.hot, solana.addressOf('hot'));
  assert.equal(told.tron?.hot, tron.addressOf('hot'));
  assert.ok(bitcoinDepositAddresses(BITCOIN, told.bitcoin?.xpub ?? '')(3).startsWith('bc1q'));
  assert.equal(tronDepositAddresses(told.tron?.xpub ?? '')(3), tron.addressOf({ deposit: 3 }));
  const { deposits } = await signer.deriveAddresses('solana', 3, 1);
  assert.deepEqual(deposits, [solana.addressOf({ deposit: 3 })]);
  const [first, second] = await signer.zcashDeposits(0, 2);
  assert.ok(first?.startsWith('u1') && second?.startsWith('u1') && first !== second && first !== told.zcash?.address);
  assert.deepEqual(await signer.zcashDeposits(1, 1), [second]);
  await assert.rejects(signer.zcashDeposits(0, 65), { kind: 'permanent', message: /400/ });
});

test('while a wallet still opens, what needs none is signed, and what needs it is asked for again', async (t) => {
  const { start, signer } = await everyFamily(t);
  let open = () => {};
  const mayOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  const starting = start(async (call) => {
    await mayOpen;
    return httpOutbound(call);
  });
  const up = async (): Promise<unknown> =>
    signer.signTransfer(payout()).catch(() => new Promise(setImmediate).then(up));
  await up();
  const zec = zcashPayout('t1VpYecBW4UudbGcy4ufh61eWxQCoFaUrPs' as Address);
  const own = { ...zec, kind: 'rebalance', owner: 'treasury', intent: intentId('treasury', 'rebalance', 0) } as const;
  await assert.rejects(signer.signTransfer(own), { kind: 'transient', message: 'the wallet is opening' });
  const told = signer.publicKeys();
  open();
  const server = await starting;
  t.after(() => server.close());
  assert.ok((await told).zcash?.address.startsWith('u1'));
});

function zcashPayout(to: Address): TransferRequest {
  return {
    ...{ intent: intentId(ORDER, 'payout', 0), kind: 'payout', owner: ORDER, chainId: ZCASH_ID, from: 'hot', to },
    ...{ asset: ZEC_ASSET.id, atoms: atoms(100_000_000n), fee: { source: 'shielded', most: '250000' } },
    binding: bindDestination(BINDING_KEY, ORDER, 'payout', ZEC_ASSET.id, to),
  };
}

test('Zcash is signed anew only when the wallet itself reads that the time of the first bytes is over', async (t) => {
  const { start, signer, world } = await everyFamily(t);
  const server = await start(httpOutbound);
  t.after(() => server.close());
  const request = zcashPayout(world.freshDestination());
  const first = await signer.signTransfer(request);
  const again = { ...request, afterDead: first.txHash };
  await assert.rejects(signer.signTransfer(again), { kind: 'transient', message: /is good until/ });
  const expiry = expiryHeight(first.raw) ?? 0;
  await world.mine(62);
  const second = await signer.signTransfer(again);
  assert.notEqual(second.txHash, first.txHash);
  assert.ok((expiryHeight(second.raw) ?? 0) > expiry);
  assert.deepEqual(await signer.signTransfer(again), second);
  assert.deepEqual(await signer.signTransfer(request), second);
});
