import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { serve } from '../../sandbox/simulators/zcash/server.ts';
import { startZcashSimulator } from '../../sandbox/simulators/zcash/simulator.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { bindDestination } from '../../src/kernel/binding.ts';
import { type Address, intentId } from '../../src/kernel/ids.ts';
import { openSigner, unixOutbound } from '../../src/signer/client.ts';
import { openKeyTree } from '../../src/signer/keys.ts';
import { bitcoinKeys, bitcoinRail } from '../../src/signer/rails/bitcoin.ts';
import { solanaKeys, solanaRail } from '../../src/signer/rails/solana.ts';
import { tronKeys, tronRail } from '../../src/signer/rails/tron.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import { openSeedFile } from '../../src/signer/seed.ts';
import { type SignerConfig, startSigner } from '../../src/signer/start-signer.ts';
import { bitcoinDepositAddresses } from '../../src/world/chains/bitcoin/address-codec.ts';
import { BITCOIN, LITECOIN } from '../../src/world/chains/bitcoin/networks.ts';
import { tronDepositAddresses } from '../../src/world/chains/tron/codec.ts';
import { expiryHeight } from '../../src/world/chains/zcash/codec.ts';
import { ZCASH_ID, ZEC_ASSET } from '../../src/world/chains/zcash/rules.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import {
  API,
  aDay,
  charter,
  handClock,
  LIMITS,
  NO_LIMIT,
  ORDER,
  payout,
  temporaryFolder,
} from '../unit/signer-bench.ts';
import { listLog, PASSPHRASE, seedFile, showJournal, signerConfig, socketsOf } from './signer-process.ts';

/** A signer for every family, on a Zcash network of its own. */
async function everyFamily(t: TestContext) {
  const folder = temporaryFolder(t);
  const world = await startZcashSimulator();
  t.after(() => world.close());
  const { accountUuid } = world;
  const base = signerConfig(folder);
  const config: SignerConfig = {
    ...base,
    chains: {
      ...base.chains,
      ...{ bitcoin: { network: 'mainnet' }, litecoin: { network: 'mainnet' }, solana: {}, tron: {} },
      zcash: { spendWallet: { url: world.walletUrl('spend'), login: world.walletLogin('spend') }, accountUuid },
    },
    limits: {
      ...LIMITS,
      assets: { ...LIMITS.assets, [ZEC_ASSET.id]: NO_LIMIT },
      chains: { ...LIMITS.chains, [ZCASH_ID]: aDay(0n, 250_000n) },
    },
  };
  await seedFile(folder);
  const clock = handClock();
  const startWith = (given: SignerConfig, outbound: Outbound) =>
    startSigner(given, { outbound, clock, log: listLog() });
  const start = (outbound: Outbound) => startWith(config, outbound);
  return { folder, world, clock, config, start, startWith, signer: openSigner(unixOutbound(socketsOf(folder).engine)) };
}

test('what the others may know of each family is told over the socket, and deposits follow from it', async (t) => {
  const { folder, start, signer } = await everyFamily(t);
  const server = await start(httpOutbound);
  t.after(() => server.close());
  const told = await signer.publicKeys();
  const tree = openKeyTree(await openSeedFile(join(folder, 'seed'), PASSPHRASE));
  const [bitcoin, litecoin] = [BITCOIN, LITECOIN].map((network) =>
    bitcoinRail(network, bitcoinKeys(tree, network.coin)),
  );
  const [solana, tron] = [solanaRail(solanaKeys(tree)), tronRail(tronKeys(tree))];
  assert.deepEqual(Object.keys(told).sort(), ['bitcoin', 'evm', 'litecoin', 'solana', 'tron', 'venue', 'zcash']);
  assert.equal(told.bitcoin?.hot, bitcoin?.addressOf('hot'));
  assert.equal(told.litecoin?.hot, litecoin?.addressOf('hot'));
  assert.notEqual(told.litecoin?.xpub, told.bitcoin?.xpub);
  assert.equal(told.solana?.hot, solana.addressOf('hot'));
  assert.equal(told.tron?.hot, tron.addressOf('hot'));
  assert.ok(bitcoinDepositAddresses(BITCOIN, told.bitcoin?.xpub ?? '')(3).startsWith('bc1q'));
  assert.equal(tronDepositAddresses(told.tron?.xpub ?? '')(3), tron.addressOf({ deposit: 3 }));
  assert.ok(bitcoinDepositAddresses(LITECOIN, told.litecoin?.xpub ?? '')(3).startsWith('ltc1q'));
  assert.deepEqual(await signer.depositAddresses('solana', 3, 1), [solana.addressOf({ deposit: 3 })]);
  const [first, second] = await signer.depositAddresses('zcash', 0, 2);
  assert.ok(first?.startsWith('u1') && second?.startsWith('u1') && first !== second && first !== told.zcash?.hot);
  assert.deepEqual(await signer.depositAddresses('zcash', 1, 1), [second]);
  await assert.rejects(signer.depositAddresses('zcash', 0, 65), { kind: 'permanent', message: /400/ });
  for (const family of ['evm', 'dogecoin'])
    await assert.rejects(signer.depositAddresses(family, 0, 1), { kind: 'permanent', message: /400.*family/ });
  await assert.rejects(signer.balance('zcash'), { kind: 'permanent', message: /400.*family/ });
});

