import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TronWeb } from 'tronweb';
import { startTronSimulator, type TronSnapshot, type TronWorld } from '../../sandbox/simulators/tron/simulator.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { intentId, txHash } from '../../src/kernel/ids.ts';
import { Follower, followFresh } from '../../src/world/chains/conformance/follower.ts';
import { TRON_ID, tronAddressOfKey } from '../../src/world/chains/tron/codec.ts';
import { TRX_ASSET, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import { openTron } from '../../src/world/chains/tron/tron.ts';
import { signTron, type TronUnsigned, tronUnsigned } from '../../src/world/chains/tron/tx-codec.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { freshAddress, HOT, KEYS, UNIT } from './tron-bench.ts';

const KEY = new Uint8Array(32).fill(5);
const FROM = tronAddressOfKey(KEY);

describe('The simulated node of Tron', () => {
  let world: TronWorld;
  before(async () => {
    world = await startTronSimulator();
    await world.fund(FROM, TRX_ASSET.token, 1_000n * UNIT);
  });
  after(() => world?.close());

  async function ask(path: string, body: unknown): Promise<Record<string, unknown>> {
    const url = `${world.rpcUrl}/${path}`;
    const reply = await httpOutbound({ at: 'test', label: path, url, method: 'POST', body: JSON.stringify(body) });
    return JSON.parse(reply.body) as Record<string, unknown>;
  }

  function unsigned(change: Partial<TronUnsigned> = {}): TronUnsigned {
    const { solid, tip } = world.ledger;
    const fee = {
      ref_block_bytes: solid.height.toString(16).padStart(4, '0'),
      ref_block_hash: solid.id.slice(16, 32),
      expiration: String(tip.time + 60_000),
      timestamp: String(tip.time),
      fee_limit: '0',
      overhead: '0',
    };
    const to = { asset: TRX_ASSET.id, to: freshAddress(), atoms: atoms(UNIT) };
    const payment = { intent: intentId('treasury', 'gas', 1), chainId: TRON_ID, ...to, fee };
    return { ...tronUnsigned(payment, FROM), ...change };
  }

  const codeOf = async (raw: string) => (await ask('wallet/broadcasthex', { transaction: raw })).code;

  it('serves a wallet of Tron’s own making, which builds, signs, sends and looks', async () => {
    const key = Buffer.from(KEY).toString('hex');
    const wallet = new TronWeb({ fullHost: world.rpcUrl, privateKey: key });
    const to = freshAddress();
    await world.mine(18);
    const before = await wallet.trx.getBalance(FROM);
    const built = await wallet.transactionBuilder.sendTrx(to, 2_000_000, FROM);
    const sent = await wallet.trx.sendRawTransaction(await wallet.trx.sign(built, key));
    assert.equal(sent.result, true);
    await world.mine(1);
    assert.equal(await wallet.trx.getUnconfirmedBalance(to), 2_000_000);
    assert.equal(await wallet.trx.getBalance(to), 0, 'it is not solidified');
    const info = await wallet.trx.getUnconfirmedTransactionInfo(built.txID);
    assert.equal(info.fee, 1_100_000);
    assert.deepEqual(await wallet.trx.getTransactionInfo(built.txID), {});
    await world.mine(18);
    assert.equal(await wallet.trx.getBalance(to), 2_000_000);
    assert.equal(await wallet.trx.getBalance(FROM), before - 2_000_000 - 1_100_000);
    assert.equal((await wallet.trx.getTransactionInfo(built.txID)).blockNumber, info.blockNumber);
  });

  it('takes no transaction that a real one would not take', async () => {
    const good = unsigned();
    const { tip } = world.ledger;
    const { raw } = signTron(good, KEY);
    const byAnother = signTron(
      { ...good, from: tronAddressOfKey(new Uint8Array(32).fill(6)) },
      new Uint8Array(32).fill(6),
    );
    const forged = raw.slice(0, -130) + byAnother.raw.slice(-130);
    assert.equal(await codeOf(forged), 'SIGERROR');
    assert.equal(await codeOf(byAnother.raw), 'CONTRACT_VALIDATE_ERROR');
    const otherwise: readonly [Partial<TronUnsigned>, string][] = [
      [{ refBlockHash: '00'.repeat(8) }, 'TAPOS_ERROR'],
      [{ expiration: BigInt(tip.time) }, 'TRANSACTION_EXPIRATION_ERROR'],
      [{ expiration: BigInt(tip.time) + 86_400_001n }, 'TRANSACTION_EXPIRATION_ERROR'],
      [{ atoms: atoms(0n) }, 'CONTRACT_VALIDATE_ERROR'],
      [{ atoms: atoms(10n ** 15n) }, 'CONTRACT_VALIDATE_ERROR'],
      [{ to: FROM }, 'CONTRACT_VALIDATE_ERROR'],
    ];
    for (const [change, code] of otherwise) {
      assert.equal(await codeOf(signTron({ ...good, ...change }, KEY).raw), code, code);
    }
    world.ledger.busy = 1;
    assert.equal(await codeOf(raw), 'SERVER_BUSY');
    assert.equal(await codeOf(raw), 'SUCCESS');
    assert.equal(await codeOf(raw), 'DUP_TRANSACTION_ERROR');
    await world.mine(1);
    assert.equal(await codeOf(raw), 'DUP_TRANSACTION_ERROR');
    assert.ok('Error' in (await ask('wallet/broadcasthex', { transaction: 'beef' })));
  });

  it('does not take the same money twice while the first waits', async () => {
    const { balance } = await ask('wallet/getaccount', { address: `41${'0'.repeat(40)}` });
    assert.equal(balance, undefined, 'nothing is there where nothing was sent');
    const half = unsigned({ atoms: atoms(600n * UNIT) });
    assert.equal(await codeOf(signTron(half, KEY).raw), 'SUCCESS');
    const rest = { ...half, timestamp: half.timestamp + 1n };
    assert.equal(await codeOf(signTron(rest, KEY).raw), 'CONTRACT_VALIDATE_ERROR');
    await world.mine(1);
  });

  it('gives each account some bandwidth a day and burns coins beyond it', async () => {
    const to = freshAddress();
    await world.fund(to, TRX_ASSET.token, UNIT);
    const payer = tronAddressOfKey(new Uint8Array(32).fill(8));
    await world.fund(payer, TRX_ASSET.token, 100n * UNIT);
    const fees: unknown[] = [];
    for (const moment of [1n, 2n, 3n]) {
      const tx = unsigned({ from: payer, to, atoms: atoms(1n), timestamp: moment });
      const { raw, txHash: hash } = signTron(tx, new Uint8Array(32).fill(8));
      assert.equal(await codeOf(raw), 'SUCCESS');
      await world.mine(1);
      fees.push((await ask('wallet/gettransactioninfobyid', { value: hash })).fee);
    }
    assert.deepEqual(fees.slice(0, 2), [undefined, undefined]);
    assert.ok(Number(fees[2]) > 200_000);
  });

  it('drops in a reorganisation what it undoes and nothing else, and what waited still waits', async () => {
    const { token } = USDT_ASSET;
    const [to, later] = [freshAddress(), freshAddress()];
    const { txHash: deep } = await world.pay({ token, to, atoms: UNIT });
    await world.mine(1);
    const { txHash: undone } = await world.pay({ token, to, atoms: 2n * UNIT });
    await world.mine(1);
    const { txHash: waits } = await world.pay({ token, to: later, atoms: UNIT });
    const tip = world.ledger.tip.id;
    for (const drop of ['nonsense', deep, waits]) {
      await assert.rejects(world.reorg(1, [drop]), /in none of the blocks/, drop);
    }
    assert.equal(world.ledger.tip.id, tip);
    await world.reorg(1, [undone]);
    assert.equal((await world.received(token, to)).total, UNIT);
    assert.deepEqual([...world.ledger.pool.keys()], [waits]);
    await world.mine(1);
    assert.equal((await world.received(token, later)).total, UNIT);
  });

  it('makes blocks in its own rhythm', async () => {
    const before = world.ledger.tip.height;
    await world.setAutomine(5);
    while (world.ledger.tip.height < before + 3) await new Promise(setImmediate);
    await world.setAutomine(0);
  });
});

it('a simulated network goes on where its snapshot was taken', async () => {
  const first = await startTronSimulator();
  const config = (world: TronWorld) => ({ nodeUrl: world.rpcUrl, xpub: KEYS.xpub, hotAddress: HOT });
  const { follower, address } = await followFresh(await openTron(config(first), httpOutbound));
  const { token } = USDT_ASSET;
  const mined = await first.pay({ token, to: address, atoms: UNIT });
  await first.mine(1);
  await first.reorg(1, []);
  const pooled = await first.pay({ token, to: address, atoms: 2n * UNIT });
  const snapshot = JSON.parse(JSON.stringify(first.snapshot())) as TronSnapshot;
  const tip = first.ledger.tip.id;
  await first.close();

  const second = await startTronSimulator({ snapshot });
  assert.equal(second.ledger.tip.id, tip);
  const chain = await openTron(config(second), httpOutbound);
  const resumed = new Follower(chain, [address], present(follower.cursor, 'a cursor'));
  await second.mine(1);
  await resumed.catchUp();
  assert.deepEqual(
    [mined, pooled].map((sent) => resumed.only(txHash(sent.txHash)).atoms),
    [UNIT, 2n * UNIT],
  );
  assert.equal((await second.received(token, address)).total, 3n * UNIT);
  await second.close();
});
