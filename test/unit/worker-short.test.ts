import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Handlers, startWorker, type WorkerParts } from '../../src/engine/worker.ts';
import { instant, later } from '../../src/kernel/clock.ts';
import type { AssetId, OrderId } from '../../src/kernel/ids.ts';
import type { Case } from '../../src/life/case/case.ts';
import type { Job } from '../../src/life/order/handling.ts';

const ORDER = `sw_${'a'.repeat(26)}` as OrderId;
const XMR = '0:XMR' as AssetId;
const NOW = instant(1_700_000_000_000);

/** What a person, and the order itself, are told where the treasury could not serve it for so long. */
async function toldAfter(ms: number | undefined, keys: string[] = []): Promise<readonly Case[]> {
  const raised: Case[] = [];
  const troubledSince = ms === undefined ? undefined : later(NOW, -ms);
  const jobs: Job[] = [{ key: 'k', owner: ORDER, tries: 9, troubledSince, effect: { effect: 'reserve_payout' } }];
  const stopping = await new Promise<{ stop(): Promise<void> }>((resolve, reject) => {
    const outbox = {
      join: async () => {},
      freeLost: async () => {},
      claim: async () => jobs.splice(0),
      async putBack(_key: string, _id: number, due: number) {
        assert.equal(due, NOW + 2_000, 'and it is tried on');
        resolve(worker);
      },
    };
    const submit = {
      find: async () => ({ id: ORDER }),
      async submit(_id: OrderId, key: string) {
        keys.push(key);
        return { shortOf: XMR };
      },
    };
    const whenShort = (asset: AssetId) => ({ fact: 'inventory_short', asset, at: NOW });
    const handlers = { reserve_payout: async () => ({ fact: { fact: 'payout_reserved', at: NOW }, whenShort }) };
    const worker = startWorker({
      ...{ outbox, submit, handlers: handlers as unknown as Handlers, clock: { now: () => NOW }, id: 1 },
      cases: { raise: async (_owner: OrderId, about: Case) => void raised.push(about), over: async () => {} },
      log: { info() {}, warn: (told: { error?: unknown }) => reject(told.error), error: reject },
      session: { onLost() {}, listen: async () => {} },
      onLost() {},
      ...{ caseAfterMs: 60_000, stockPatienceMs: 1_800_000 },
    } as unknown as WorkerParts);
  });
  await stopping.stop();
  return raised;
}

test('a person is told what the treasury lacks once it has lacked it for a minute, however often that was tried', async () => {
  assert.deepEqual(await toldAfter(undefined), []);
  assert.deepEqual(await toldAfter(59_999), []);
  assert.deepEqual(await toldAfter(60_000), [{ case: 'inventory_short', asset: XMR }]);
});

test('an order hears that stock is short when it begins and once more when its patience is over', async () => {
  const heardAfter = async (ms: number | undefined): Promise<readonly string[]> => {
    const keys: string[] = [];
    await toldAfter(ms, keys);
    return keys.slice(1);
  };
  assert.deepEqual(await heardAfter(undefined), [`k:short:${XMR}`]);
  assert.deepEqual(await heardAfter(1_799_999), [`k:short:${XMR}`]);
  assert.deepEqual(await heardAfter(1_800_000), [`k:short:${XMR}:overdue`]);
});

/** What a person is told, and what is noted of the instruction, where a handler has waited for so long. */
async function toldOfWaiting(ms: number | undefined, trouble: string | undefined, isLasting = false) {
  const raised: Case[] = [];
  const over: string[] = [];
  const troubledSince = ms === undefined ? undefined : later(NOW, -ms);
  const effect = { effect: 'work_ticket', chunk: 0, attempt: 0, due: NOW } as const;
  const jobs: Job[] = [{ key: 'k', owner: ORDER, tries: 9, troubledSince, effect }];
  const noted = await new Promise<unknown>((resolve, reject) => {
    const putBack = async (_key: string, _id: number, due: number, what: unknown) => {
      assert.equal(due, NOW + 250, 'it is asked for at the same pace');
      worker.then((one) => one.stop()).then(() => resolve(what), reject);
    };
    const worker = startWorker({
      outbox: { join: async () => {}, freeLost: async () => {}, claim: async () => jobs.splice(0), putBack },
      submit: { find: async () => ({ id: ORDER }) },
      handlers: { work_ticket: async () => ({ againInMs: 250, ...(trouble ? { trouble, isLasting } : {}) }) },
      ...{ clock: { now: () => NOW }, id: 1 },
      cases: {
        raise: async (_owner: OrderId, about: Case) => void raised.push(about),
        over: async (_owner: OrderId, ...about: readonly { case: string }[]) =>
          void over.push(...about.map((one) => one.case)),
      },
      log: { info() {}, warn: (told: { error?: unknown }) => reject(told.error), error: reject },
      session: { onLost() {}, listen: async () => {} },
      onLost() {},
      ...{ caseAfterMs: 60_000, stockPatienceMs: 1_800_000 },
    } as unknown as WorkerParts);
  });
  return { raised, over, noted };
}

test('what is late is a case after a minute, and none any more when it goes on', async () => {
  const late = 'the venue filled 5 and shows fills of 0';
  const noted = { what: late, at: NOW };
  assert.deepEqual(await toldOfWaiting(undefined, late), { raised: [], over: [], noted });
  assert.deepEqual(await toldOfWaiting(59_999, late), { raised: [], over: [], noted });
  const about = { case: 'instruction_failed', instruction: 'work_ticket', reason: late };
  assert.deepEqual(await toldOfWaiting(60_000, late), { raised: [about], over: [], noted });
  const known = { raised: [about], over: [], noted };
  assert.deepEqual(await toldOfWaiting(undefined, late, true), known, 'what began before it has had its minute');
  const { over } = await toldOfWaiting(60_000, undefined);
  assert.deepEqual(over, ['instruction_failed', 'inventory_short']);
});
