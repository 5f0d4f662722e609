import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RULES } from './tidy/rules.ts';
import { readRepository } from './tidy/source.ts';

const repository = readRepository(fileURLToPath(new URL('..', import.meta.url)));

for (const [name, rule] of Object.entries(RULES)) {
  test(`house: ${name}`, () => {
    const violations = rule(repository);
    if (violations.length > 0) assert.fail(`\n  ${violations.join('\n  ')}`);
  });
}
