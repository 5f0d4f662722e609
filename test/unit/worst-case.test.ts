import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Config } from '../../src/app/config.ts';
import { settingsFor } from '../../src/app/desk-file.ts';
import { partAt, withPart } from '../../src/app/pointer.ts';
import { ROLES } from '../../src/app/roles.ts';
import { worstCases } from '../../src/app/worst-case.ts';
import { exampleSettings as desk, deskSettings, example } from './example-settings.ts';

test('each role logs in to the database as itself, and nobody but a person who gives commands as the owner of the tables', () => {
  const logins = { owner: 'postgres://owner', engine: 'postgres://engine', api: 'postgres://api' };
  const apart = deskSettings(example(logins));
  const seen = (one: ReturnType<typeof deskSettings>) =>
    ROLES.map((role) => partAt(settingsFor(role, one), '/database'));
  assert.deepEqual(seen(apart), [undefined, logins.engine, logins.api]);
  assert.equal(partAt(apart.whole, '/database'), logins.owner);
  assert.deepEqual(seen(deskSettings(example('postgres://x'))), [undefined, 'postgres://x', 'postgres://x']);
  assert.throws(() => deskSettings(example({ owner: 'postgres://owner', engine: 'postgres://engine' })), /\/database/);
});

const byName = (config: Config) => new Map(worstCases(config).map((one) => [one.taken, one]));
const usd = (config: Config, taken: string): string => byName(config).get(taken)?.usdPerDay ?? assert.fail(taken);

test('every part of the desk that can be taken has its worst case', () => {
  const config = desk();
  const withProviders = { ...config, providers: { relay: { url: 'https://x' } } };
  assert.deepEqual(
    [...byName(withProviders).keys()],
    ['engine', 'database', 'api', 'node:Monero', 'node:Arbitrum', 'venue', 'provider:relay'],
  );
  for (const { says, parts } of worstCases(withProviders)) assert.ok(says.length > 0 && parts.length > 0);
  const { says } = byName(withProviders).get('provider:relay') ?? assert.fail('no provider');
  assert.match(says, /only `perTransfer` of an asset bounds one deal/, 'an overpayment is swapped in full');
});

test('what leaves is bound by each asset and by all of them together, whichever is less', () => {
  // 100 XMR at 150, 5 ETH at 1500, 20000 USDC twice, 100 XMR1 at 150: 77,500 in all, but 20,000 dollars a day.
  const [paid] = byName(desk()).get('engine')?.parts ?? [];
  assert.equal(paid?.usd, '20000.00');
  const wide = desk((limits) => withPart(limits, '/usdPerDay', '1000000'));
  assert.equal(byName(wide).get('engine')?.parts[0]?.usd, '77500.00');
  const unnamed = desk((limits) => withPart(withPart(limits, '/usdPerDay', '1000000'), '/assets/XMR1', undefined));
  assert.equal(byName(unnamed).get('engine')?.parts[0]?.usd, '62500.00', 'what has no limit cannot leave');
});

test('what is given back out of deposit accounts is bound by the same limits once more, where there are such accounts', () => {
  assert.equal(byName(desk()).get('engine')?.parts[2]?.usd, '20000.00');
  const wide = desk((limits) => withPart(limits, '/usdPerDay', '1000000'));
  // All but the 15,000 of Monero, whose deposits lie in one wallet.
  for (const taken of ['engine', 'database', 'api'])
    assert.equal(byName(wide).get(taken)?.parts[2]?.usd, '62500.00', taken);
});

test('fees are bound by chain and valued at the floor of their coin, and told in coins where there is none', () => {
  // 0.05 ETH at 1500, 0.5 XMR at 150 and 50 USDC: 75, 75 and 50.
  assert.equal(byName(desk()).get('engine')?.parts[1]?.usd, '200.00');
  const unpriced = desk((limits) => withPart(limits, '/assets/ETH', undefined));
  const engine = byName(unpriced).get('engine');
  assert.equal(engine?.parts[1]?.usd, '125.00');
  assert.deepEqual(engine?.beside, ['0.05 ETH of fees on Arbitrum']);
});

test('trades lose what lies between the ends of the price band', () => {
  // 100 XMR sold at 100 while they are worth 1000, and 20000 USDC spent at 1000 on what is worth 100.
  assert.equal(byName(desk()).get('engine')?.parts[3]?.usd, '108000.00');
  const narrow = desk((limits) => withPart(limits, '/trades/price', { least: '290', most: '310' }));
  // 100 × 20, and 20/310 of 20000, to the next cent.
  assert.equal(byName(narrow).get('engine')?.parts[3]?.usd, '3290.33');
  const shut = desk((limits) => withPart(limits, '/trades/price', { least: '300', most: '300' }));
  assert.equal(byName(shut).get('engine')?.parts[3]?.usd, '0.00');
});

test('a node that lies wins nothing on its own chain', () => {
  const wide = desk((limits) => withPart(limits, '/usdPerDay', '1000000'));
  // All but XMR; all but ETH and USDC on Arbitrum; all but USDC and XMR1 on the venue.
  assert.deepEqual(
    ['node:Monero', 'node:Arbitrum', 'venue'].map((taken) => usd(wide, taken)),
    ['62500.00', '50000.00', '42500.00'],
  );
});

test('the whole is the sum of its parts, and a day without limits is a day without loss', () => {
  assert.equal(usd(desk(), 'engine'), '148200.00');
  assert.equal(usd(desk(), 'database'), '40200.00');
  const closed = desk((limits) => {
    const none = withPart(withPart(withPart(limits, '/usdPerDay', '0'), '/assets', {}), '/chains', {});
    return withPart(withPart(none, '/trades/sellPerDay', '0'), '/trades/notionalPerDay', '0');
  });
  for (const { usdPerDay, beside } of worstCases(closed)) assert.deepEqual([usdPerDay, beside], ['0.00', []]);
});
