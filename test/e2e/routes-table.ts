/**
 * npm run routes [-- --real] [-- part of a name …]
 * Starts a sandbox of its own, carries out every route in it, and prints what the chains say of each.
 */
import { newDir, removeDir, startBox } from './box.ts';
import { openTraveller, ROUTES, type Trip, travelAll } from './routes.ts';

const WITHIN_MS = 180_000;
const AT_ONCE = 12;

const flags = process.argv.slice(2).filter((word) => word.startsWith('--'));
const parts = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const routes = ROUTES.filter(({ from, to }) => parts.every((part) => `${from.name} to ${to.name}`.includes(part)));

const line = ({ from, to, deposit, output, seconds, problem }: Trip): string =>
  [
    from.name.padEnd(14),
    to.name.padEnd(14),
    deposit.padStart(22),
    output.padStart(22),
    `${seconds.toFixed(1)} s`.padStart(8),
    problem ?? 'received as said',
  ].join('  ');

const dir = newDir();
const box = await startBox(dir, ...flags);
try {
  const travel = await openTraveller(box, WITHIN_MS);
  const trips = await travelAll(routes, travel, AT_ONCE, (trip) => console.log(line(trip)));
  const good = trips.filter(({ problem }) => problem === undefined);
  console.log(`${good.length} of ${routes.length} routes completed and were received as the order says`);
  process.exitCode = good.length === routes.length ? 0 : 1;
} finally {
  await box.end('SIGTERM');
  removeDir(dir);
}
