/**
 * npm run bench:orders [-- --orders N] [--rounds N] [--simulated]
 * How long customers wait for the desk: from the moment their deposit is final to the moment their payout is sent, that many
 * orders at once on a whole sandbox, by the desk's own history of each. Real nodes, where this computer has them.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { nodesFound } from '../test/chaos/chaos.ts';
import { newDir, removeDir, startBox } from '../test/e2e/box.ts';
import { openPrices } from '../test/e2e/routes.ts';
import { end, openShopper } from '../test/e2e/shopper.ts';
import { byStep, spreadOf, type Told, type Wait, waitOf } from './order-waits.ts';

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

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`.padStart(8);

function say(name: string, waits: readonly number[]): void {
  const { median, p95, last } = spreadOf(waits);
  const count = String(waits.length).padStart(3);
  console.log(`  ${name.padEnd(32)} ${count} ${seconds(median)} ${seconds(p95)} ${seconds(last)}`);
}

function report(round: string, waits: readonly Wait[]): void {
  console.log(`${round}, load ${loadavg()[0]?.toFixed(1)}${' '.repeat(20)}orders   median      p95     last`);
  const isElsewhere = ({ elsewhereMs }: Wait) => elsewhereMs > 0;
  const [provider, venue] = [waits.filter(isElsewhere), waits.filter((wait) => !isElsewhere(wait))];
  const whole = ({ ms }: Wait) => ms;
  say('all: final → payout sent', waits.map(whole));
  say(
    'without the provider’s time',
    waits.map(({ ms, elsewhereMs }) => ms - elsewhereMs),
  );
  if (venue.length > 0) say('over the venue', venue.map(whole));
  if (provider.length > 0) say('over a provider', provider.map(whole));
  for (const [step, each] of byStep(waits)) say(`  ${step}`, each);
}

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
        return waitOf(body.history as readonly Told[]);
      }),
    );
    report(`round ${round}`, waits);
  }
} finally {
  await box.end('SIGTERM');
  removeDir(dir);
}
