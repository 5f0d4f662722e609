/**
 * npm run bench:orders [-- --orders N] [--rounds N] [--simulated]
 * How long customers wait for the desk alone: from the moment their deposit is final to the moment their payout is sent, that many
 * orders at once on a whole sandbox, by the desk's own history of each. Real nodes, where this computer has them.
 */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { nodesFound } from '../test/chaos/chaos.ts';
import { newDir, removeDir, startBox } from '../test/e2e/box.ts';
import { openPrices } from '../test/e2e/routes.ts';
import { end, openShopper } from '../test/e2e/shopper.ts';

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
    simulated: { type: 'boolean', default: false },
  },
});

/** Of different chains, so that no node is what is measured; each goes over the venue or a provider. */
const ROUTES = [
  ['USDC Arbitrum', 'XMR'],
  ['XMR', 'USDC Arbitrum'],
  ['USDC Arbitrum', 'ETH'],
  ['USDC Arbitrum', 'TRX'],
] as const;

interface Fact {
  readonly at: number;
  readonly phase: string;
  readonly fact: { readonly fact: string; readonly part?: string; readonly payment?: string };
}

function waitOf(history: readonly Fact[]): number {
  const final = history.find(({ phase }) => phase === 'screening');
  const sent = history.find(
    ({ fact }) => fact.fact === 'transfer_sent' && fact.part === 'main' && fact.payment?.includes(':payout:'),
  );
  assert.ok(final && sent, 'an order that was paid');
  return sent.at - final.at;
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

const dir = newDir();
const box = await startBox(dir, ...(values.simulated ? [] : nodesFound()));
try {
  const shopper = openShopper(box);
  const amountOf = await openPrices(box);
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    const wanted = Array.from({ length: Number(values.orders) }, (_, n) => ROUTES[n % ROUTES.length] ?? ROUTES[0]);
    const bought = [];
    for (const [from, to] of wanted) bought.push(await shopper.buy(end(from), end(to), amountOf(end(from))));
    for (const order of bought) await shopper.pay(order, BigInt(order.depositAmount));
    const waits = await Promise.all(
      bought.map(async (order) => {
        await shopper.completed(order);
        const { body } = await box.operator('GET', `/operator/orders/${order.orderId}`);
        return waitOf(body.history as readonly Fact[]);
      }),
    );
    const sorted = waits.sort((a, b) => a - b);
    const [half, most, last] = [at(sorted, 0.5), at(sorted, 0.95), at(sorted, 1)];
    console.log(
      `round ${round}: ${sorted.length} orders, final → payout sent: median ${seconds(half)}, p95 ${seconds(most)}, last ${seconds(last)}`,
    );
  }
} finally {
  await box.end('SIGTERM');
  removeDir(dir);
}
