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

test('a worker claims in parts until it is full, and what ends in one turn makes room for one claim', async () => {
  const claims: number[] = [];
  const ends: (() => void)[] = [];
  let due = 100;
  const job = (nth: number): Job => ({
    ...{ key: `k${nth}`, owner: `sw_${nth}` as OrderId, tries: 1, troubledSince: undefined },
    effect: { effect: 'reserve_payout' },
  });
  const worker = await startWorker({
    outbox: {
      join: async () => {},
      freeLost: async () => 0,
      complete: async () => {},
      claim: async (_worker: number, _now: number, most: number) => {
        const count = Math.min(most, due);
        due -= count;
        claims.push(most);
        return Array.from({ length: count }, (_, n) => job(due + n));
      },
    },
    submit: { find: async (id: OrderId) => ({ id }) },
    handlers: { reserve_payout: () => new Promise<'done'>((resolve) => ends.push(() => resolve('done'))) },
    clock: { now: () => instant(0) },
    session: { onLost() {}, listen: async () => {} },
    log: { info() {}, warn: assert.fail, error: assert.fail },
    ...{ onLost() {}, id: 1, cases: {}, caseAfterMs: 1, stockPatienceMs: 1, lookAgainMs: 1_000_000 },
  } as unknown as WorkerParts);
  await turns();
  assert.deepEqual(claims, [16, 16, 16, 16]);
  for (const end of ends.splice(0, 10)) end();
  await turns();
  assert.deepEqual(claims.slice(4), [10]);
  due = 0;
  const stopping = worker.stop();
  for (const end of ends) end();
  await stopping;
});
