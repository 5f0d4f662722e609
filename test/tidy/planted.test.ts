import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Files, PLANTED_SQL, type Planted } from './planted-sql.ts';
import { RULES, type RuleName } from './rules.ts';
import { source } from './source.ts';

const from = (target: string): string => `import { x } from '${target}';\n`;
const typeFrom = (target: string): string => `import type { X } from '${target}';\n`;
const cycleIn = (at: string): Files => ({ [`${at}/a.ts`]: typeFrom('./b.ts'), [`${at}/b.ts`]: typeFrom('./a.ts') });
const LINE = 'const a = 1;\n';

/** A violation of every rule, planted to see that it is found. */
const PLANTED: Readonly<Record<RuleName, Planted>> = {
  'rooms import only what the table allows': {
    caught: [
      { 'src/kernel/amount.ts': from('../store/db.ts') },
      { 'src/kernel/amount.ts': from('viem') },
      { 'src/life/order/transition.ts': from('node:fs') },
      { 'src/world/chains/monero/scan.ts': from('../evm/scan.ts') },
      { 'src/world/chains/monero/scan.ts': typeFrom('../evm/scan.ts') },
      { 'src/world/chains/monero/scan.ts': "export { x } from '../evm/scan.ts';" },
      { 'src/world/chains/monero/scan.ts': "const x = await import('../evm/scan.ts');" },
      { 'src/world/chains/monero/scan.ts': "import {\n  x, // why\n  y,\n} from '../evm/scan.ts';" },
      { 'src/world/chains/evm/scan.ts': from('../../../life/order/order.ts') },
      { 'src/world/venues/hyperliquid/post.ts': from('../../chains/evm/codec.ts') },
      { 'src/life/deposit/judge.ts': from('../transfer/prepare.ts') },
      { 'src/life/order/create.ts': from('../quote/quote.ts') },
      { 'src/life/order/create.ts': typeFrom('../quote/order-book.ts') },
      { 'src/store/orders.ts': from('../engine/submit.ts') },
      { 'src/engine/outbox.ts': from('../life/transfer/broadcast.ts') },
      { 'src/signer/core.ts': from('../world/chains/evm/node.ts') },
      { 'src/signer/request.ts': from('./keys.ts') },
      { 'src/api/v1/quote.ts': typeFrom('../../world/chains/chain.ts') },
      { 'src/operator/cases.ts': from('../signer/request.ts') },
      { 'src/app/main.ts': from('../world/chains/index.ts') },
      { 'src/app/wiring/chains.ts': from('../../../sandbox/main.ts') },
      { 'src/app/config.ts': from('../world/chains/tron/family.ts') },
      { 'src/signer/start-signer.ts': from('./rails/tron.ts') },
      { 'src/signer/rails/tron.ts': from('../../world/chains/tron/node.ts') },
      { 'sandbox/world.ts': from('./families/tron.ts') },
      { 'sandbox/families/tron.ts': from('./evm.ts') },
      { 'sandbox/families/tron.ts': from('./evm-wire.ts') },
      { 'sandbox/families/tron.ts': from('../world.ts') },
      { 'sandbox/simulators/tron/ledger.ts': from('../zcash/ledger.ts') },
      { 'sandbox/simulators/tron/ledger.ts': from('../../config.ts') },
      { 'web/pages/swap.tsx': from('../../src/api/v2/swaps.ts') },
      { 'web/client/quote.ts': from('../server/forms.ts') + from('preact') },
      { 'src/api/server.ts': from('../../web/server/plugin.tsx') },
    ],
    fine: [
      { 'src/kernel/amount.ts': from('./ratio.ts') + from('node:crypto') },
      { 'src/world/chains/monero/scan.ts': from('./codec.ts') + from('../chain.ts') + from('../../outbound/http.ts') },
      {
        'src/world/chains/monero/scan.ts':
          "// import { x } from '../evm/scan.ts';\nconst s = `import '../evm/scan.ts'`;",
      },
      { 'src/world/chains/index.ts': from('./monero/open.ts') },
      { 'src/life/order/create.ts': "import { type Q } from '../quote/quote.ts';" },
      { 'src/life/transfer/prepare.ts': from('../order/effect.ts') + from('../../signer/request.ts') },
      { 'src/signer/core.ts': from('../world/chains/evm/codec.ts') + typeFrom('../world/chains/chain.ts') },
      { 'src/app/wiring/chains.ts': from('../../world/chains/index.ts') },
      { 'sandbox/families/tron.ts': from('./tron-wire.ts') + from('../../src/signer/rails/tron.ts') },
      { 'src/app/pages.ts': from('../../web/server/plugin.tsx') },
      { 'web/pages/swap.tsx': from('../../src/kernel/amount.ts') + from('../../sdk/src/index.ts') },
      { 'sandbox/main.ts': from('../src/app/main.ts') + from('../src/world/chains/evm/node.ts') },
    ],
  },
  'imports make no cycle': {
    caught: [
      { 'src/kernel/a.ts': typeFrom('./b.ts'), 'src/kernel/b.ts': from('./c.ts'), 'src/kernel/c.ts': from('./a.ts') },
      { 'src/kernel/a.ts': from('./a.ts') },
      ...['sandbox', 'bench', 'scripts', 'sdk', 'test', 'web'].map(cycleIn),
    ],
    fine: [
      { 'src/kernel/a.ts': from('./b.ts') + from('./c.ts'), 'src/kernel/b.ts': from('./c.ts'), 'src/kernel/c.ts': '' },
    ],
  },
  'a family is named in its own parts and in the lists alone': {
    caught: [
      { 'src/app/config.ts': "const chains = ['dummy'];", 'src/world/chains/dummy/family.ts': '' },
      { 'src/signer/keys.ts': '// Dummy keys.', 'src/world/chains/dummy/family.ts': '' },
      { 'src/world/chains/tron/scan.ts': 'const dummyAddress = 1;', 'src/world/chains/dummy/family.ts': '' },
    ],
    fine: [
      {
        'src/world/chains/dummy/family.ts': "const family = 'dummy';",
        'src/world/chains/index.ts': from('./dummy/family.ts'),
        'src/signer/rails/dummy.ts': "const family = 'dummy';",
        'src/signer/rails/dummy-device.ts': "const family = 'dummy';",
        'src/signer/rails/index.ts': from('./dummy.ts'),
      },
      { 'src/app/config.ts': "const chains = ['dummy'];" },
    ],
  },
  'no SQL knows a state by name, or a path into a document': PLANTED_SQL,
  'every file of src and of the sandbox has a room': {
    caught: [
      { 'src/shed/tool.ts': '' },
      { 'src/main.ts': '' },
      { 'src/world/chains/rates.ts': '' },
      { 'src/life/x/y.ts': '' },
      { 'sandbox/attic/chest.ts': '' },
    ],
    fine: [{ 'src/world/chains/monero/scan.ts': '' }, { 'src/app/main.ts': '' }],
  },
  'a file fits in 300 lines': {
    caught: ['src/kernel/long.ts', 'bench/long.ts', 'scripts/long.mjs']
      .map((path) => ({ [path]: LINE.repeat(301) }))
      .concat({ 'web/page.html': `${LINE.repeat(300)}x` }),
    fine: [{ 'src/kernel/long.ts': LINE.repeat(300) }, { 'docs/long.md': LINE.repeat(900) }],
  },
  'a file is named for what is in it': {
    caught: ['src/kernel/utils.ts', 'src/api/helpers/x.ts', 'src/life/order/order-manager.ts', 'src/kernel/index.ts']
      .map((path) => ({ [path]: '' }))
      .concat({ 'src/kernel/MyFile.ts': '' }),
    fine: [{ 'src/world/chains/index.ts': '' }, { 'src/kernel/base58.ts': '' }, { 'test/life/paid-once.test.ts': '' }],
  },
  'npm ci finds every package in the lock file': {
    caught: [{ 'package-lock.json': '{ "packages": { "node_modules/a": { "optionalDependencies": { "b": "1" } } } }' }],
    fine: [
      {
        'package-lock.json':
          '{ "packages": { "node_modules/a": { "optionalDependencies": { "b": "1" } }, "node_modules/b": {} } }',
      },
    ],
  },
  'the environment is read in one place': {
    caught: [
      { 'src/api/server.ts': 'const p = process.env.PORT;' },
      { 'test/unit/x.test.ts': 'const { env } = process;' },
    ],
    fine: [
      { 'src/app/config.ts': 'const p = process.env.PORT;' },
      { 'src/api/server.ts': '// process.env is not for us.' },
    ],
  },
  'time is a parameter': {
    caught: ['Date.now()', 'new Date()', 'new Date', 'performance.now()', 'process.hrtime()'].map((now) => ({
      'src/engine/timers.ts': `const now = ${now};`,
    })),
    fine: [{ 'src/kernel/clock.ts': 'new Date(at).toISOString()' }, { 'src/app/main.ts': 'Date.now()' }],
  },
  'chance is a parameter': {
    caught: [
      { 'src/engine/outbox.ts': 'const jitter = Math.random();' },
      { 'src/api/v1/orders.ts': "import { createHash, randomBytes } from 'node:crypto';" },
      { 'src/api/v1/orders.ts': 'const id = crypto.randomUUID();' },
    ],
    fine: [
      { 'src/api/v1/orders.ts': 'const id = deps.randomBytes(16);' },
      { 'src/app/main.ts': 'crypto.randomUUID()' },
    ],
  },
  'only those who wait have timers': {
    caught: [{ 'src/life/payment/confirm.ts': 'setTimeout(again, 1000);' }],
    fine: [{ 'src/engine/timers.ts': 'setTimeout(again, 1000);' }],
  },
  'no interval is a clock': {
    caught: [{ 'src/engine/timers.ts': 'setInterval(tick, 1000);' }],
    fine: [{ 'sandbox/clock.ts': 'setInterval(tick, 1000);' }],
  },
  'no float comes near money': {
    caught: [
      'parseFloat(text)',
      'total.toFixed(2)',
      'Number(order.amount)',
      'Number(deposit.atoms)',
      'Number(BigInt(body.fromAmount))',
      'Math.floor(amount * rate)',
      'Math.round(Number(x) * feeShare)',
      'fee * 0.003',
      '0.99 * price',
      'wei / 1e18',
    ].map((sum) => ({ 'src/life/quote/order-book.ts': `const x = ${sum};` })),
    fine: [
      'scale(amount, rate, "down")',
      'percent("0.3")',
      'Math.max(1, tip - height + 1), cost: atoms',
      'Math.min(amounts.length, 50)',
      'Number(showUsd(usdValue(amount, price)))',
      'MAX_DELAY_MS * 1.5',
    ].map((sum) => ({ 'src/life/quote/order-book.ts': `const x = ${sum};` })),
  },
  'every Number( has its reason': {
    caught: [{ 'src/life/quote/order-book.ts': 'const x = Number(text);' }],
    fine: [{ 'src/kernel/ids.ts': 'Number(text)' }, { 'src/life/quote/order-book.ts': 'Number.isSafeInteger(x)' }],
  },
  'no other room names a chain': {
    caught: [
      "if (chain.family === 'solana') f();",
      'const home = 42161;',
      'const at = 728_126_428;',
      "name === 'Tron'",
    ].map((text) => ({ 'src/life/deposit/judge.ts': text })),
    fine: [
      { 'src/life/deposit/judge.ts': '// Monero shows no sender.\nconst x = facts.feePayer;' },
      { 'src/world/chains/tron/rules.ts': "const family = 'tron';" },
    ],
  },
  'no any': {
    caught: ['let a: any;', 'x as any', 'let a: Map<string, any>;', 'f(a: any)', 'let a: any[];', 'type A = any;'].map(
      (code) => ({ 'src/api/server.ts': code }),
    ),
    fine: [{ 'src/api/server.ts': '// any chain\nPromise.any([]); const s = ": any";' }],
  },
  'the compiler is not silenced': {
    caught: [{ 'src/api/server.ts': '// @ts-ignore' }, { 'web/page.ts': '// @ts-expect-error: why' }],
    fine: [{ 'src/api/server.ts': '// The compiler cannot see it.' }],
  },
  'no leftovers': {
    caught: ['// TODO: later', '// FIXME', "throw new Error('not implemented');", '// a stub', '// a placeholder'].map(
      (text) => ({
        'src/api/server.ts': text,
      }),
    ),
    fine: [{ 'web/index.html': '<input placeholder="0.5">' }, { 'web/page.css': 'input::placeholder { color: grey }' }],
  },
  'exports have names': {
    caught: ['export default x;', 'export { x as default };', "export * from './x.ts';"].map((code) => ({
      'src/api/x.ts': code,
    })),
    fine: [{ 'src/api/x.ts': "import pg from 'pg';\nexport const x = 1;" }],
  },
  'no test runs alone or sits out without a reason': {
    caught: ["test.only('a', f);", "describe.skip('a', f);", "test('a', { skip: true }, f);", 't.skip();'].map(
      (code) => ({
        'test/unit/x.test.ts': code,
      }),
    ),
    fine: [
      { 'test/unit/x.test.ts': "test('a', { skip: isMissing && 'no monerod here' }, f); t.skip('why'); list.skip(1);" },
    ],
  },
  'no test is tried again': {
    caught: [
      { 'test/unit/x.test.ts': 'await retry(() => f());' },
      { 'test/unit/x.test.ts': "test('a', { retries: 3 }, f);" },
    ],
    fine: [{ 'test/unit/x.test.ts': "test('a retry sends the same bytes', f); outbox.retry(job);" }],
  },
  'the repository runs anywhere': {
    caught: [{ 'docs/a.md': `see /${'work'}/x/notes.md` }, { 'test/unit/x.test.ts': "read('/home/me/x');" }],
    fine: [{ 'docs/a.md': 'https://example.org/work/x and ./work/x and net/work/x' }],
  },
  'the two views of an order know nothing of each other': {
    caught: [{ 'src/life/order/view/v1-status.ts': from('./v2-customer.ts') }],
    fine: [{ 'src/life/order/view/news.ts': from('./v2-customer.ts') + from('./v1-status.ts') }],
  },
  'HTML is put into a page in one place': {
    caught: [
      'panel.innerHTML = html;',
      "row.insertAdjacentHTML('x', html);",
      'const x = <p dangerouslySetInnerHTML={y} />;',
    ].map((code) => ({ 'web/client/quote.ts': code })),
    fine: [{ 'web/client/live.ts': 'template.innerHTML = html;' }],
  },
  'pages have no inline style and no inline handler': {
    caught: ['<p style="color: red" />', '<button onclick="go()" />', '<button onClick={go} />'].map((code) => ({
      'web/parts/qr.tsx': `const x = ${code};`,
    })),
    fine: [{ 'web/parts/qr.tsx': 'const x = <button class="button" />; const isOn = 1;' }],
  },
  'the lock file names no host': {
    caught: [{ 'package-lock.json': '{ "resolved": "https://example.org/x.tgz" }' }],
    fine: [{ 'package-lock.json': '{ "integrity": "sha512-x" }, { "resolved": "sandbox/x",\n "link": true }' }],
  },
};

