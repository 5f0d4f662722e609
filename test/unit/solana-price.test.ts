import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base58 } from '@scure/base';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import type { Address, IntentId } from '../../src/kernel/ids.ts';
import type { SignedTransfer, Terms, Transfer } from '../../src/world/chains/chain.ts';
import { SYSTEM_PROGRAM, solanaAddressOfKey, tokenAccountOf } from '../../src/world/chains/solana/address-codec.ts';
import {
  SOL_ASSET_ID,
  SOLANA_ID,
  signSolana,
  solanaToken,
  solanaUnsigned,
  USDC_MINT,
} from '../../src/world/chains/solana/codec.ts';
import { openSolana } from '../../src/world/chains/solana/solana.ts';
import type { Outbound } from '../../src/world/outbound/http.ts';

const HOT_KEY = new Uint8Array(32).fill(1);
const [HOT, ALICE] = [HOT_KEY, new Uint8Array(32).fill(2)].map((key) => solanaAddressOfKey(key)) as [Address, Address];
const HASH = base58.encode(new Uint8Array(32).fill(9));

const coins = { lamports: 1_000_000_000, owner: SYSTEM_PROGRAM, executable: false, data: ['', 'base64'] };

/** A node on which the hot account has coins, and that says what got in of late. */
async function desk(fees: readonly number[]) {
  const asked: unknown[] = [];
  const answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    getGenesisHash: () => HASH,
    getMinimumBalanceForRentExemption: () => 890_880,
    getMultipleAccounts: ([places]) => ({
      value: (places as Address[]).map((place) => (place === HOT || place === ALICE ? coins : null)),
    }),
    getLatestBlockhash: () => ({ value: { blockhash: HASH, lastValidBlockHeight: 1_000 } }),
    getRecentPrioritizationFees: ([accounts]) => {
      asked.push(accounts);
      return fees.map((prioritizationFee, slot) => ({ slot, prioritizationFee }));
    },
  };
  const outbound: Outbound = async ({ body = '' }) => {
    const { method, params } = JSON.parse(body) as { method: string; params: unknown[] };
    const answer = present(answers[method], method);
    return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: answer(params) }) };
  };
  const config = { rpcUrl: 'http://node', hotAddress: HOT, addresses: async () => [], genesisHash: HASH };
  const { terms } = await openSolana(config, outbound);
  const priced = async (transfer: Transfer, dead?: SignedTransfer): Promise<Terms> => {
    const told = await terms(transfer, undefined, dead);
    assert.ok('fee' in told, 'refused');
    return told;
  };
  return { asked, priced };
}

const PAYOUT: Transfer = { from: 'hot', asset: SOL_ASSET_ID, atoms: atoms(5_000_000n), to: ALICE };

function signed({ fee }: Terms): SignedTransfer {
  const { raw, txHash } = signSolana(solanaUnsigned({ ...PAYOUT, fee }, HOT, HOT), [HOT_KEY]);
  return { intent: 'x:payout:0' as IntentId, chainId: SOLANA_ID, txHash, raw, consumes: [], cost: atoms(1n) };
}

test('what got in of late is asked for the accounts that a payment writes, those of its token too', async () => {
  const { asked, priced } = await desk([0, 20_000, 30_000, 900_000]);
  assert.equal((await priced(PAYOUT)).fee.unitPrice, '900000');
  const token = { ...PAYOUT, asset: solanaToken(USDC_MINT), atoms: atoms(0n) };
  await priced(token);
  assert.deepEqual(asked, [
    [HOT, ALICE],
    [HOT, tokenAccountOf(HOT, USDC_MINT), tokenAccountOf(ALICE, USDC_MINT)],
  ]);
});

test('each life of a payment offers five times what the one before did, up to the most that the policy allows', async () => {
  const { priced } = await desk([]);
  const prices: string[] = [];
  let terms = await priced(PAYOUT);
  for (let life = 0; life < 6; life += 1) {
    prices.push(terms.fee.unitPrice ?? '');
    terms = await priced(PAYOUT, signed(terms));
  }
  assert.deepEqual(prices, ['10000', '50000', '250000', '1250000', '5000000', '5000000']);
});

test('where others pay more than that by now, so does the next life', async () => {
  const quiet = await desk([]);
  const first = await quiet.priced(PAYOUT);
  const busy = await desk([700_000]);
  assert.equal((await busy.priced(PAYOUT, signed(first))).fee.unitPrice, '700000');
});
