import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { chainId, type IntentId, txHash } from '../../src/kernel/ids.ts';
import * as bitcoin from '../../src/world/chains/bitcoin/attempts.ts';
import { BITCOIN } from '../../src/world/chains/bitcoin/networks.ts';
import { BitcoinNode } from '../../src/world/chains/bitcoin/node.ts';
import type { SignedTransfer } from '../../src/world/chains/chain.ts';
import * as evm from '../../src/world/chains/evm/attempts.ts';
import { EvmNode } from '../../src/world/chains/evm/node.ts';
import { moneroDaemon } from '../../src/world/chains/monero/daemon.ts';
import { sendPayout } from '../../src/world/chains/monero/payout.ts';
import * as solana from '../../src/world/chains/solana/attempts.ts';
import { SolanaNode } from '../../src/world/chains/solana/node.ts';
import * as tron from '../../src/world/chains/tron/attempts.ts';
import { TronNode } from '../../src/world/chains/tron/node.ts';
import { zcashNode } from '../../src/world/chains/zcash/node.ts';
import type { Outbound } from '../../src/world/outbound/http.ts';

const SIGNED: SignedTransfer = {
  ...{ intent: 'treasury:rebalance:0' as IntentId, chainId: chainId(1), txHash: txHash('hash') },
  ...{ raw: 'abcd', consumes: [], cost: atoms(1n) },
};
const URL = 'http://node';

type Send = (outbound: Outbound) => Promise<string | undefined>;

const onEvm: Send = (outbound) => evm.broadcastBytes(new EvmNode(chainId(1), URL, outbound), SIGNED);
const onBitcoin: Send = (outbound) =>
  bitcoin.broadcastBytes(new BitcoinNode(BITCOIN, { rpcUrl: URL }, outbound), SIGNED);
const onSolana: Send = (outbound) => solana.broadcastBytes(new SolanaNode(URL, outbound), SIGNED);
const onTron: Send = (outbound) => tron.broadcastBytes(new TronNode(URL, undefined, outbound), SIGNED);
const onMonero: Send = (outbound) => sendPayout(moneroDaemon(URL, outbound), SIGNED);
const onZcash: Send = (outbound) => zcashNode({ nodeUrl: URL }, outbound).send(SIGNED.raw);

const rpc = (code: number, message: string) => ({ error: { code, message } });
const replying =
  (body: object, status = 200): Outbound =>
  async () => ({ status, body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }) });

/** What nodes of several makes say of bytes that they have, that were mined before, or that they will not have now. */
const ANSWERS: readonly (readonly [Send, object, RegExp])[] = [
  // Nethermind
  [onEvm, rpc(-32010, 'AlreadyKnown'), /AlreadyKnown/],
  [onEvm, rpc(-32010, 'FeeTooLowToCompete'), /FeeTooLowToCompete/],
  [onEvm, rpc(-32010, 'OldNonce, Current nonce: 55, nonce of rejected tx: 53'), /Current nonce: 55/],
  // Geth, and whoever stands before it
  [onEvm, rpc(-32000, 'already known'), /already known/],
  [onEvm, rpc(-32000, 'txpool is full'), /full/],
  [onEvm, rpc(-32005, 'daily request count exceeded'), /exceeded/],
  [onBitcoin, rpc(-25, 'bad-txns-inputs-missingorspent'), /missingorspent/],
  [onBitcoin, rpc(-26, 'mempool full'), /mempool full/],
  [onBitcoin, rpc(-27, 'Transaction already in block chain'), /already in block/],
  [onSolana, rpc(-32005, 'Node is behind by 150 slots'), /behind/],
  [onTron, { code: 'TAPOS_ERROR', message: '' }, /TAPOS_ERROR/],
  [onTron, { code: 'DUP_TRANSACTION_ERROR', message: '' }, /DUP/],
  [onMonero, { status: 'Failed', reason: '', fee_too_low: true }, /fee_too_low/],
  [onMonero, { status: 'Failed', double_spend: true }, /double_spend/],
  [onZcash, rpc(-25, 'transaction expired'), /expired/],
];

test('whatever a node answers to bytes is no failure: its words are handed on, and the chain is looked at', async () => {
  for (const [send, answer, words] of ANSWERS) assert.match((await send(replying(answer))) ?? 'nothing', words);
});

test('a node that takes them has nothing to say', async () => {
  for (const send of [onEvm, onBitcoin, onSolana, onZcash])
    assert.equal(await send(replying({ result: 'hash' })), undefined);
  assert.equal(await onTron(replying({ result: true })), undefined);
  assert.equal(await onMonero(replying({ status: 'OK' })), undefined);
});

test('where nobody answers nothing counts as sent', async () => {
  const page: Outbound = async () => ({ status: 502, body: '<html>Bad gateway</html>' });
  for (const send of [onEvm, onBitcoin, onSolana, onTron, onMonero, onZcash]) await assert.rejects(send(page), Fault);
});
