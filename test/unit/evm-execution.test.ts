import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executionFailure } from '../../src/world/chains/evm/execution-failure.ts';
import { RpcError } from '../../src/world/outbound/json-rpc.ts';

const told = (code: number, message: string, data?: unknown) =>
  executionFailure(new RpcError('eth_estimateGas', code, message, data));

test('a call that breaks is told as that, in the words of every make of node', () => {
  for (const [code, message] of [
    // Geth, Erigon, Nitro, op-geth
    [3, 'execution reverted'],
    [-32000, 'invalid opcode: INVALID'],
    [-32000, 'invalid opcode: opcode 0xa7 not defined'],
    [-32000, 'invalid jump destination'],
    [-32000, 'stack underflow (0 <=> 1)'],
    [-32000, 'stack limit reached 1024 (1023)'],
    [-32000, 'out of gas'],
    [-32000, 'gas uint64 overflow'],
    [-32000, 'gas required exceeds allowance (50000000)'],
    // Reth, Anvil
    [-32003, 'out of gas: gas required exceeds allowance: 550000000'],
    [-32603, 'EVM error InvalidFEOpcode'],
    [-32000, 'EVM error: OpcodeNotFound'],
    // Nethermind
    [-32015, 'VM execution error.'],
    [-32000, 'BadInstruction'],
    [-32000, 'OutOfGas'],
    // Besu
    [-32000, 'Execution reverted'],
    [-32000, 'transaction processing failed: INVALID_OPERATION'],
  ] as const)
    assert.ok(told(code, message)?.includes(message), message);
});

test('a node in trouble says nothing of the destination', () => {
  for (const [code, message] of [
    [-32005, 'limit exceeded'],
    [-32005, 'daily request count exceeded, request rate limited'],
    [429, 'Your app has exceeded its compute units per second capacity'],
    [-32000, 'header not found'],
    [-32000, 'missing trie node 0xabc (path ) state 0xdef is not available'],
    [-32000, 'execution aborted (timeout = 5s)'],
    [-32000, 'insufficient funds for gas * price + value: address 0x01 have 0 want 1'],
    [-32603, 'Internal error'],
    [-32603, 'out of memory'],
    [-32601, 'the method eth_estimateGas does not exist/is not available'],
  ] as const)
    assert.equal(told(code, message), undefined, message);
});

test('what a token says for itself is told before the words of the node, and not without end', () => {
  const text = Buffer.from('account is blacklisted').toString('hex').padEnd(64, '0');
  const data = `0x08c379a0${'20'.padStart(64, '0')}${'16'.padStart(64, '0')}${text}`;
  assert.equal(told(3, 'execution reverted: account is blacklisted', data), 'account is blacklisted');
  assert.equal(told(3, `execution reverted: ${'x'.repeat(5_000)}`)?.length, 200);
});
