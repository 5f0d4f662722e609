import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { startWorker, type WorkerParts } from '../../src/engine/worker.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { OrderId } from '../../src/kernel/ids.ts';
import type { Job } from '../../src/life/order/handling.ts';

const turns = async () => {
  for (let n = 0; n < 5; n += 1) await turn();
};

test('what is put back is claimed again when it is due, and nobody looks for more in between', async () => {
  const looks: number[] = [];
  let now = 0;
  const one = (key: string, effect: object): Job =>
    ({ key, owner: 'treasury', tries: 1, troubledSince: undefined, effect }) as unknown as Job;
  const due = [
    [one('watched', { effect: 'watch_transfer' })],
    [],
    [one('signed', { effect: 'sign_transfer', lane: 'a' })],
  ];
  let ring = () => {};
  const worker = await startWorker({
    outbox: {
      ...{ join: async () => {}, freeLost: async () => 0, putBack: async () => {} },
      claim: async () => {
        looks.push(now);
        return due.shift() ?? [];
      },
    },
    handlers: {
      watch_transfer: async () => ({ againInMs: 2 ** 30 }),
      sign_transfer: async () => ({ againInMs: 2 ** 30 }),
    },
    clock: { now: () => instant(0) },
    session: {
      onLost() {},
      listen: async (_: string, heard: () => void) => {
        ring = heard;
      },
    },
    log: { info() {}, warn: assert.fail, error: assert.fail },
    ...{ onLost() {}, id: 1, caseAfterMs: 1, stockPatienceMs: 1, lookAgainMs: 1_000_000 },
  } as unknown as WorkerParts);
  await turns();
  assert.deepEqual(looks, [0]);
  // Told of something that somebody else had claimed by then.
  now = 1;
  ring();
  await turns();
  // What shares an account may be waiting for it to be free: whoever had it looks once more.
  now = 2;
  ring();
  await turns();
  assert.deepEqual(looks, [0, 1, 2, 2]);
  await worker.stop();
});

/** A worker whose work ends when the story says so; of what is asked for it is given whatever `give` says. */
async function openWorker(give: (most: number, mostTroubled: number) => readonly Job[]) {
  const ends: (() => void)[] = [];
  const worker = await startWorker({
    outbox: {
      join: async () => {},
      freeLost: async () => 0,
      complete: async () => {},
      claim: async (_worker: number, _now: number, most: number, mostTroubled: number) => give(most, mostTroubled),
    },
    submit: { find: async (id: OrderId) => ({ id }) },
    handlers: { reserve_payout: () => new Promise<'done'>((resolve) => ends.push(() => resolve('done'))) },
    clock: { now: () => instant(0) },
    session: { onLost() {}, listen: async () => {} },
    log: { info() {}, warn: assert.fail, error: assert.fail },
    cases: { over: async () => {} },
    ...{ onLost() {}, id: 1, caseAfterMs: 1, stockPatienceMs: 1, lookAgainMs: 1_000_000 },
  } as unknown as WorkerParts);
  const end = (count: number) => {
    for (const one of ends.splice(0, count)) one();
  };
  const stop = async () => {
    const stopping = worker.stop();
    end(ends.length);
    await stopping;
  };
  return { end, stop };
}

let jobs = 0;
const job = (troubledSince?: number): Job => {
  jobs += 1;
  return {
    ...{ key: `k${jobs}`, owner: `sw_${jobs}` as OrderId, tries: 1 },
    troubledSince: troubledSince === undefined ? undefined : instant(troubledSince),
    effect: { effect: 'reserve_payout' },
  };
};

test('a worker claims in parts until it is full, and what ends in one turn makes room for one claim', async () => {
  const claims: number[] = [];
  let due = 100;
  const { end, stop } = await openWorker((most) => {
    const count = Math.min(most, due);
    due -= count;
    claims.push(most);
    return Array.from({ length: count }, () => job());
  });
  await turns();
  assert.deepEqual(claims, [16, 16, 16, 16]);
  end(10);
  await turns();
  assert.deepEqual(claims.slice(4), [10]);
  due = 0;
  await stop();
});

test('what is in trouble takes half of the hands at most, and takes them again when one is free', async () => {
  const claims: (readonly number[])[] = [];
  const { end, stop } = await openWorker((...room) => {
    claims.push(room);
    return Array.from({ length: Math.min(...room) }, () => job(0));
  });
  await turns();
  assert.deepEqual(claims, [
    [16, 32],
    [16, 16],
    [16, 0],
  ]);
  end(3);
  await turns();
  assert.deepEqual(claims.slice(3), [[16, 3]]);
  await stop();
});
