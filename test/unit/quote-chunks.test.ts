import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeProvider } from './quote-provider.ts';
import { BTC, quoted, room, SOL, swap } from './quote-room.ts';

test('a wish for chunks means nothing where Monero is not traded', async () => {
  const quotes = room({ providers: [fakeProvider()] });
  const plain = await quoted(quotes, swap(BTC, SOL, 10_000_000n));
  const wished = await quoted(
    quotes,
    swap(BTC, SOL, 10_000_000n, { twap: { disabled: false, chunkSizeUsd: 250, intervalMs: 1_000 } }),
  );
  assert.deepEqual(wished.route, plain.route);
  assert.deepEqual(wished.toAmount, plain.toAmount);
});
