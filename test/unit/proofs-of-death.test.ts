import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { instant, later } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, intentId, type TxHash, txHash } from '../../src/kernel/ids.ts';
import { advance } from '../../src/life/payment/advance.ts';
import { newPayment, type Payment } from '../../src/life/payment/payment.ts';
import { transferHandlers } from '../../src/life/transfer/handlers.ts';
import type { TransferStage } from '../../src/life/transfer/stage.ts';
import type { AttemptStatus, Chain, SignedTransfer } from '../../src/world/chains/chain.ts';
import { attemptStatus as solanaStatus } from '../../src/world/chains/solana/attempts.ts';
import { BLOCKHASH_LIFE, SOL_ASSET_ID, SOLANA_ID } from '../../src/world/chains/solana/codec.ts';
import type { SolanaNode } from '../../src/world/chains/solana/node.ts';
import { solanaRules } from '../../src/world/chains/solana/rules.ts';
import { openSolana } from '../../src/world/chains/solana/solana.ts';
import { attemptStatus as tronStatus } from '../../src/world/chains/tron/attempts.ts';
import { TRON_ID, tronAddressOfKey } from '../../src/world/chains/tron/codec.ts';
import type { TronNode } from '../../src/world/chains/tron/node.ts';
import type { Header, NodeBlock } from '../../src/world/chains/tron/node-shapes.ts';
import { TRX_ASSET } from '../../src/world/chains/tron/rules.ts';
import { signTron, tronUnsigned } from '../../src/world/chains/tron/tx-codec.ts';

const UNKNOWN: AttemptStatus = { state: 'unknown' };
const isDead = ({ state }: AttemptStatus): boolean => state === 'dead';

describe('9.14: proofs of death on Solana', () => {
  const LAST_VALID = 10_000n;
  const SIGNED: SignedTransfer = {
    ...{ intent: intentId('treasury', 'payout', 0), chainId: SOLANA_ID, txHash: txHash('sig'), raw: '' },
    ...{ consumes: [`${SOLANA_ID}:x:until:${LAST_VALID}`], cost: atoms(1n) },
  };
  /** One slot, one block. A story says how far the node has come, since when it keeps blocks, and what it answers. */
  interface Told {
    readonly final?: number;
    readonly oldest?: bigint;
    /** How far the server had come that looked for the signature. */
    readonly asOf?: number;
    readonly finds?: boolean;
    readonly isAway?: boolean;
  }
  function nodeThat(told: Told = {}): SolanaNode {
    const { final = Number(LAST_VALID) + 100, oldest = 0n, asOf = final, finds = false, isAway = false } = told;
    const answer = async <T>(value: T): Promise<T> => {
      if (isAway) throw new Fault('transient', 'chain', 'no connection');
      return value;
    };
    return {
      finalSlot: () => answer(final),
      blockHeightAt: (slot: number) => answer(BigInt(slot)),
      oldestBlockHeight: () => answer(oldest),
      status: () => answer({ status: finds ? { height: 9_999, isFinal: false } : undefined, asOf }),
    } as unknown as SolanaNode;
  }
  const statusOf = (own: Told, ...others: readonly Told[]) =>
    solanaStatus(
      nodeThat(own),
      others.map((told) => async () => nodeThat(told)),
      SIGNED,
    );

  test('two nodes that have come past the last block, with a margin, and keep the blocks before it, prove it', async () => {
    const status = await statusOf({}, {});
    assert.ok(status.state === 'dead' && /final is 10100.*elsewhere/.test(status.proof), JSON.stringify(status));
  });

  test('one node alone proves nothing, however sure it is: it may have forgotten', async () => {
    assert.deepEqual(await statusOf({}), UNKNOWN);
    // The attack is won where one word is enough: this node lies, and the other one knows.
    assert.equal((await statusOf({}, { finds: true })).state, 'unknown');
    assert.ok(isDead(await statusOf({}, {})), 'a second one that repeats the lie is believed');
  });

  test('a node is no witness of its own word', async () => {
    const config = { rpcUrl: 'http://one', witnessUrls: ['http://one'], genesisHash: 'g', addresses: async () => [] };
    const outbound = async () => ({ status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'g' }) });
    await assert.rejects(openSolana({ ...config, hotAddress: 'hot' as never }, outbound), /no witness of its own/);
  });

  for (const [says, lags] of [
    ['has not come past the last block by the margin', { final: Number(LAST_VALID) + 32 }],
    ['looked for it on a server that lags behind the final slot', { asOf: Number(LAST_VALID) + 99 }],
    ['has not kept the blocks in which it could be', { oldest: LAST_VALID - BLOCKHASH_LIFE + 1n }],
  ] as const)
    test(`a node that ${says} proves nothing, whichever of the two it is`, async () => {
      assert.deepEqual(await statusOf(lags, {}), UNKNOWN);
      assert.deepEqual(await statusOf({}, lags), UNKNOWN);
      assert.deepEqual(await statusOf({}, {}, lags), UNKNOWN, 'nor does it help that another one agrees');
    });

  test('a witness that is away has said nothing; that is no failure, and its turn comes again', async () => {
    assert.deepEqual(await statusOf({}, { isAway: true }), UNKNOWN);
    await assert.rejects(statusOf({ isAway: true }, {}), Fault, 'our own node must answer');
  });
});

