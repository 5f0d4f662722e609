import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startWorker, type WorkerParts } from '../../src/engine/worker.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { OrderId } from '../../src/kernel/ids.ts';
import type { Done, Job } from '../../src/life/order/handling.ts';

const NEVER_MS = 2 ** 30;
const JOB: Job = {
  ...{ key: 'k', owner: `sw_${'a'.repeat(26)}` as OrderId, tries: 1, troubledSince: undefined },
  effect: { effect: 'reserve_payout' },
};

/** A worker that never looks by the clock. Each look is answered by the next of these. */
async function open(looks: readonly ((news: () => void) => readonly Job[])[], done: Done) {
  let news = () => {};
  let looked = 0;
  let tellAll = () => {};
  const all = new Promise<void>((resolve) => {
    tellAll = resolve;
  });
  const worker = await startWorker({
    outbox: {
      join: async () => {},
      freeLost: async () => 0,
      complete: async () => {},
      putBack: async () => {},
      claim: async () => {
        const look = looks[looked];
        looked += 1;
        if (looked === looks.length) tellAll();
        return look?.(news) ?? [];
      },
    },
    submit: { find: async (id: OrderId) => ({ id }) },
    handlers: { reserve_payout: async () => done },
    clock: { now: () => instant(0) },
    session: {
      onLost() {},
      listen: async (_: string, heard: () => void) => {
        news = heard;
      },
    },
    log: { info() {}, warn: assert.fail, error: assert.fail },
    ...{ onLost() {}, id: 1, cases: {}, caseAfterMs: 1, stockPatienceMs: 1, lookAgainMs: NEVER_MS },
  } as unknown as WorkerParts);
  await all;
  await worker.stop();
}

test('work that comes while the worker looks for work is not slept over', async () => {
  const tooLate = (news: () => void) => {
    news();
    return [];
  };
  await open([tooLate, () => [JOB]], 'done');
});

test('what is to be tried again is looked for when it is due, not by the clock', async () => {
  await open([() => [JOB], () => [JOB]], { againInMs: 20 });
});
