import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const WORDS = `
import { type Amount, type Atoms, add, amount, scale } from '${ROOT}src/kernel/amount.ts';
import type { Instant } from '${ROOT}src/kernel/clock.ts';
import { type Address, type AssetId, type ChainId, chainId, type OrderId, type TxHash, txHash } from '${ROOT}src/kernel/ids.ts';
import { percent, type Ratio, ratio } from '${ROOT}src/kernel/ratio.ts';
import { type UsdMicros, usd } from '${ROOT}src/kernel/usd.ts';
declare const money: Amount, other: Amount, asset: AssetId, text: string, address: Address, dollars: UsdMicros;
declare function pay(to: Address, what: Atoms): void;
`;

/** What the types alone forbid: the first line must be an error, the second in its place must be none. */
const FORBIDDEN: Readonly<Record<string, readonly [wrong: string, right: string]>> = {
  'a bare bigint is no amount of money': ['const a: Amount = 5n;', 'const a: Amount = amount(asset, 5n);'],
  'a bare bigint is not paid': ['pay(address, 5n);', 'pay(address, money.atoms);'],
  'a number is not paid': ['pay(address, 5);', 'pay(address, money.atoms);'],
  'a number does not become an amount': ['amount(asset, 5);', 'amount(asset, 5n);'],
  'an amount without an asset is none': ['add(money, { atoms: money.atoms });', 'add(money, other);'],
  'the sum of two atoms is unchecked again': [
    'pay(address, money.atoms + 1n);',
    'pay(address, add(money, other).atoms);',
  ],
  'dollars are not atoms': ['pay(address, dollars);', 'pay(address, money.atoms);'],
  'dollars are no amount': [
    'const a: Amount = { asset, atoms: dollars };',
    'const a: Amount = { asset, atoms: money.atoms };',
  ],
  'atoms are not dollars': ['const d: UsdMicros = money.atoms;', 'const d: UsdMicros = usd(5);'],
  'text is no address': ['pay(text, money.atoms);', 'pay(address, money.atoms);'],
  'a transaction is no address': ['pay(txHash(text), money.atoms);', 'const h: TxHash = txHash(text);'],
  'text is no order': ['const o: OrderId = text;', 'const o: string = text;'],
  'a number is no chain': ['const c: ChainId = 1;', 'const c: ChainId = chainId(1);'],
  'a number is no time': ['const t: Instant = 5;', 'const t: number = 5;'],
  'a float is no ratio': ['const r: Ratio = 0.003;', "const r: Ratio = percent('0.3');"],
  'rounding is said aloud': ['scale(money, ratio(1n, 2n));', "scale(money, ratio(1n, 2n), 'down');"],
  'rounding is down or up': ["scale(money, ratio(1n, 2n), 'half');", "scale(money, ratio(1n, 2n), 'up');"],
  'money is not scaled by a number': ["scale(money, 0.5, 'down');", "scale(money, ratio(1n, 2n), 'down');"],
  'a bigint and a number do not mix': ['const x = money.atoms * 2;', 'const x = money.atoms * 2n;'],
};

const NAMES = Object.keys(FORBIDDEN);
let dir: string;
let errors: ReadonlyMap<string, string>;

/** All of it in one run of the compiler, which takes about as long for forty files as for one. */
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'wherry-types-'));
  const compilerOptions = { noUnusedLocals: false, types: [] };
  await writeFile(
    join(dir, 'tsconfig.json'),
    JSON.stringify({ extends: `${ROOT}tsconfig.json`, compilerOptions, include: ['.'] }),
  );
  await writeFile(join(dir, 'package.json'), '{ "type": "module" }');
  for (const [index, name] of NAMES.entries()) {
    const [wrong, right] = FORBIDDEN[name] ?? ['', ''];
    await writeFile(join(dir, `wrong-${index}.ts`), `${WORDS}${wrong}\n`);
    await writeFile(join(dir, `right-${index}.ts`), `${WORDS}${right}\n`);
  }
  errors = await compile();
});

after(() => rm(dir, { recursive: true, force: true }));

/** What the compiler says, by file. */
function compile(): Promise<ReadonlyMap<string, string>> {
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  return new Promise((resolve) => {
    execFile(tsc, ['--noEmit', '--pretty', 'false', '-p', dir], { cwd: dir }, (_, stdout) => {
      const found = stdout.matchAll(/^(?:.*\/)?([\w.-]+)\(\d+,\d+\): (error TS.*)$/gm);
      resolve(new Map([...found].map(([, file = '', error = '']) => [file, error])));
    });
  });
}

for (const [index, name] of NAMES.entries()) {
  test(`types: ${name}`, () => {
    assert.match(errors.get(`wrong-${index}.ts`) ?? 'the compiler lets it pass', /^error/);
    assert.equal(errors.get(`right-${index}.ts`), undefined);
  });
}
