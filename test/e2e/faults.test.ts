import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { ChainFaults, type Wire } from '../../sandbox/control/faults.ts';
import { collect, type Passing, type ProxyServer, startProxy, type Verdict } from '../../sandbox/control/proxy.ts';
import { BITCOIN_WIRE } from '../../sandbox/families/bitcoin-wire.ts';
import { evmWire } from '../../sandbox/families/evm-wire.ts';
import { MONERO_WIRE } from '../../sandbox/families/monero-wire.ts';
import { solanaWire } from '../../sandbox/families/solana-wire.ts';
import { tronWire } from '../../sandbox/families/tron-wire.ts';
import { ZCASH_WIRE } from '../../sandbox/families/zcash-wire.ts';
import { PATIENT } from '../../sandbox/simulators/rpc-server.ts';
import { atoms } from '../../src/kernel/amount.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { STRANGER as evmStranger, transferCall } from '../../src/world/chains/evm/codec.ts';
import { readTokenAccount } from '../../src/world/chains/solana/account-codec.ts';
import { STRANGER as solanaStranger, tokenAccountOf } from '../../src/world/chains/solana/address-codec.ts';
import { USDC_MINT } from '../../src/world/chains/solana/codec.ts';
import { tronHex, STRANGER as tronStranger, transferCall as tronTransfer } from '../../src/world/chains/tron/codec.ts';

const CHAIN = 42161;
const account = (digit: string) => `0x${digit.repeat(40)}` as Address;
const [HOT, OURS, PAYEE, OTHER] = [account('1'), account('2'), account('a'), account('b')];
const SOLANA_HOT = '11111111111111111111111111111112' as Address;
const TRON_HOT = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' as Address;
const asked: string[] = [];
const faults = new ChainFaults();
let proxy: ProxyServer;

const node = createServer(PATIENT, async (request, reply) => {
  const { id, method } = JSON.parse((await collect(request)).toString());
  asked.push(method);
  if (method === 'slow') {
    node.emit('slow');
    await once(node, 'go on');
  }
  reply.end(JSON.stringify({ jsonrpc: '2.0', id, result: `${method} done` }));
});

before(async () => {
  node.listen(0, '127.0.0.1');
  await once(node, 'listening');
  const wire = evmWire({ hot: HOT, isOurs: (address) => address === OURS, isDeposit: () => false });
  proxy = await startProxy(`http://127.0.0.1:${(node.address() as AddressInfo).port}`, {
    isCalm: () => faults.isCalm(CHAIN),
    judge: (passing) => faults.judge(CHAIN, wire, passing),
  });
});

after(async () => {
  await proxy.close();
  node.close();
  node.closeAllConnections();
});

