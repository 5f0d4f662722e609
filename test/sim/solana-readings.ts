import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SolanaWorld } from '../../sandbox/nodes/solana-world.ts';
import { TOKEN_PROGRAM, tokenAccountOf } from '../../src/world/chains/solana/address-codec.ts';
import { USDC_MINT } from '../../src/world/chains/solana/codec.ts';
import { assetOf, freshAddress } from './solana-bench.ts';

const SOL = assetOf('SOL');
const USDC = assetOf('USDC');
const RESERVE = 890_880n;

/** A token account as `jsonParsed` shows it. */
interface ParsedToken {
  readonly owner: string;
  readonly data: {
    readonly program: string;
    readonly parsed: { readonly type: string; readonly info: Readonly<Record<string, unknown>> };
  };
}

/** What whoever judges the money by other means than ours asks a node for. */
export function solanaReadingsStory(name: string, start: () => Promise<SolanaWorld>): void {
  test(`${name} answers what anybody’s client asks, to see what became of money`, async () => {
    const world = await start();
    const owner = freshAddress();
    await world.pay({ token: SOL.token, to: owner, atoms: 2n * RESERVE });
    await world.pay({ token: USDC.token, to: owner, atoms: 3_000_000n });
    await world.mine(1);
    const ask = async (method: string, ...params: unknown[]) => world.rpc(method, params) as Promise<never>;
    const value = async (method: string, ...params: unknown[]) =>
      ((await ask(method, ...params)) as { value: never }).value;
    const account = tokenAccountOf(owner, USDC_MINT);
    const parsed = { encoding: 'jsonParsed' };
    const held = { amount: '3000000', decimals: 6, uiAmount: 3, uiAmountString: '3' };

    assert.equal(await ask('getHealth'), 'ok');
    assert.ok('solana-core' in ((await ask('getVersion')) as object));
    assert.equal(await value('getBalance', owner), Number(2n * RESERVE));
    assert.deepEqual(await value('getTokenAccountBalance', account), held);
    const { decimals } = (await value('getTokenSupply', USDC_MINT)) as { decimals: number };
    assert.equal(decimals, 6);
    const info = (await value('getAccountInfo', account, parsed)) as ParsedToken;
    const theirs = (await value('getTokenAccountsByOwner', owner, { mint: USDC_MINT }, parsed)) as {
      pubkey: string;
      account: ParsedToken;
    }[];
    const ofProgram = (await value('getTokenAccountsByOwner', owner, { programId: TOKEN_PROGRAM }, parsed)) as object[];
    assert.deepEqual([theirs.map(({ pubkey }) => pubkey), ofProgram.length], [[account], 1]);
    for (const { owner: program, data } of [info, ...theirs.map((found) => found.account)]) {
      const { mint, owner: whose, tokenAmount, state } = data.parsed.info;
      assert.deepEqual([program, data.program, data.parsed.type], [TOKEN_PROGRAM, 'spl-token', 'account']);
      assert.deepEqual([mint, whose, tokenAmount, state], [USDC_MINT, owner, held, 'initialized']);
    }
    const bytes = (await value('getAccountInfo', account, { encoding: 'base64' })) as { data: [string, string] };
    assert.deepEqual([Buffer.from(bytes.data[0], 'base64').length, bytes.data[1]], [165, 'base64']);
    assert.equal(await value('getAccountInfo', freshAddress(), parsed), null);
    const { blockhash } = (await value('getLatestBlockhash')) as { blockhash: string };
    assert.equal(await value('isBlockhashValid', blockhash), true);
    const slot = (await ask('getSlot')) as number;
    assert.deepEqual((await ask('getBlocks', slot - 2, slot)) as unknown, [slot - 2, slot - 1, slot]);
    const epoch = (await ask('getEpochInfo')) as { absoluteSlot: number; slotIndex: number; slotsInEpoch: number };
    assert.ok(epoch.absoluteSlot >= slot && epoch.slotIndex < epoch.slotsInEpoch, JSON.stringify(epoch));
    await assert.rejects(ask('getTokenAccountBalance', freshAddress()), /could not find account|not found/);
    await world.close();
  });
}
