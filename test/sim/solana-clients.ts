import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import {
  AccountRole,
  appendTransactionMessageInstruction,
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  type Address as KitAddress,
  address as kitAddress,
  signature as kitSignature,
  pipe,
  type Signature,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import type { SolanaWorld } from '../../sandbox/nodes/solana-world.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { SYSTEM_PROGRAM, tokenAccountOf } from '../../src/world/chains/solana/address-codec.ts';
import { USDC_MINT } from '../../src/world/chains/solana/codec.ts';
import { assetOf, freshAddress, SOL } from './solana-bench.ts';

const COIN = assetOf('SOL').token;
const USDC = assetOf('USDC').token;
const SEEN = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 } as const;

type Json = Record<string, unknown>;

/** What the clients of others ask about a payment, in the shapes that they insist on. */
export function solanaClientStories(name: string, start: () => Promise<SolanaWorld>): void {
  describe(`A stranger’s client at ${name}`, () => {
    let world: SolanaWorld;
    let rpc: ReturnType<typeof createSolanaRpc>;
    before(async () => {
      world = await start();
      rpc = createSolanaRpc(world.rpcUrl);
    });
    after(() => world?.close());

    async function paid(token: string, atoms: bigint): Promise<{ to: KitAddress; hash: Signature }> {
      const to = freshAddress();
      const { txHash } = await world.pay({ token, to, atoms });
      await world.mine(1);
      return { to: kitAddress(to), hash: kitSignature(txHash) };
    }

    it('reads a payment as it was sent: header, keys, instructions and balances', async () => {
      const { to, hash } = await paid(COIN, SOL);
      const tx = await rpc.getTransaction(hash, { ...SEEN, encoding: 'json' }).send();
      assert.ok(tx?.meta);
      const { header, accountKeys, instructions, recentBlockhash } = tx.transaction.message;
      assert.deepEqual([tx.version, tx.meta.err, tx.transaction.signatures], ['legacy', null, [hash]]);
      assert.equal(header.numRequiredSignatures, 1);
      assert.ok(header.numReadonlyUnsignedAccounts >= 1 && recentBlockhash.length > 30);
      const at = accountKeys.indexOf(to);
      assert.ok(at > 0 && at < accountKeys.length - header.numReadonlyUnsignedAccounts, 'it is written');
      assert.ok(instructions.some(({ accounts, data }) => accounts.includes(at) && data.length > 0));
      assert.deepEqual([tx.meta.preBalances[at], tx.meta.postBalances[at]], [0n, SOL]);
      assert.equal(typeof tx.blockTime, 'bigint');
      const { logMessages, innerInstructions } = tx.meta;
      assert.ok(Array.isArray(logMessages) && Array.isArray(innerInstructions));
    });

    it('reads what was done in words', async () => {
      const coins = await paid(COIN, SOL);
      const tokens = await paid(USDC, 2_500_000n);
      const wordsOf = async (hash: Signature) => {
        const tx = await rpc.getTransaction(hash, { ...SEEN, encoding: 'jsonParsed' }).send();
        assert.ok(tx?.meta);
        return { ...tx, calls: tx.transaction.message.instructions as readonly unknown[] as readonly Json[] };
      };
      const parsedOf = (calls: readonly Json[], type: string) =>
        calls.map(({ parsed }) => parsed as Json | undefined).find((parsed) => parsed?.type === type)?.info as Json;
      const transfer = parsedOf((await wordsOf(coins.hash)).calls, 'transfer');
      assert.deepEqual([transfer.destination, transfer.lamports], [coins.to, SOL]);
      const { calls, meta, transaction } = await wordsOf(tokens.hash);
      const account = tokenAccountOf(tokens.to as string as Address, USDC_MINT);
      const { tokenAmount, destination, mint } = parsedOf(calls, 'transferChecked');
      assert.deepEqual([destination, mint], [account, USDC_MINT]);
      const held = { amount: '2500000', decimals: 6, uiAmount: 2.5, uiAmountString: '2.5' };
      assert.deepEqual(tokenAmount, { ...held, decimals: 6n }, 'so does this client read what a program says');
      const { accountKeys } = transaction.message;
      const at = accountKeys.findIndex(({ pubkey }) => pubkey === (account as string));
      const after = meta?.postTokenBalances?.find(({ accountIndex }) => accountIndex === at);
      assert.equal(after?.owner, tokens.to);
      // Surfpool writes all of the decimals here.
      assert.deepEqual(
        { ...after.uiTokenAmount, uiAmountString: `${Number(after.uiTokenAmount.uiAmountString)}` },
        held,
      );
      assert.deepEqual([accountKeys[0]?.signer, accountKeys[0]?.writable], [true, true]);
    });

    it('goes through the payments of an address page by page, to the end', async () => {
      const to = freshAddress();
      for (const atoms of [SOL, SOL, SOL]) await world.pay({ token: COIN, to, atoms });
      await world.mine(1);
      const seen: Signature[] = [];
      for (let turn = 0; turn < 5; turn += 1) {
        const last = seen.at(-1);
        const page = await rpc
          .getSignaturesForAddress(kitAddress(to), { limit: 2, ...(last ? { before: last } : {}) })
          .send();
        if (page.length === 0) break;
        for (const { err, memo, confirmationStatus, blockTime } of page) {
          assert.deepEqual([err, memo, confirmationStatus, typeof blockTime], [null, null, 'finalized', 'bigint']);
        }
        seen.push(...page.map(({ signature }) => signature));
      }
      assert.deepEqual([seen.length, new Set(seen).size], [3, 3]);
      const [newest, , oldest] = seen;
      assert.ok(newest && oldest);
      const newer = await rpc.getSignaturesForAddress(kitAddress(to), { until: oldest }).send();
      assert.deepEqual(
        newer.map(({ signature }) => signature),
        seen.slice(0, 2),
      );
    });

    it('reads the block of a payment and when it was', async () => {
      const { hash } = await paid(COIN, SOL);
      const tx = await rpc.getTransaction(hash, { ...SEEN, encoding: 'base64' }).send();
      assert.ok(tx);
      assert.equal(tx.transaction[1], 'base64');
      const block = await rpc.getBlock(tx.slot, { ...SEEN, encoding: 'json', transactionDetails: 'full' }).send();
      assert.ok(block);
      const found = block.transactions.find(({ transaction }) => transaction.signatures.includes(hash));
      assert.ok(found?.transaction.message.header && found.meta);
      assert.ok(Array.isArray(block.rewards));
      assert.equal(typeof (await rpc.getBlockTime(tx.slot).send()), 'bigint');
      const bare = await rpc.getBlock(tx.slot, { ...SEEN, transactionDetails: 'signatures', rewards: false }).send();
      assert.ok(bare?.signatures.includes(hash));
    });

    it('pays with a transaction of the newer version, and finds it', async () => {
      const payer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
      await world.fund(payer.address as string as Address, COIN, 2n * SOL);
      const to = kitAddress(freshAddress());
      const data = Buffer.alloc(12);
      data.writeUInt32LE(2);
      data.writeBigUInt64LE(SOL, 4);
      const accounts = [
        { address: payer.address, role: AccountRole.WRITABLE_SIGNER },
        { address: to, role: AccountRole.WRITABLE },
      ];
      const { value: latest } = await rpc.getLatestBlockhash().send();
      const transfer = { programAddress: kitAddress(SYSTEM_PROGRAM), accounts, data };
      const signed = await signTransactionMessageWithSigners(
        pipe(
          createTransactionMessage({ version: 0 }),
          (message) => setTransactionMessageFeePayerSigner(payer, message),
          (message) => setTransactionMessageLifetimeUsingBlockhash(latest, message),
          (message) => appendTransactionMessageInstruction(transfer, message),
        ),
      );
      const hash = await rpc.sendTransaction(getBase64EncodedWireTransaction(signed), { encoding: 'base64' }).send();
      await world.mine(1);
      assert.equal((await rpc.getBalance(to).send()).value, SOL);
      const tx = await rpc.getTransaction(hash, { ...SEEN, encoding: 'json' }).send();
      assert.equal(tx?.version, 0);
    });

    it('tries a payment without making it', async () => {
      const { hash, to } = await paid(COIN, SOL);
      const tx = await rpc.getTransaction(hash, { ...SEEN, encoding: 'base64' }).send();
      assert.ok(tx);
      const options = { encoding: 'base64', replaceRecentBlockhash: true, sigVerify: false } as const;
      const { value } = await rpc.simulateTransaction(tx.transaction[0] as never, options).send();
      assert.equal(value.err, null);
      assert.ok(Array.isArray(value.logs));
      assert.equal((await rpc.getBalance(to).send()).value, SOL);
    });
  });
}
