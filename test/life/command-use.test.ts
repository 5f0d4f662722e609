import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { COMMANDS } from '../../src/app/commands.ts';
import { openWherry, type Wherry } from './wherry.ts';

let wherry: Wherry;
before(async () => {
  wherry = await openWherry();
});
after(() => wherry.close());

test('without a command, or with --help, it says what there is', async () => {
  const [none, help] = await Promise.all([wherry.run([]), wherry.run(['--help'])]);
  assert.deepEqual([none.code, help.code, none.err], [2, 0, '']);
  for (const { name, summary } of COMMANDS) {
    assert.ok(help.out.includes(`  ${name} `) && help.out.includes(summary), name);
  }
  assert.equal(none.out, help.out);
});

test('every command explains itself and takes --json', async () => {
  const helps = await Promise.all(COMMANDS.map(({ name }) => wherry.run([...name.split(' '), '--help'])));
  for (const [at, { code, out, err }] of helps.entries()) {
    const { name, summary, options = {} } = COMMANDS[at] ?? assert.fail();
    assert.deepEqual([code, err], [0, ''], name);
    assert.ok(out.startsWith(`${summary}\n\nusage: wherry ${name} `), out);
    for (const option of [...Object.keys(options), 'json', 'help']) assert.ok(out.includes(`  --${option}`), option);
  }
});

test('whatever is wrong in a call is named, and nothing is done', async () => {
  const wrong: [string, RegExp][] = [
    ['sing', /no command "sing"/],
    ['seed', /"seed" is not a whole command; there is seed new, seed restore/],
    ['seed old', /no command "seed old"; there is seed new, seed restore/],
    ['start', /<role> is missing: signer, engine, api/],
    ['start bank', /<role> cannot be "bank": signer, engine, api/],
    ['start api twice', /"twice" is one word too many/],
    ['backup', /--to <file> is missing: the file that the backup is written to/],
    ['backup --to', /Option '--to <value>' argument missing/],
    ['backup --to=', /--to is empty/],
    ['backup --too x', /Unknown option '--too'/],
    ['restore --margin many', /--margin is a whole number of addresses/],
    ['restore --from x y', /"y" is one word too many/],
    ['orders --older-than soon', /--older-than is a whole number of minutes/],
    ['case close', /<id> is missing/],
    ['case close 1', /--reason <text> is missing/],
    ['case close first --reason x', /<id> is the number of a case, not "first"/],
    ['operator new --name Ada', /--name cannot be "Ada"/],
  ];
  const ended = await Promise.all(wrong.map(([line]) => wherry.run(line.split(' '))));
  for (const [at, { code, out, err }] of ended.entries()) {
    const [line, said] = wrong[at] ?? assert.fail();
    assert.deepEqual([code, out], [2, ''], line);
    assert.match(err, said, line);
  }
});

test('programs are told what went wrong in JSON, too, with the same exit codes', async () => {
  const [misused, failed] = await Promise.all([
    wherry.run(['start', 'bank', '--json']),
    wherry.run(['migrate', '--json', '--config', 'nowhere.json']),
  ]);
  assert.deepEqual([misused.code, misused.err], [2, '']);
  assert.match(misused.json().error, /cannot be "bank"/);
  assert.deepEqual([failed.code, failed.json().error], [1, 'configuration: nowhere.json cannot be read: ENOENT']);
});

test('no command takes a secret from its arguments', () => {
  const names = COMMANDS.flatMap(({ options = {} }) => Object.keys(options));
  const taken = names.filter((name) => /token|pass|word|secret|key|seed/.test(name));
  assert.deepEqual([...new Set(taken)].sort(), ['key', 'token-file', 'token-to'], 'files that hold one');
});
