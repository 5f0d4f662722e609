import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, NoAnswer, ReplyTooLarge } from '../../src/kernel/fault.ts';
import { isTooMuchAsked } from '../../src/world/chains/evm/log-limits.ts';
import { RpcError } from '../../src/world/outbound/json-rpc.ts';

const told = (code: number, message: string): boolean =>
  isTooMuchAsked(new Fault('transient', 'chain:1', message, new RpcError('eth_getLogs', code, message)));

test('that a block holds more logs than one answer may is understood in the words of every provider', () => {
  for (const [code, message] of [
    [-32005, 'query returned more than 10000 results'],
    [-32005, 'query timeout exceeded'],
    [-32602, 'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range'],
    [-32602, 'query exceeds max results 20000, retry with the range 24383075-24383096'],
    [-32000, 'Too many logs requested. Max logs per response is 20000.'],
    [-32008, 'Response is too big'],
    [-32020, 'backend response too large'],
    [-32600, 'eth_getLogs is limited to a 10,000 range'],
    [-32701, 'Please specify an address in your request or, to remove restrictions, order a dedicated full node here'],
  ] as const)
    assert.ok(told(code, message), message);
  assert.ok(isTooMuchAsked(new ReplyTooLarge('ambiguous', 'chain:1', 'reply over 16777216 bytes')));
});

test('a node in trouble, or one that counts our calls, says nothing of the block', () => {
  for (const [code, message] of [
    [-32005, 'limit exceeded'],
    [-32005, 'project ID request rate exceeded'],
    [-32005, 'daily request count exceeded, request rate limited'],
    [-32007, '50/second request limit reached - reduce calls per second or upgrade your account'],
    [
      429,
      'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this',
    ],
    [-32029, 'Too many requests'],
    [-32000, 'unknown block'],
    [-32000, 'header not found'],
    [-32603, 'Internal error'],
  ] as const)
    assert.ok(!told(code, message), message);
  assert.ok(!isTooMuchAsked(new NoAnswer('ambiguous', 'chain:1', 'no answer within 10 s')));
  assert.ok(!isTooMuchAsked(new Fault('ambiguous', 'chain:1', 'eth_getLogs: HTTP 502 without a JSON-RPC answer')));
});
