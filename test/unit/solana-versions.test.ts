import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address } from '../../src/kernel/ids.ts';
import { solanaAddressOfKey } from '../../src/world/chains/solana/address-codec.ts';
import { SolanaNode } from '../../src/world/chains/solana/node.ts';
import { sightingsIn } from '../../src/world/chains/solana/transfers.ts';
import type { Outbound } from '../../src/world/outbound/http.ts';

const [PAYER, OURS] = [1, 2].map((fill) => solanaAddressOfKey(new Uint8Array(32).fill(fill))) as [Address, Address];

/** A block as Agave shows it in which one transaction is of this version: it tells nothing to whoever cannot read all of it. */
const holding =
  (version: number): Outbound =>
  async ({ body = '' }) => {
    const [, how] = (JSON.parse(body) as { params: [number, { maxSupportedTransactionVersion?: number }] }).params;
    const most = how.maxSupportedTransactionVersion ?? -1;
    // The parameter is an unsigned byte.
    const isAllowed = Number.isInteger(most) && most >= 0 && most <= 255;
    const message = isAllowed
      ? `Transaction version (${version}) is not supported by the requesting client.`
      : `Invalid params: invalid value: integer ${most}, expected u8.`;
    const answer =
      isAllowed && version <= most
        ? { result: block(version) }
        : { error: { code: isAllowed ? -32015 : -32602, message } };
    return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer }) };
  };

const block = (version: number) => ({
  ...{ blockhash: 'hash', parentSlot: 6, blockHeight: 5, blockTime: 1 },
  transactions: [
    {
      version,
      transaction: { signatures: ['signature'], accountKeys: [{ pubkey: PAYER }, { pubkey: OURS }] },
      meta: { err: null, preBalances: [2_000_000, 0], postBalances: [995_000, 1_000_000] },
    },
  ],
});

test('blocks with transactions of versions to come are read: what they did to balances is all that counts', async () => {
  for (const version of [0, 1, 2, 200]) {
    const read = await new SolanaNode('http://node', holding(version)).block(7);
    const seen = read.transactions.flatMap((tx) => sightingsIn(tx, read, new Set([OURS])));
    assert.deepEqual(
      seen.map(({ address, atoms }) => [address, atoms]),
      [[OURS, 1_000_000n]],
      `version ${version}`,
    );
  }
});
