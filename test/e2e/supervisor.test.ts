import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Role, supervise } from '../../sandbox/supervisor.ts';
import { present } from '../../src/kernel/assert.ts';
import { eventually } from '../run/patience.ts';

const dir = mkdtempSync(join(tmpdir(), 'wherry-supervisor-'));
const program = join(dir, 'role.mjs');
const env = { TOLD: 'by the sandbox' };

before(() => {
  writeFileSync(
    program,
    `process.on('SIGTERM', () => { console.log(process.argv[2], 'leaves'); process.exit(0); });
     console.log(process.argv[2], process.env['TOLD'], process.pid);
     setInterval(() => undefined, 1_000);`,
  );
});
after(() => rmSync(dir, { recursive: true, force: true }));

const logOf = (role: Role) => join(dir, `${role}.log`);

/** Resolves when the role's log matches. */
async function logged(role: Role, pattern: RegExp): Promise<RegExpMatchArray> {
  const find = () => readOrNothing(logOf(role)).match(pattern);
  await eventually(() => find() !== null, 40_000);
  return present(find(), `${pattern}`);
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('a role that is killed comes back with the same orders, and a stop is final', async () => {
  const ends: string[] = [];
  const supervisor = supervise({ program, env, logs: dir, onRestart: (role, why) => ends.push(`${role} ${why}`) });
  supervisor.start('engine');
  await logged('engine', /engine by the sandbox \d+/);
  const first = supervisor.pid('engine');
  assert.ok(first);

  assert.equal(supervisor.kill('engine', 'SIGKILL'), true);
  await logged('engine', /(engine by the sandbox \d+\s+){2}/);
  const second = supervisor.pid('engine');
  assert.notEqual(second, first);
  assert.deepEqual(ends, ['engine ended (SIGKILL)']);
  assert.equal(supervisor.restarts('engine'), 1);

  await supervisor.stop();
  assert.match(supervisor.tail('engine'), /engine leaves$/);
  assert.equal(supervisor.pid('engine'), undefined);
  assert.equal(supervisor.kill('engine', 'SIGTERM'), false);
  assert.deepEqual(ends, ['engine ended (SIGKILL)']);
});

test('a role that hangs is started again, one that only pauses is not, and a supervisor that hung itself kills nobody', async () => {
  const says = join(dir, 'supervisor.mts');
  const supervisorFile = fileURLToPath(new URL('../../sandbox/supervisor.ts', import.meta.url));
  writeFileSync(
    says,
    `import { supervise } from ${JSON.stringify(supervisorFile)};
     const onRestart = (role, why) => console.log(role, why);
     const all = supervise({ program: ${JSON.stringify(program)}, env: ${JSON.stringify(env)}, logs: ${JSON.stringify(dir)}, onRestart });
     all.start('signer');
     process.on('message', () => process.send(all.pid('signer') ?? 0));
     process.on('disconnect', () => process.exit());`,
  );
  const sandbox = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), says], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let said = '';
  sandbox.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const signer = async (): Promise<number> => {
    sandbox.send('pid');
    return Number((await once(sandbox, 'message'))[0]);
  };
  await logged('signer', /signer by the sandbox \d+/);
  const first = await signer();
  await sleep(2_000);
  process.kill(first, 'SIGSTOP');
  await sleep(5_000);
  sandbox.kill('SIGSTOP');
  await sleep(17_000);
  sandbox.kill('SIGCONT');
  await sleep(1_000);
  process.kill(first, 'SIGCONT');
  assert.equal(await signer(), first, 'the supervisor counts what it was there for');
  assert.equal(said, '');

  process.kill(first, 'SIGSTOP');
  await logged('signer', /(signer by the sandbox \d+\s+){2}/);
  assert.notEqual(await signer(), first);
  assert.equal(said, 'signer hangs (no sign of life for 20 s)\n');
  assert.equal(isAlive(first), false);
  sandbox.disconnect();
  await once(sandbox, 'exit');
});

test('a sandbox that is killed leaves no role behind', async () => {
  const supervisorFile = fileURLToPath(new URL('../../sandbox/supervisor.ts', import.meta.url));
  const owner = join(dir, 'owner.mts');
  writeFileSync(
    owner,
    `import { supervise } from ${JSON.stringify(supervisorFile)};
     supervise({ program: ${JSON.stringify(program)}, env: ${JSON.stringify(env)}, logs: ${JSON.stringify(dir)} }).start('api');
     setInterval(() => undefined, 1_000);`,
  );
  const sandbox: ChildProcess = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), owner], {
    stdio: 'inherit',
  });
  const [, pid] = await logged('api', /api by the sandbox (\d+)/);
  assert.ok(isAlive(Number(pid)));
  sandbox.kill('SIGKILL');
  await once(sandbox, 'exit');
  await eventually(() => !isAlive(Number(pid)), 5_000);
});
