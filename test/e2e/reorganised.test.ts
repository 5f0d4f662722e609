import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, test } from 'node:test';
import { patiently } from '../run/patience.ts';
import type { Box } from './box.ts';
import { ending, type Placed, USDC, until } from './customer.ts';
import { sharedBox } from './shared-box.ts';

const WITHIN_MS = 90_000;
const ARBITRUM = 42161;
const HALF_XMR = { fromChainId: 0, fromToken: 'XMR', fromAmount: '500000000000' };
const ETHER = `0x${'0'.repeat(40)}`;
let box: Box;

before(async () => {
  box = await sharedBox();
});

async function control(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const reply = await box.control(method, path, body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

/** What the chain itself says that the address received. */
async function received(chainId: number, token: string, address: string) {
  const body = await control('GET', `/sandbox/received?chainId=${chainId}&token=${token}&address=${address}`);
  return body as { readonly total: string; readonly transfers: readonly { readonly txHash: string }[] };
}

async function rpc(method: string, params: readonly unknown[]): Promise<unknown> {
  const { rpcUrl } = box.info.chains.find(({ chainId }) => chainId === ARBITRUM) ?? assert.fail('Arbitrum');
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return ((await (await fetch(rpcUrl, { method: 'POST', headers, body })).json()) as { result: unknown }).result;
}

async function place(wanted: object): Promise<Placed> {
  const { status, body } = await box.api('POST', '/v2/swaps', wanted, {
    'x-integrator-key': box.info.demo.serverKey,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body as unknown as Placed;
}

async function pay(
  { fromChainId: chainId, fromToken: token }: { readonly fromChainId: number; readonly fromToken: string },
  { depositAddress: to, depositAmount: amount }: Placed,
): Promise<void> {
  await control('POST', '/sandbox/pay', { chainId, token, to, amount });
}

/** Looks at what the chain says until it is so; blocks come by themselves. */
const comesToHold = (isTrue: () => Promise<boolean>): Promise<void> =>
  patiently('a reorganised chain', WITHIN_MS, async (bound) => {
    while (!(await isTrue())) {
      assert.ok(!bound.isOver(), 'it does not come to hold');
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  });

const HUNDRED = { fromChainId: ARBITRUM, fromToken: USDC, fromAmount: '100000000' };
const TAKEN_BACK = [
  { name: 'Arbitrum', swap: { ...HALF_XMR, toChainId: ARBITRUM, toToken: USDC } },
  { name: 'Monero', swap: { ...HUNDRED, toChainId: 0, toToken: 'XMR' } },
  { name: 'Bitcoin', swap: { ...HUNDRED, toChainId: 20000000000001, toToken: 'BTC' } },
] as const;

interface Wallet {
  readonly chainId: number;
  /** All but the first are made for whoever asks. */
  readonly addresses: readonly string[];
}

/** A new address of that chain, so that what arrives there is one order's. Only its own wallet can tell what came in Monero. */
async function newAddress(chain: number): Promise<string> {
  if (chain === ARBITRUM) return `0x${randomBytes(20).toString('hex')}`;
  const { wallets } = (await control('GET', '/sandbox/wallets')) as { wallets: Wallet[] };
  return wallets.find(({ chainId }) => chainId === chain)?.addresses.at(-1) ?? assert.fail(`a wallet on ${chain}`);
}

/** As few blocks as hold it: what is not in them is refused, and nothing is changed by that. */
async function takeBack(chainId: number, hash: string): Promise<void> {
  for (let depth = 1; depth <= 20; depth += 1) {
    const { status, body } = await box.control('POST', '/sandbox/reorg', { chainId, depth, drop: [hash] });
    if (status === 200) return;
    assert.equal(status, 400);
    assert.match(String(body.error), /in none of the blocks/);
  }
  assert.fail(`${hash} is in none of the last blocks`);
}

for (const { name, swap } of TAKEN_BACK) {
  test(`a completed payout that a reorganisation takes out of ${name} is paid by the same bytes again, once`, async () => {
    const { toChainId: chainId, toToken: token } = swap;
    const toAddress = await newAddress(chainId);
    const placed = await place({ ...swap, toAddress });
    await pay(swap, placed);
    const order = await ending(box, placed, WITHIN_MS);
    assert.equal(order.status, 'completed');
    const hash = order.payoutTxHash as string;
    await control('POST', '/sandbox/automine', { chainId, intervalMs: 0 });
    await takeBack(chainId, hash);
    await control('POST', '/sandbox/automine', { chainId, intervalMs: 1_000 });
    await comesToHold(async () => (await received(chainId, token, toAddress)).total === order.actualOutput);
    const { transfers } = await received(chainId, token, toAddress);
    assert.deepEqual(
      transfers.map(({ txHash }) => txHash),
      [hash],
    );

    const next = await place({ ...swap, toAddress: await newAddress(chainId) });
    await pay(swap, next);
    assert.equal((await ending(box, next, WITHIN_MS)).status, 'completed', 'later payments of that account flow');
  });
}

const stepOf = (state: unknown): string | undefined => (state as { readonly step?: string }).step;

/** Reverts in blocks of this miner, and takes coins in all others: no state that a reorganisation could bring back. */
const MINER = `0x${'de'.repeat(20)}`;
const MOODY = `0x4173${MINER.slice(2)}1415601f57600080fd5b00`;
const minedBy = (miner: string): Promise<unknown> => rpc('anvil_setCoinbase', [miner]);

test('9.1: a destination that reverts in the first block and accepts after a reorganisation is paid once', async () => {
  const toAddress = await newAddress(ARBITRUM);
  await rpc('anvil_setCode', [toAddress, MOODY]);
  const placed = await place({ ...HALF_XMR, toChainId: ARBITRUM, toToken: ETHER, toAddress });
  await pay(HALF_XMR, placed);
  await until(box, placed, WITHIN_MS, ({ customerState }) => stepOf(customerState) === 'executing');
  // Block by block, and none once it is time to pay: the payout waits in the pool. What it asked the contract said yes.
  await control('POST', '/sandbox/automine', { chainId: ARBITRUM, intervalMs: 0 });
  const proof = { 'x-session-id': placed.sessionId };
  await comesToHold(async () => {
    const { body } = await box.api('GET', `/v2/swaps/${placed.orderId}`, undefined, proof);
    if (stepOf(body.customerState) === 'paying_out') return true;
    await control('POST', '/sandbox/mine', { chainId: ARBITRUM, blocks: 1 });
    return false;
  });
  const sent = await until(box, placed, WITHIN_MS, ({ payoutTxHash }) => typeof payoutTxHash === 'string');
  const hash = sent.payoutTxHash as string;
  await comesToHold(async () => (await rpc('eth_getTransactionByHash', [hash])) !== null);
  await minedBy(MINER);
  await control('POST', '/sandbox/mine', { chainId: ARBITRUM, blocks: 1 });
  const receipt = (await rpc('eth_getTransactionReceipt', [hash])) as { status: string };
  assert.equal(receipt.status, '0x0', 'it was executed and failed');
  const read = await box.api('GET', `/v2/swaps/${placed.orderId}`, undefined, proof);
  assert.equal((read.body.customerState as { kind: string }).kind, 'processing', 'a failure that is not final is none');
  await minedBy(`0x${'0'.repeat(40)}`);
  await control('POST', '/sandbox/reorg', { chainId: ARBITRUM, depth: 1, drop: [hash] });
  await control('POST', '/sandbox/automine', { chainId: ARBITRUM, intervalMs: 1_000 });
  const order = await ending(box, placed, WITHIN_MS);
  assert.equal(order.status, 'completed');
  assert.equal(
    BigInt((await rpc('eth_getBalance', [toAddress, 'latest'])) as string),
    BigInt(order.actualOutput as string),
  );
});
