import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Box } from './box.ts';
import { assertBalanced, ENDS, openTraveller, ROUTES } from './routes.ts';
import { sharedBox } from './shared-box.ts';

const WITHIN_MS = 300_000;
const AT_ONCE = 24;
/** Twice as fast as blocks usually come here; chains that no route touches make none. */
const BLOCK_MS = 500;
let box: Box;

before(async () => {
  box = await sharedBox();
  const used = new Set(ENDS.map(({ chainId }) => chainId));
  // The venue has no blocks, and says so.
  for (const { chainId } of box.info.chains)
    await box.control('POST', '/sandbox/automine', { chainId, intervalMs: used.has(chainId) ? BLOCK_MS : 0 });
});

test('every asset is swapped for every other', { concurrency: AT_ONCE }, async (t) => {
  const travel = await openTraveller(box, WITHIN_MS);
  await Promise.all(
    ROUTES.map((route) =>
      t.test(`${route.from.name} to ${route.to.name}: the customer gets what the order says`, async () => {
        assert.equal((await travel(route)).problem, undefined);
      }),
    ),
  );
});

test('then the accounts hold what the ledger says', () => assertBalanced(box));
