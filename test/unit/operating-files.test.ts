import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROLES } from '../../src/app/roles.ts';
import { present } from '../../src/kernel/assert.ts';

const PAGE = readFileSync(new URL('../../docs/OPERATING.md', import.meta.url), 'utf8');
const BLOCKS = [...PAGE.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);

test('every user that a file of the page is given to is one that the page has made', () => {
  const owners = BLOCKS.flatMap((block) => [...block.matchAll(/(?:-o|-u) (wherry[a-z-]*)/g)].map(([, user]) => user));
  assert.ok(owners.length > 0);
  const made = ROLES.map((role) => `wherry-${role}`);
  assert.deepEqual([...new Set(owners)].sort(), made.toSorted());
});

test('systemd starts a role again however often it has ended, and never gives up', () => {
  const unit = present(
    BLOCKS.find((one) => one.includes('wherry@.service')),
    'the unit',
  );
  assert.match(unit, /\[Unit\][^[]*\nStartLimitIntervalSec=0\n[^[]*\[Service\][^[]*\nRestart=always\n/);
});

test('the login of the wallet that spends lies in a file of the signer alone from its first byte on', () => {
  const dir = mkdtempSync(join(tmpdir(), 'wherry-page-'));
  try {
    mkdirSync(join(dir, 'signer'));
    writeFileSync(join(dir, 'signer', 'chains-monero-spendWallet-login'), 'wherry:hush\n', { mode: 0o600 });
    const block = present(
      BLOCKS.find((one) => one.includes('rpc-login=')),
      'the block',
    );
    const [making = ''] = block.split(/^runuser /m);
    const here = making.replaceAll('/etc/wherry', dir).replaceAll('wherry-signer', userInfo().username);
    assert.match(making, /^install .*-o wherry-signer .*<<<.*\n$/, 'one command makes it and writes it');
    execFileSync('bash', ['-c', `umask 022; ${here}`]);
    const file = join(dir, 'spend-wallet.conf');
    assert.deepEqual([readFileSync(file, 'utf8'), statSync(file).mode & 0o777], ['rpc-login=wherry:hush\n', 0o600]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