test('the signer does not begin where its wallet is anybody’s, is the engine’s, or has no login of its own', async (t) => {
  const { config, world, startWith, signer } = await everyFamily(t);
  const unlocked = await serve({});
  t.after(() => unlocked.stop());
  const spendWallet = { url: world.walletUrl('spend'), login: world.walletLogin('spend') };
  const view = { url: world.walletUrl('view'), login: world.walletLogin('view') };
  const { accountUuid } = world;
  for (const [zcash, said] of [
    [{ accountUuid, viewWallet: view }, /configuration: \/chains\/zcash\/spendWallet is missing: the signer needs it/],
    [{ accountUuid, viewWallet: { ...view, login: spendWallet.login }, spendWallet }, /has the login of the wallet/],
    [{ accountUuid, viewWallet: { ...view, url: spendWallet.url }, spendWallet }, /is the wallet that the engine sees/],
    [{ accountUuid, spendWallet: { ...spendWallet, url: unlocked.url } }, /the server answers without a login/],
  ] as const) {
    const refused = { kind: 'permanent', message: said };
    await assert.rejects(startWith({ ...config, chains: { ...config.chains, zcash } }, httpOutbound), refused);
    await assert.rejects(signer.publicKeys(), { kind: 'transient' }, 'nobody answers on the socket');
  }
  const server = await startWith(
    { ...config, chains: { ...config.chains, zcash: { accountUuid, viewWallet: view, spendWallet } } },
    httpOutbound,
  );
  await server.close();
});

test('while a wallet still opens, what needs none is signed, and what needs it is asked for again', async (t) => {
  const { folder, start, signer } = await everyFamily(t);
  let open = () => {};
  const mayOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  const starting = start(async (call) => {
    await mayOpen;
    return httpOutbound(call);
  });
  const up = async (): Promise<unknown> => showJournal(folder).catch(() => new Promise(setImmediate).then(up));
  await up();
  await signer.signTransfer(payout());
  const zec = zcashPayout('t1VpYecBW4UudbGcy4ufh61eWxQCoFaUrPs' as Address);
  const own = { ...zec, kind: 'rebalance', owner: 'treasury', intent: intentId('treasury', 'rebalance', 0) } as const;
  await assert.rejects(signer.signTransfer(own), { kind: 'transient', message: 'the wallet is opening' });
  const told = signer.publicKeys();
  open();
  const server = await starting;
  t.after(() => server.close());
  assert.ok((await told).zcash?.hot.startsWith('u1'));
});

function zcashPayout(to: Address): TransferRequest {
  return {
    ...{ intent: intentId(ORDER, 'payout', 0), kind: 'payout', owner: ORDER, chainId: ZCASH_ID, from: 'hot', to },
    ...{ asset: ZEC_ASSET.id, atoms: atoms(100_000_000n), fee: { source: 'shielded', most: '250000' } },
    binding: bindDestination(API, ORDER, 'payout', ZEC_ASSET.id, to),
    charter: charter(ORDER, ZEC_ASSET.id, to),
  };
}

test('Zcash is signed anew only when the wallet itself reads that the time of the first bytes is over', async (t) => {
  const { folder, start, signer, world, clock } = await everyFamily(t);
  const server = await start(httpOutbound);
  t.after(() => server.close());
  await showJournal(folder);
  const request = zcashPayout(world.freshDestination());
  const first = await signer.signTransfer(request);
  const again = { ...request, afterDead: first.txHash };
  assert.deepEqual(await signer.signTransfer(again), first, 'by our own clock it is too early');
  clock.advance(76 * 60_000);
  await assert.rejects(signer.signTransfer(again), { kind: 'transient', message: /is good until/ });
  const expiry = expiryHeight(first.raw) ?? 0;
  await world.mine(62);
  const second = await signer.signTransfer(again);
  assert.notEqual(second.txHash, first.txHash);
  assert.ok((expiryHeight(second.raw) ?? 0) > expiry);
  assert.deepEqual(await signer.signTransfer(again), second);
  assert.deepEqual(await signer.signTransfer(request), second);
});
