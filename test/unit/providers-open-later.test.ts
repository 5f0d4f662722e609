import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLater } from '../../src/app/wiring/open-later.ts';
import { Fault } from '../../src/kernel/fault.ts';
import type { AssetId } from '../../src/kernel/ids.ts';
import type { Provider, Swap } from '../../src/world/providers/provider.ts';

const [A, B] = ['1:a' as AssetId, '1:b' as AssetId];

test('a provider that is down at first supports nothing, fails for now, and is there once it answers', async (t) => {
  let asked = 0;
  let isThere = (_: unknown) => {};
  const opened = new Promise((resolve) => {
    isThere = resolve;
  });
  const real = { name: 'relay', supports: () => true, quote: async () => undefined } as unknown as Provider;
  const open = async (): Promise<Provider> => {
    asked += 1;
    if (asked < 3) throw new Fault('transient', 'provider:relay', 'ECONNREFUSED');
    isThere(undefined);
    return real;
  };
  const { provider, close } = openLater('relay', open, 1);
  t.after(close);
  assert.equal(provider.supports(A, B), false);
  const down = { kind: 'transient', at: 'provider:relay', message: /not open/ };
  await assert.rejects(provider.quote({} as Swap), down);
  // Its timer keeps no process alive; the test does.
  const alive = setInterval(() => {}, 1_000);
  await opened;
  clearInterval(alive);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(provider.supports(A, B), true);
  assert.equal(await provider.quote({} as Swap), undefined);
});

test('closed, it is asked no more', async () => {
  let asked = 0;
  let fail = (_: Error) => {};
  const later = openLater(
    'oneclick',
    () => {
      asked += 1;
      return new Promise((_, reject) => {
        fail = reject;
      });
    },
    0,
  );
  later.close();
  fail(new Fault('transient', 'provider:oneclick', 'gone'));
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(asked, 1);
});
