import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type Handlers, startWorker, type WorkerParts } from '../../src/engine/worker.ts';
import { instant } from '../../src/kernel/clock.ts';
import { Fault, NoAnswer } from '../../src/kernel/fault.ts';
import type { Job } from '../../src/life/order/handling.ts';
import type { OutboundCall, OutboundReply } from '../../src/world/outbound/http.ts';
import { pastTheSilent } from '../../src/world/outbound/silence.ts';

const REPLY: OutboundReply = { status: 200, body: '{}' };
const REFUSED = /not asked, since it has not answered since /;

/** A network on which calls end as the story says, and the door to it. */
function network() {
  let now = 0;
  const under: { readonly url: string; answer(): void; fail(error: Error): void }[] = [];
  const door = pastTheSilent(
    ({ url }) =>
      new Promise((resolve, reject) => {
        under.push({ url, answer: () => resolve(REPLY), fail: reject });
      }),
    { now: () => instant(now) },
  );
  const of = (url: string): OutboundCall => ({ at: 'chain:1', label: 'eth_x', url, method: 'POST' });
  return {
    under,
    ask: (url = 'http://one/a') => {
      const asking = door(of(url));
      asking.catch(() => {});
      return asking;
    },
    wait: (ms: number) => {
      now += ms;
    },
    /** The deadline of all that are under way. */
    expire: () => {
      for (const { fail } of under.splice(0)) fail(new NoAnswer('ambiguous', 'chain:1', 'eth_x: no answer'));
    },
  };
}

const isRefused = (asking: Promise<unknown>) =>
  assert.rejects(asking, (error: Fault) => error.kind === 'transient' && REFUSED.test(error.message));

test('whoever did not answer is asked by one caller in two seconds, until he does', async () => {
  const { ask, wait, expire, under } = network();
  const first = [ask(), ask('http://one/b')];
  wait(15_000);
  expire();
  for (const one of first) await assert.rejects(one, NoAnswer);
  await assert.rejects(ask(), { message: /has not answered since 1970-01-01T00:00:00.000Z/ });
  assert.equal(under.length, 0);
  wait(2_000);
  const tried = ask();
  await isRefused(ask());
  wait(2_000);
  const again = ask();
  assert.equal(under.length, 2, 'one that waits does not keep the next from trying');
  under[1]?.answer();
  assert.deepEqual(await again, REPLY);
  const open = ask();
  for (const one of under.splice(0)) one.answer();
  await Promise.all([tried, open]);
});

test('a call that waited in vain while others were answered says nothing of its counterparty, nor does one that failed at once', async () => {
  const { ask, expire, under } = network();
  const slow = ask();
  const quick = ask();
  under.splice(1, 1)[0]?.answer();
  await quick;
  expire();
  await assert.rejects(slow, NoAnswer);
  const refused = ask();
  under.pop()?.fail(new Fault('transient', 'chain:1', 'eth_x: ECONNREFUSED'));
  await assert.rejects(refused, /ECONNREFUSED/);
  assert.equal((ask(), under).length, 1);
});

test('who has fallen silent at one place is asked at another', async () => {
  const { ask, expire, under } = network();
  ask();
  expire();
  await turn();
  await isRefused(ask());
  const other = ask('http://two/a');
  under.pop()?.answer();
  assert.deepEqual(await other, REPLY);
});

test('two hundred payments on a chain whose node hangs do not keep a worker from the one on another', async () => {
  const { ask, expire, under } = network();
  const job = (nth: number, owner: string): Job =>
    ({
      key: `${owner} ${nth}`,
      owner: 'treasury',
      tries: 1,
      troubledSince: undefined,
      effect: { effect: owner },
    }) as never;
  const due = [...Array.from({ length: 200 }, (_, n) => job(n, 'watch_transfer')), job(0, 'sign_transfer')];
  let isSigned = false;
  const handlers: Partial<Handlers> = {
    watch_transfer: async () => {
      await ask('http://hanging/a');
      return 'done';
    },
    sign_transfer: async () => {
      isSigned = true;
      return 'done';
    },
  };
  const nothing = async () => {};
  const worker = await startWorker({
    outbox: {
      ...{ join: nothing, freeLost: async () => 0, putBack: nothing, complete: nothing },
      claim: async (_worker: number, _now: number, most: number) => due.splice(0, most),
    },
    handlers,
    clock: { now: () => instant(0) },
    session: { onLost() {}, listen: nothing },
    log: { info() {}, warn() {}, error: assert.fail },
    ...{ onLost() {}, id: 1, caseAfterMs: 1, stockPatienceMs: 1, lookAgainMs: 1 },
  } as unknown as WorkerParts);
  while (under.length < 64) await turn();
  expire();
  while (due.length > 0 && under.length < 64) await turn();
  for (let n = 0; n < 5; n += 1) await turn();
  assert.ok(isSigned);
  assert.equal(under.length, 0);
  await worker.stop();
});