test('9.14: what is neither found nor proven dead is sent again, never signed anew, and becomes a case by its chain’s deadline', async () => {
  const sentAt = instant(1_700_000_000_000);
  const opened = newPayment({
    ...{ owner: 'treasury', purpose: { for: 'rebalance', number: 0 }, from: 'hot', source: 'treasury' },
    ...{ amount: amount(SOL_ASSET_ID, 5n), to: 'there' as Address },
  });
  const hash = txHash('sig');
  const payment: Payment = { ...opened, state: { state: 'sent', txHash: hash, raised: 0, since: sentAt } };
  const signed = { intent: payment.id, chainId: SOLANA_ID, txHash: hash, raw: '', consumes: [], cost: atoms(1n) };
  const sent: SignedTransfer[] = [];
  const { afterMs } = solanaRules.facts.stuck;
  let now = sentAt;
  const handlers = transferHandlers({
    chain: () =>
      ({
        facts: solanaRules.facts,
        status: async () => UNKNOWN,
        broadcast: async (bytes: SignedTransfer) => void sent.push(bytes),
      }) as unknown as Chain,
    books: { find: async () => payment, attempts: async () => [signed] } as unknown as TransferStage['books'],
    signer: { signTransfer: () => assert.fail('nothing is signed') } as unknown as TransferStage['signer'],
    screen: async () => 'clear',
    boundOf: async () => ({ goes: 'anywhere' }),
    bindAmount: () => assert.fail('nothing is bound'),
    fill: () => assert.fail('nothing is bought'),
    inAsset: () => assert.fail('nothing is priced'),
    clock: { now: () => now },
  });
  const job = { key: 'k', owner: 'treasury', tries: 0, troubledSince: undefined } as const;
  const effect = { effect: 'watch_transfer', payment: payment.id, part: 'main' } as const;
  assert.ok('againInMs' in ((await handlers.watch_transfer({ ...job, effect })) as object));
  now = later(sentAt, afterMs);
  const done = await handlers.watch_transfer({ ...job, effect });
  assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'transfer_stuck');
  const after = advance(payment, done.fact);
  assert.ok(after !== 'ignore');
  assert.deepEqual(
    [after.cases.map((one) => one.case), after.effects.map((one) => one.effect), after.payment.state.state],
    [['payment_stuck'], ['watch_transfer'], 'sent'],
  );
  assert.deepEqual(sent, [signed, signed]);
});