for (const [name, { caught, fine }] of Object.entries(PLANTED) as [RuleName, Planted][]) {
  const violations = (files: Files) => RULES[name](Object.entries(files).map(([path, text]) => source(path, text)));
  test(`planted: ${name}`, () => {
    for (const files of caught) {
      const path = Object.keys(files)[0] ?? '';
      assert.match(
        violations(files)[0] ?? '',
        new RegExp(`^${path}:\\d+: `),
        `not caught: ${JSON.stringify(files).slice(0, 200)}`,
      );
    }
    for (const files of fine) assert.deepEqual(violations(files), [], JSON.stringify(files).slice(0, 200));
  });
}

test('a violation is told with its line', () => {
  const file = source('src/kernel/a.ts', `/* one\n two */\n${LINE}const now = Date.now();\n`);
  assert.match(RULES['time is a parameter']([file])[0] ?? '', /^src\/kernel\/a\.ts:4: Date\.now /);
});

test('code is told from what only looks like it', () => {
  const text = [
    'const a = `x $',
    '{b({ c: "/*" })} $',
    '{`y`} z`; const r = /[/"]\\/\\/\'/g; const d = e / f; // end\n"}"; g;',
  ].join('');
  const { code } = source('src/a.ts', text);
  assert.equal(
    code,
    'const a = `   {b({ c: "  " })}  {` `}  `; const r = /          g; const d = e / f;       \n" "; g;',
  );
});
