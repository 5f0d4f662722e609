import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const START = join(ROOT, 'src/signer/start-signer.ts');
/** What is imported as a type is not loaded. */
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s(?!type\s)(?:[^'";]*?\sfrom\s)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]/g;

/** Every file and package that the signer's process can load. */
function tree(start: string): { files: ReadonlySet<string>; packages: ReadonlySet<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const [, named, dynamic] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const target = named ?? dynamic ?? '';
      if (target.startsWith('.')) visit(resolve(dirname(file), target));
      else if (!target.startsWith('node:')) addPackage(target.split('/').slice(0, 2).join('/'), packages);
    }
  };
  visit(start);
  return { files, packages };
}

function addPackage(name: string, packages: Set<string>): void {
  assert.ok(!builtinModules.includes(name), `${name} without its node: prefix`);
  if (packages.has(name)) return;
  packages.add(name);
  const manifest = readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8');
  const { dependencies = {} } = JSON.parse(manifest) as { dependencies?: Record<string, string> };
  for (const dependency of Object.keys(dependencies)) addPackage(dependency, packages);
}

test('the signer loads at most ten packages, all of them small and audited', () => {
  const { packages } = tree(START);
  assert.ok(packages.size > 0 && packages.size <= 10, [...packages].join(' '));
  for (const name of packages) assert.match(name, /^@(?:noble|scure)\//);
});

test('the signer imports the kernel, itself, and of the world only pure codecs, ports and the one door', () => {
  const allowed = /^src\/(?:kernel|signer|world\/outbound)\/|^src\/world\/(?:chains|venues)\/(?:[a-z]+\.ts$|[a-z]+\/)/;
  const names = [...tree(START).files].map((file) => file.slice(ROOT.length + 1));
  assert.deepEqual(
    names.filter((name) => !allowed.test(name)),
    [],
  );
  assert.deepEqual(
    names.filter((name) =>
      /process\.env|Date\.now|Math\.random|randomBytes/.test(readFileSync(join(ROOT, name), 'utf8')),
    ),
    [],
  );
});
