import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { base58 } from '@scure/base';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { bindDestination } from '../../src/kernel/binding.ts';
import { type AssetId, chainOf } from '../../src/kernel/ids.ts';
import type { Core } from '../../src/signer/core.ts';
import type { TransferRail } from '../../src/signer/rail.ts';
import { solanaKeys, solanaRail } from '../../src/signer/rails/solana.ts';
import { tronKeys, tronRail } from '../../src/signer/rails/tron.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import { solanaAddressOfKey } from '../../src/world/chains/solana/address-codec.ts';
import { solanaToken, USDC_MINT } from '../../src/world/chains/solana/codec.ts';
import { tronAddressOfKey } from '../../src/world/chains/tron/codec.ts';
import { TRX_ASSET, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import {
  aDay,
  ENGINE,
  fund,
  intent,
  LIMITS,
  NO_LIMIT,
  ORDER,
  openBench,
  TREE,
  temporaryFolder,
} from './signer-bench.ts';

const SOLANA = solanaRail(solanaKeys(TREE));
const TRON = tronRail(tronKeys(TREE));
const USDC = solanaToken(USDC_MINT);
const RENT = 2_039_280n;
const OPENING = 1_100_000n;
/** For each transfer, and three times as much a day. */
const MOST = 3_100_000n;

const seedOf = (number: number): Uint8Array => new Uint8Array(32).fill(number + 1);

/** An engine in other hands: it funds deals with crumbs, to wallets that are its own. */
function thief(t: TestContext, rail: TransferRail, asset: AssetId, fee: TransferRequest['fee']) {
  const chain = chainOf(asset);
  const limits = { ...LIMITS, otherAssets: NO_LIMIT, chains: { [chain]: aDay(0n, MOST) } };
  const { core, journal } = openBench(join(temporaryFolder(t), 'journal'), [rail], limits);
  t.after(() => journal.close());
  const addressOf = rail === SOLANA ? solanaAddressOfKey : tronAddressOfKey;
  return (number: number, wallet: number, change: Partial<TransferRequest> = {}) => {
    const { nonce: _, ...request } = fund({
      ...{ intent: intent(`${ORDER}:fund:${number}`), chainId: chain, asset, atoms: atoms(1n) },
      ...{ to: addressOf(seedOf(wallet)), fee, ...change },
    });
    const paid = { ...request, binding: bindDestination(ENGINE, ORDER, 'fund', request.asset, request.to) };
    return core.transfer(change.kind ? request : paid);
  };
}

const costOf = (answer: Awaited<ReturnType<Core['transfer']>>): bigint | string =>
  'cost' in answer ? answer.cost : answer.refused;

const SOLANA_FEE = {
  blockhash: base58.encode(new Uint8Array(32).fill(9)),
  ...{ lastValidBlockHeight: '1000', unitLimit: '80000', unitPrice: '0' },
};

test('a token account that is opened counts with the rent that the chain takes, whatever the caller says', async (t) => {
  const pays = thief(t, SOLANA, USDC, { ...SOLANA_FEE, accountRent: '1' });
  const [signature, each] = [5_000n, 5_000n + RENT];
  const most = (3n * MOST) / each;
  for (let number = 0; number < most; number += 1) assert.equal(costOf(await pays(number, number)), each);
  assert.equal(costOf(await pays(100, 100)), 'over_daily_cost');
  const open = { ...SOLANA_FEE, accountRent: '0' };
  assert.equal(costOf(await pays(101, 101, { fee: open })), signature, 'what opens nothing pays for nothing');
  const dearer = { ...SOLANA_FEE, accountRent: `${MOST}` };
  assert.equal(costOf(await pays(102, 102, { fee: dearer })), 'cost_over_cap', 'rent that rose is believed');
});

const TIME = 1_700_000_000_000;
const TRON_FEE = {
  ...{ ref_block_bytes: '0a12', ref_block_hash: '0011223344556677' },
  ...{ timestamp: `${TIME}`, expiration: `${TIME + 43_200_000}`, fee_limit: '0', overhead: '0' },
};

test('coins on Tron to whom nobody was paid count as an account that is opened, and later ones as their bytes', async (t) => {
  const pays = thief(t, TRON, TRX_ASSET.id, TRON_FEE);
  const most = (3n * MOST) / OPENING;
  for (let number = 0; number < most; number += 1) assert.equal(costOf(await pays(number, number)), OPENING);
  assert.equal(costOf(await pays(100, 100)), 'over_daily_cost');
  const again = costOf(await pays(101, 1));
  assert.ok(typeof again === 'bigint' && again > 200_000n && again < 400_000n, `${again} sun for its bytes`);
});

test('tokens on Tron open no account: coins that follow them do', async (t) => {
  const pays = thief(t, TRON, TRX_ASSET.id, TRON_FEE);
  const fee = { ...TRON_FEE, fee_limit: '1000000' };
  const token = costOf(await pays(1, 1, { asset: USDT_ASSET.id, fee }));
  assert.ok(typeof token === 'bigint' && token > 1_250_000n && token < 1_500_000n, `${token} sun with its bytes`);
  assert.equal(costOf(await pays(2, 1)), OPENING);
});

test('coins to our own hot account open nothing', async (t) => {
  const pays = thief(t, TRON, TRX_ASSET.id, TRON_FEE);
  const to = present(TRON.addressOf('hot'), 'hot');
  const answer = await pays(1, 1, { kind: 'rebalance', owner: 'treasury', intent: intent('treasury:rebalance:1'), to });
  const cost = costOf(answer);
  assert.ok(typeof cost === 'bigint' && cost < 400_000n, `${cost}`);
});
