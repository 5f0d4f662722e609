/**
 * npm run bench:growth [-- --open 10000,1000000] [--finished 1] [--picture docs/growth.svg]
 * What every statement that is asked again and again reads, in databases with so many open orders, and `finished` as many finished ones.
 * Ends with an error where a statement reads more than twice as much in the largest as in the smallest.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { documents, type Matched, matchPayees } from './beside.ts';
import { beyond, GOAL, growthOf, type Measured, measure } from './compare.ts';
import { picture } from './picture.ts';

const { values } = parseArgs({
  options: {
    open: { type: 'string', default: '10000,100000,1000000' },
    finished: { type: 'string', default: '1' },
    picture: { type: 'string' },
  },
});
const sizes = values.open.split(',').map(Number);
const now = Date.now();
const print = (line: string) => process.stdout.write(`${line}\n`);

const all: Measured[] = [];
const matched: Matched[] = [];
for (const open of sizes) {
  const startedAt = performance.now();
  all.push(
    await measure({ open, finished: Math.round(open * Number(values.finished)), now }, async (url) => {
      print(`${open} open orders were filled in within ${Math.round((performance.now() - startedAt) / 1_000)} s`);
      matched.push(await matchPayees(url));
      if (open === sizes.at(-1)) for (const line of await documents(url)) print(line);
    }),
  );
}
const growth = growthOf(all);
print(`\n${'statement'.padEnd(32)}${sizes.map((size) => `${size}`.padStart(10)).join('')}     ratio        ms`);
for (const { name, buffers, ms, ratio } of growth) {
  const pages = buffers.map((one) => `${one}`.padStart(10)).join('');
  print(`${name.padEnd(32)}${pages}${ratio.toFixed(2).padStart(10)}${(ms.at(-1) ?? 0).toFixed(2).padStart(10)}`);
}
print('');
for (const { addresses, ratio, storeMs, setMs } of matched)
  print(
    `5,000 payees among ${addresses} addresses: ${storeMs.toFixed(1)} ms, a bare Set ${setMs.toFixed(1)} ms, × ${ratio.toFixed(1)}`,
  );
if (values.picture !== undefined) writeFileSync(values.picture, picture(sizes, growth));
const failed = beyond(growth);
print(`\n${growth.filter(({ ratio }) => ratio <= GOAL).length} of ${growth.length} within the goal of ${GOAL}`);
for (const { name, ratio, way } of failed) {
  print(`${name} grew by ${ratio.toFixed(2)}`);
  for (const line of way) print(`  ${line}`);
}
process.exit(failed.length === 0 ? 0 : 1);
