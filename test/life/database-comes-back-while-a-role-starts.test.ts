import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after, test } from 'node:test';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { openClock } from '../../src/app/clock.ts';
import type { Config } from '../../src/app/config.ts';
import { readyDatabase } from '../../src/app/database.ts';
import type { AppLog } from '../../src/app/log.ts';
import { migrate } from '../../src/store/migrate.ts';

const real = await testDatabase(async (url) => void (await migrate(url)));
after(() => real.drop());

/** A door to the database that is shut at first. */
async function shutDoor() {
  const { hostname, port } = new URL(real.url);
  const socket = new URL(real.url).searchParams.get('host');
  const door = createServer((caller) => {
    const beyond = socket ? connect(`${socket}/.s.PGSQL.${port || 5432}`) : connect(Number(port), hostname);
    for (const [one, other] of [
      [caller, beyond],
      [beyond, caller],
    ] as const) {
      one.pipe(other);
      one.on('error', () => other.destroy());
    }
  });
  const listen = (at: number) => new Promise<void>((resolve) => door.listen(at, '127.0.0.1', resolve));
  await listen(0);
  const { port: here } = door.address() as AddressInfo;
  await new Promise((resolve) => door.close(resolve));
  const url = new URL(real.url);
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = String(here);
  return { url: url.href, open: () => listen(here), close: () => door.close() };
}

test('a role that starts while the database is away goes on when it is back', async () => {
  const door = await shutDoor();
  const said: string[] = [];
  const log = {
    info(about: { readonly what?: string }, words: string) {
      said.push(`${words} ${about.what ?? ''}`.trim());
      if (words === 'waiting') void door.open();
    },
    warn() {},
  } as unknown as AppLog;
  await readyDatabase({ database: door.url } as Config, openClock(undefined), log);
  assert.deepEqual(said, ['waiting database', 'database']);
  door.close();
});

test('one that is there and does not let it in is not waited for', async () => {
  const url = new URL(real.url);
  url.pathname = '/no_such_database';
  const log = { info: () => assert.fail('it waits'), warn() {} } as unknown as AppLog;
  await assert.rejects(readyDatabase({ database: url.href } as Config, openClock(undefined), log), {
    message: /no_such_database.* does not exist/,
  });
});
