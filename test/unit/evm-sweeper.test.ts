import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { getContractAddress, keccak256, recoverTransactionAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { atoms } from '../../src/kernel/amount.ts';
import { Bug } from '../../src/kernel/assert.ts';
import { chainId } from '../../src/kernel/ids.ts';
import { toWire, transferRequest } from '../../src/signer/wire.ts';
import {
  decodeEvm,
  evmAddressOfKey,
  evmAsset,
  evmSweep,
  evmUnsigned,
  isSweep,
  signAuthorization,
  signEvm,
} from '../../src/world/chains/evm/codec.ts';
import {
  DEPLOYER,
  expectSweep,
  placingCall,
  sweeperAddress,
  sweeperCode,
} from '../../src/world/chains/evm/sweeper-codec.ts';
import * as bench from './signer-bench.ts';

const { ARBITRUM, intent, MALLORY, openBench, own, temporaryFolder, USDC } = bench;

const [HOT_KEY, DEPOSIT_KEY] = [new Uint8Array(32).fill(9), new Uint8Array(32).fill(8)];
const [HOT, DEPOSIT] = [evmAddressOfKey(HOT_KEY), evmAddressOfKey(DEPOSIT_KEY)];
const FEE = { gas: '90000', maxFeePerGas: '2000000000', maxPriorityFeePerGas: '10000000' };
const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}` as const;

const sweep = (nonce: number | undefined, code = sweeperAddress(HOT), chain = ARBITRUM, key = DEPOSIT_KEY) => {
  const asked = { chainId: ARBITRUM, asset: USDC, atoms: atoms(25n), to: HOT, nonce: 4, fee: FEE };
  const unsigned = evmSweep(asked, DEPOSIT);
  return nonce === undefined
    ? unsigned
    : { ...unsigned, authorization: signAuthorization({ chainId: chain, code, nonce }, key) };
};

test('a sweep with its authorization is byte for byte what viem signs, and reads back as what it moves', async () => {
  const [hot, deposit] = [HOT_KEY, DEPOSIT_KEY].map((key) => privateKeyToAccount(hex(key)));
  assert.ok(hot && deposit);
  const code = sweeperAddress(HOT) as `0x${string}`;
  const unsigned = sweep(3);
  const { raw, txHash, from } = signEvm(unsigned, HOT_KEY);
  const authorization = await deposit.signAuthorization({ chainId: ARBITRUM, contractAddress: code, nonce: 3 });
  const expected = await hot.signTransaction({
    ...{ type: 'eip7702', chainId: ARBITRUM, nonce: 4, to: DEPOSIT as `0x${string}` },
    ...{ gas: 90_000n, maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 10_000_000n },
    data: unsigned.data as `0x${string}`,
    authorizationList: [authorization],
  });
  assert.equal(raw, expected);
  assert.equal(txHash, keccak256(expected));
  assert.equal(await recoverTransactionAddress({ serializedTransaction: expected as `0x04${string}` }), from);
  const decoded = decodeEvm(raw);
  assert.deepEqual([decoded.from, decoded.payer, decoded.bound], [HOT, DEPOSIT, DEPOSIT]);
  assert.deepEqual(decoded.transfer, { asset: USDC, to: HOT, atoms: 25n });
  expectSweep(decoded, HOT);
});

test('only our own deposit account, bound to our own code on this very chain, passes for a sweep', () => {
  const read = (tx: ReturnType<typeof sweep>, key = HOT_KEY) => decodeEvm(signEvm(tx, key).raw);
  expectSweep(read(sweep(undefined)), HOT);
  for (const wrong of [
    read(sweep(0, MALLORY)),
    read(sweep(0, sweeperAddress(HOT), chainId(1))),
    read(sweep(0, sweeperAddress(HOT), ARBITRUM, HOT_KEY)),
    read(sweep(0), DEPOSIT_KEY),
    read(sweep(undefined), DEPOSIT_KEY),
  ])
    assert.throws(() => expectSweep(wrong, HOT), Bug);
  assert.throws(() => decodeEvm(signEvm({ ...sweep(0), data: '0x', value: 5n }, HOT_KEY).raw), Bug, 'coins beside it');
  assert.throws(() => decodeEvm(signEvm({ ...sweep(0), value: 5n }, HOT_KEY).raw), Bug);
});

test('a sweep is told from every other payment by what it calls alone', () => {
  const isOne = (tx: Parameters<typeof signEvm>[0]) => isSweep(signEvm(tx, HOT_KEY).raw);
  const paid = { chainId: ARBITRUM, atoms: atoms(25n), to: MALLORY, nonce: 4, fee: FEE };
  assert.deepEqual([sweep(3), sweep(undefined)].map(isOne), [true, true]);
  const others = [USDC, evmAsset(ARBITRUM, undefined)].map((asset) => evmUnsigned({ ...paid, asset }));
  assert.deepEqual(others.map(isOne), [false, false]);
});

test('the sweeper has one address on every network, which follows from its code and so from the hot account', () => {
  const bytecode = `0x${placingCall(HOT).slice(2 + 64)}` as const;
  const salt = `0x${'00'.repeat(32)}` as const;
  const from = DEPLOYER as `0x${string}`;
  assert.equal(getContractAddress({ opcode: 'CREATE2', from, salt, bytecode }), sweeperAddress(HOT));
  assert.notEqual(sweeperAddress(DEPOSIT), sweeperAddress(HOT));
  assert.ok(bytecode.endsWith(sweeperCode(HOT).slice(2)));
  assert.equal(sweeperCode(HOT).length, 2 + 2 * 85);
});

test('the signer has the hot account collect a deposit, and says so alike of its bytes, its nonces and its journal', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const { HOT: hot, DEPOSIT_5: deposit } = bench;
  const asked = own({ kind: 'sweep', from: { deposit: 5 }, to: hot, delegated: { authorize: 2 }, nonce: 8 });
  const signed = await core.transfer(asked);
  assert.ok('raw' in signed);
  const decoded = decodeEvm(signed.raw);
  expectSweep(decoded, hot);
  assert.deepEqual([decoded.payer, decoded.transfer.to], [deposit, hot]);
  assert.deepEqual([decoded.nonce, decoded.authorization?.nonce], [8, 2]);
  assert.deepEqual(signed.consumes, [`${ARBITRUM}:${hot}:8`, `${ARBITRUM}:${deposit}:2`]);
  assert.deepEqual(await core.transfer(asked), signed, 'the same bytes again');
  assert.deepEqual(core.signedFor(signed)?.delegated, { authorize: 2 });
});

test('what goes over the socket is read as it was asked: how it is delegated, and gas of a second round', () => {
  const asked = own({ kind: 'sweep', delegated: { authorize: 2 }, intent: intent('treasury:gas1_sweep:0') });
  assert.deepEqual(transferRequest(JSON.parse(toWire(asked))), asked);
});