describe('9.14: proofs of death on Tron', () => {
  const KEY = new Uint8Array(32).fill(1);
  const REFERENCE = 70_000;
  const BEGIN = 1_700_000_000_000;
  const LIFE_MS = 60_000;
  const LAST = REFERENCE + LIFE_MS / 3_000;
  const hashAt = (height: number) => `${height.toString(16).padStart(16, '0')}${'ab'.repeat(24)}`;
  const unsigned = tronUnsigned(
    {
      ...{ intent: intentId('treasury', 'payout', 0), chainId: TRON_ID, asset: TRX_ASSET.id, atoms: atoms(5n) },
      to: tronAddressOfKey(new Uint8Array(32).fill(2)),
      fee: {
        ref_block_bytes: (REFERENCE % 0x1_0000).toString(16).padStart(4, '0'),
        ref_block_hash: hashAt(REFERENCE).slice(16, 32),
        expiration: `${BEGIN + LIFE_MS}`,
        timestamp: `${BEGIN}`,
        fee_limit: '0',
        overhead: '0',
      },
    },
    tronAddressOfKey(KEY),
  );
  const { raw, txHash: hash } = signTron(unsigned, KEY);
  const SIGNED: SignedTransfer = {
    ...{
      intent: intentId('treasury', 'payout', 0),
      chainId: TRON_ID,
      txHash: hash,
      raw,
      consumes: [],
      cost: atoms(1n),
    },
  };

  interface Told {
    /** Milliseconds after the expiration to which the node has solidified. */
    readonly past?: number;
    readonly lacks?: (height: number) => boolean;
    readonly keepsInfos?: boolean;
    /** Heights of blocks in which something was done. */
    readonly busy?: (height: number) => boolean;
  }
  function nodeThat(told: Told = {}) {
    const { past = 90_000, lacks = () => false, keepsInfos = true, busy = () => true } = told;
    const asked: number[] = [];
    const headerAt = (height: number): Header => ({
      ...{ height, hash: hashAt(height), parentHash: hashAt(height - 1), time: BEGIN + (height - REFERENCE) * 3_000 },
    });
    const node = {
      info: async (of: TxHash) => (keepsInfos && of.startsWith('done') ? {} : undefined),
      isPending: async () => false,
      transaction: async () => undefined,
      newest: async () => headerAt(REFERENCE + (LIFE_MS + past) / 3_000),
      async header(height: number) {
        asked.push(height);
        return lacks(height) ? undefined : headerAt(height);
      },
      async blocks(height: number): Promise<readonly NodeBlock[]> {
        const done = { hash: txHash(`done ${height}`), ok: true, ask: undefined };
        return [{ ...headerAt(height), transactions: busy(height) ? [done] : [] }];
      },
    } as unknown as TronNode;
    return { node, asked };
  }
  const statusOf = (told: Told) => tronStatus(nodeThat(told).node, new Set(), SIGNED);

  test('a node that has the blocks from the reference to the expiration, and what was done in them, proves it', async () => {
    const { node, asked } = nodeThat();
    assert.ok(isDead(await tronStatus(node, new Set(), SIGNED)));
    const between = asked.filter((height) => height > REFERENCE && height < LAST);
    assert.ok(asked.includes(REFERENCE) && between.length > 1 && asked.includes(LAST), `${asked}`);
    assert.ok(asked.length < 10, 'it is not asked for all of them');
  });

  test('a node that lags proves nothing, not even a minute after the time is over', async () => {
    for (const past of [-30_000, 0, 60_000]) assert.deepEqual(await statusOf({ past }), UNKNOWN, `${past}`);
    assert.ok(isDead(await statusOf({ past: 63_000 })));
  });

  for (const [says, forgets] of [
    ['began after the reference', { lacks: (height: number) => height <= REFERENCE }],
    ['lost blocks in between', { lacks: (height: number) => height > REFERENCE + 8 && height < LAST - 3 }],
    ['lost those at the expiration', { lacks: (height: number) => height === LAST }],
    ['keeps blocks and not what was done in them', { keepsInfos: false }],
    [
      'keeps nothing that was done, and whose reference is an empty block',
      { keepsInfos: false, busy: (height: number) => height > REFERENCE + 5 },
    ],
  ] as const)
    test(`a node that ${says} proves nothing`, async () => {
      assert.deepEqual(await statusOf(forgets), UNKNOWN);
    });
});