async function ask(method: string, ...params: unknown[]): Promise<{ status: number; body: unknown }> {
  const reply = await fetch(proxy.url, { method: 'POST', body: JSON.stringify({ id: 7, method, params }) });
  const text = await reply.text();
  return { status: reply.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

const answered = (method: string) => ({ status: 200, body: { jsonrpc: '2.0', id: 7, result: `${method} done` } });

test('without a fault the node answers', async () => {
  assert.deepEqual(await ask('eth_blockNumber'), answered('eth_blockNumber'));
});

test('a fault strikes on a line that is open already, from the next question on', async () => {
  const line = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set<unknown>();
  const askOnLine = (method: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asking = request(proxy.url, { method: 'POST', agent: line }, (reply) => {
        sockets.add(reply.socket);
        reply.resume().once('end', () => resolve(reply.statusCode));
      });
      asking.once('error', reject).end(JSON.stringify({ id: 7, method }));
    });
  asked.length = 0;
  assert.equal(await askOnLine('eth_blockNumber'), 200);
  const slow = askOnLine('slow');
  await once(node, 'slow');
  faults.set(`chain:${CHAIN}`, 'error_after_effect', 1);
  node.emit('go on');
  assert.equal(await slow, 200, 'what was asked before is answered');
  assert.equal(await askOnLine('eth_sendRawTransaction'), 502);
  assert.equal(await askOnLine('eth_sendRawTransaction'), 200);
  assert.deepEqual([sockets.size, asked.length], [1, 4]);
  line.destroy();
});

test('an answer that is held back keeps its line to the node, by which that may know who logs in', async () => {
  const lines = new Set<unknown>();
  const note = ({ socket }: IncomingMessage) => lines.add(socket);
  node.on('request', note);
  const line = new Agent({ keepAlive: true, maxSockets: 1 });
  faults.set(`chain:${CHAIN}`, 'slow', 1);
  for (const method of ['eth_blockNumber', 'eth_chainId']) {
    const asking = request(proxy.url, { method: 'POST', agent: line }).end(JSON.stringify({ id: 7, method }));
    const [reply] = (await once(asking, 'response')) as [IncomingMessage];
    assert.deepEqual(JSON.parse((await collect(reply)).toString()).result, `${method} done`);
  }
  line.destroy();
  node.off('request', note);
  assert.equal(lines.size, 1);
});

test('a chain that is down answers nobody, as often as was asked for', async () => {
  asked.length = 0;
  faults.set(`chain:${CHAIN}`, 'down', 2);
  await assert.rejects(ask('eth_blockNumber'), TypeError);
  await assert.rejects(ask('eth_sendRawTransaction'), TypeError);
  assert.deepEqual(asked, []);
  assert.deepEqual(await ask('eth_blockNumber'), answered('eth_blockNumber'));
});

test('an error after the effect hits what has an effect, and the node has done it', async () => {
  asked.length = 0;
  faults.set(`chain:${CHAIN}`, 'error_after_effect', 1);
  assert.deepEqual(await ask('eth_blockNumber'), answered('eth_blockNumber'));
  assert.equal((await ask('eth_sendRawTransaction')).status, 502);
  assert.deepEqual(asked, ['eth_blockNumber', 'eth_sendRawTransaction']);
  assert.deepEqual(await ask('eth_sendRawTransaction'), answered('eth_sendRawTransaction'));
});

test('a rejected send never reaches the node, until the faults are cleared', async () => {
  asked.length = 0;
  faults.set(`payout:${CHAIN}`, 'reject', undefined);
  for (let again = 0; again < 3; again += 1) {
    const { body } = await ask('eth_sendRawTransaction');
    assert.match(JSON.stringify(body), /"error":\{"code":-32000/);
  }
  assert.deepEqual(asked, []);
  faults.clear();
  assert.deepEqual(await ask('eth_sendRawTransaction'), answered('eth_sendRawTransaction'));
});

test('a refused destination stays refused, in a token or in coins, while others are paid', async () => {
  faults.set(`payout:${CHAIN}`, 'refuse_destination', 1);
  const refused = /execution reverted/;
  const token = (to: string) => ({ from: HOT, to: OURS, data: transferCall(to as Address, atoms(5n)) });
  const coins = (to: string, value = '0x5') => ({ from: HOT, to, value });
  assert.deepEqual(await ask('eth_call', coins(OURS)), answered('eth_call'), 'our own account is no customer');
  assert.deepEqual(await ask('eth_call', coins(PAYEE, '0x0')), answered('eth_call'));
  assert.match(JSON.stringify(await ask('eth_call', token(PAYEE))), refused);
  assert.match(JSON.stringify(await ask('eth_call', coins(PAYEE))), refused);
  assert.deepEqual(await ask('eth_call', token(OTHER)), answered('eth_call'));
  faults.clear();
  assert.deepEqual(await ask('eth_call', token(PAYEE)), answered('eth_call'));
});

const call = (method: string, ...params: unknown[]): Passing => {
  const body = { id: 7, method, params };
  return { path: '/', body, calls: [body] };
};

test('every node says no in its own words', () => {
  const spoken = (wire: Wire, passing: Passing) => {
    const verdict = wire.reject(passing);
    assert.ok(verdict.fate === 'answer');
    return [verdict.status ?? 200, JSON.stringify(verdict.body)] as const;
  };
  const send = call('sendrawtransaction', '00');
  assert.deepEqual(spoken(BITCOIN_WIRE, send), [
    500,
    '{"result":null,"error":{"code":-26,"message":"rejected by the sandbox"},"id":7}',
  ]);
  assert.match(spoken(ZCASH_WIRE, send)[1], /"code":-25/);
  assert.match(spoken(solanaWire({ hot: SOLANA_HOT, isOurs: () => false }), call('sendTransaction'))[1], /-32002/);
  const plain = { path: '/', body: {}, calls: [] };
  assert.match(
    spoken(tronWire({ hot: TRON_HOT, isOurs: () => false, isDeposit: () => false }), plain)[1],
    /"result":false,"code":"OTHER_ERROR"/,
  );
  assert.match(spoken(MONERO_WIRE, plain)[1], /"status":"Failed"/);
});

test('on Solana a refused customer has an account of the token that its issuer froze', () => {
  const [mint, to] = [USDC_MINT, '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV' as Address];
  const places = [SOLANA_HOT, tokenAccountOf(SOLANA_HOT, mint), to, tokenAccountOf(to, mint)];
  const { refusing } = solanaWire({ hot: SOLANA_HOT, isOurs: () => false });
  const question = call('getMultipleAccounts', places, {});
  assert.deepEqual(refusing?.triedBy(question), [to]);
  const verdict = refusing?.refuse(question);
  assert.ok(verdict?.fate === 'rewrite');
  const { result } = verdict.change({ result: { value: [null, null, null, null] } }) as {
    result: { value: { data: [string] }[] };
  };
  const frozen = readTokenAccount(Buffer.from(result.value[3]?.data[0] ?? '', 'base64'));
  assert.deepEqual([frozen?.owner, frozen?.mint, frozen?.isFrozen], [to, mint, true]);
});

test('on Solana and Tron a customer whose coins are refused is a program’s or a contract’s account', () => {
  const to = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV' as Address;
  const solana = solanaWire({ hot: SOLANA_HOT, isOurs: () => false }).refusing;
  const question = call('getMultipleAccounts', [SOLANA_HOT, SOLANA_HOT, to, to], {});
  assert.deepEqual(solana?.triedBy(question), [to]);
  assert.deepEqual(solana?.triedBy(call('getMultipleAccounts', [to, to, SOLANA_HOT, SOLANA_HOT], {})), []);
  const rewritten = (verdict: Verdict | undefined, answer: unknown) =>
    verdict?.fate === 'rewrite' ? verdict.change(answer) : assert.fail('the answer is as it was');
  const { result } = rewritten(solana?.refuse(question), { result: { value: [1, 2, null, null] } }) as {
    result: { value: { executable?: boolean }[] };
  };
  assert.deepEqual(result.value.slice(0, 2), [1, 2]);
  assert.deepEqual([result.value[2]?.executable, result.value[3]?.executable], [true, true]);

  const [payee, deposit] = ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'TLyqzVGLV1srkB7dToTAEqgDSfPtXRJZYH'] as Address[];
  const tron = tronWire({ hot: TRON_HOT, isOurs: () => false, isDeposit: (address) => address === deposit }).refusing;
  const asks = (of: Address) => ({ path: '/wallet/getaccount', body: { address: tronHex(of) }, calls: [] });
  assert.deepEqual(
    [payee, deposit, TRON_HOT].map((of) => tron?.triedBy(asks(of as Address))),
    [[payee], [], []],
  );
  assert.deepEqual(rewritten(tron?.refuse(asks(payee as Address)), {}), { type: 'Contract' });
});

test('on Tron it is the token’s own answer that is a refusal', () => {
  const { refusing } = tronWire({ hot: TRON_HOT, isOurs: () => false, isDeposit: () => false });
  const asks = (owner: Address, to: Address) => ({
    path: '/wallet/triggerconstantcontract',
    body: { owner_address: tronHex(owner), data: tronTransfer(to, atoms(1n)) },
    calls: [],
  });
  const to = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' as Address;
  assert.deepEqual(refusing?.triedBy(asks(TRON_HOT, to)), [to]);
  assert.deepEqual(refusing?.triedBy(asks(to, TRON_HOT)), [], 'a sweep is no payout');
  assert.deepEqual(refusing?.triedBy(asks(TRON_HOT, TRON_HOT)), []);
});

test('whoever stands for anybody when a price is asked is not the customer that is refused', () => {
  const transfer = { from: HOT, to: OURS, data: transferCall(evmStranger, atoms(1n)) };
  const isOurs = () => false;
  assert.deepEqual(
    evmWire({ hot: HOT, isOurs, isDeposit: isOurs }).refusing?.triedBy(call('eth_estimateGas', transfer)),
    [],
  );
  const tron = { owner_address: tronHex(TRON_HOT), data: tronTransfer(tronStranger, atoms(1n)) };
  const tried = { path: '/wallet/triggerconstantcontract', body: tron, calls: [] };
  assert.deepEqual(tronWire({ hot: TRON_HOT, isOurs, isDeposit: isOurs }).refusing?.triedBy(tried), []);
  const [own, others] = [SOLANA_HOT, solanaStranger].map((owner) => tokenAccountOf(owner, USDC_MINT));
  const question = call('getMultipleAccounts', [SOLANA_HOT, own, solanaStranger, others], {});
  assert.deepEqual(solanaWire({ hot: SOLANA_HOT, isOurs }).refusing?.triedBy(question), []);
});
