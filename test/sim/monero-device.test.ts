import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { walletLogin } from '../../sandbox/nodes/monero-world.ts';
import { startMoneroSimulator } from '../../sandbox/simulators/monero/simulator.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { intentId, txHash } from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { moneroRail } from '../../src/signer/rails/monero.ts';
import { openMoneroDevice } from '../../src/signer/rails/monero-device.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import type { SignedTransfer } from '../../src/world/chains/chain.ts';
import { MONERO_ID, XMR_ASSET } from '../../src/world/chains/monero/rules.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { HOT_KEYS, type MoneroBench, openMoneroBench, XMR } from './monero-bench.ts';

let bench: MoneroBench;
before(async () => {
  bench = await openMoneroBench(await startMoneroSimulator({ hotAddress: HOT_KEYS.address }));
  // Until it knows which addresses were given out, its wallet does not look for outputs.
  await bench.device.depositAddresses(0, 1);
});
after(() => bench?.world.close());

const payout = (number: number): TransferRequest => ({
  ...{ intent: intentId('treasury', 'payout', number), kind: 'payout', owner: 'treasury', from: 'hot' },
  ...{ chainId: MONERO_ID, asset: XMR_ASSET.id, atoms: atoms(XMR), to: bench.world.customerAddress, fee: {} },
});

test('an address that the wallet spells otherwise is given to nobody', async () => {
  const { world } = bench;
  const spend = {
    ...{ walletUrl: world.walletUrl('spend'), walletLogin: present(walletLogin('spend'), 'a login') },
    ...{ walletName: 'spend', walletPassword: new Secret('play money'), keys: HOT_KEYS, restoreHeight: 0 },
  };
  const [mine] = await bench.device.depositAddresses(3, 1);
  const device = await openMoneroDevice(spend, async (call) => {
    const reply = await httpOutbound(call);
    return { ...reply, body: reply.body.replace(present(mine, 'an address'), world.customerAddress) };
  });
  await assert.rejects(device.depositAddresses(2, 3), { kind: 'permanent', message: /subaddress 4 is not ours/ });
  assert.equal((await device.depositAddresses(0, 2)).length, 2);
});

test('inputs are let go of when no payment is being built, and not in the midst of one', async () => {
  const { device, asked } = bench;
  const first = await device.sign(payout(1));
  const before = asked.length;
  const [next] = await Promise.all([device.sign(payout(2)), device.release(first.consumes)]);
  const building = ['transfer', ...next.consumes.map(() => 'freeze'), 'store'];
  const lettingGo = [...first.consumes.map(() => 'thaw'), 'store'];
  assert.deepEqual(asked.slice(before), [...building, ...lettingGo]);
});

test('another hash, cost or input than the bytes have is refused, and nobody has to catch anything', async () => {
  const request = payout(3);
  const signed = await bench.device.sign(request);
  const { tell } = moneroRail(bench.device, HOT_KEYS.address);
  assert.ok(!('refused' in (await tell(signed, request))));
  const others: readonly Partial<SignedTransfer>[] = [
    { txHash: txHash('00'.repeat(32)) },
    { cost: atoms(signed.cost + 1n) },
    { consumes: [] },
  ];
  for (const other of others) {
    const told = await tell({ ...signed, ...other }, request);
    assert.equal('refused' in told && told.refused, 'signed_otherwise', Object.keys(other).join());
  }
});
