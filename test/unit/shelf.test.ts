import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { Bug } from '../../src/kernel/assert.ts';
import { ByteReader } from '../../src/kernel/byte-reader.ts';
import { instant } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { remember } from '../../src/kernel/remember.ts';
import type { Outbound } from '../../src/world/outbound/http.ts';
import { RpcError } from '../../src/world/outbound/json-rpc.ts';
import { fieldsOf, readingOf } from '../../src/world/outbound/reading.ts';
import { RpcNode } from '../../src/world/outbound/rpc-node.ts';

describe('An answer that is kept for a while', () => {
  let now = 0;
  const clock = { now: () => instant(now) };

  it('is asked for once by all who wait, and again when it is old', async () => {
    let asked = 0;
    const ends: (() => void)[] = [];
    const load = remember(
      () => {
        asked += 1;
        const answer = asked;
        return new Promise<number>((resolve) => ends.push(() => resolve(answer)));
      },
      100,
      clock,
    );
    const both = [load(), load()];
    now += 1_000;
    const third = load();
    ends.shift()?.();
    assert.deepEqual(await Promise.all([...both, third]), [1, 1, 1], 'one load at a time, however long it takes');
    now += 99;
    assert.equal(await load(), 1);
    now += 1;
    const fresh = load();
    ends.shift()?.();
    assert.equal(await fresh, 2);
  });

  it('is never a failure: whoever comes after it asks anew', async () => {
    let asked = 0;
    const load = remember(
      async () => {
        asked += 1;
        if (asked === 1) throw new Error('gone');
        return asked;
      },
      100,
      clock,
    );
    const [first, same] = [load(), load()];
    await assert.rejects(first, /gone/);
    await assert.rejects(same, /gone/);
    assert.equal(await load(), 2);
  });
});

describe('Bytes', () => {
  const bytes = Uint8Array.of(1, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0xac, 0x02, 9);

  it('are read in their order, and to their end', () => {
    const reader = new ByteReader(bytes);
    assert.deepEqual([reader.byte(), reader.uint16(), reader.uint32(), reader.uint64()], [1, 2, 3, 4n]);
    assert.equal(reader.varint(), 300n);
    assert.throws(() => reader.end(), Bug);
    assert.deepEqual([...reader.rest()], [9]);
    reader.end();
  });

  it('do not hold what they claim beyond their end, and the caller says what that is', () => {
    const late = new Fault('transient', 'chain:test', 'cut off');
    const reader = () => new ByteReader(Uint8Array.of(0xff, 0xff, 0xff), () => late);
    const isLate = (error: unknown) => error === late;
    assert.throws(() => reader().take(4), isLate);
    assert.throws(() => reader().uint32(), isLate);
    assert.throws(() => reader().list(2n ** 60n, () => 0), isLate);
    assert.throws(() => reader().varint(21), isLate);
  });

  it('of a part of a larger buffer are read from where that part begins', () => {
    const part = Buffer.from('ffff07000000', 'hex').subarray(2);
    assert.equal(new ByteReader(part).uint32(), 7);
  });
});

test('a reply is read by its fields, and what is not as documented is a fault that says where', () => {
  const { record, records, text, whole, list } = fieldsOf(readingOf('chain:test', 'transient'));
  const reply = record(JSON.parse('{"a":"b","n":7,"l":[{}],"big":9007199254740993,"minus":-1}'));
  assert.deepEqual([text(reply, 'a'), whole(reply, 'n'), list(reply, 'l'), records([{}])], ['b', 7, [{}], [{}]]);
  for (const [odd, where] of [
    [() => record([]), /answer/],
    [() => text(reply, 'n'), /^n is not as documented: 7$/],
    [() => whole(reply, 'big'), /^big/],
    [() => whole(reply, 'minus'), /^minus/],
    [() => whole(reply, 'absent'), /^absent is not as documented: null$/],
    [() => list(reply, 'a'), /^a is/],
  ] as const) {
    assert.throws(odd, (error) => error instanceof Fault && error.kind === 'transient' && where.test(error.message));
  }
});

test('a node’s "no" is a fault for those who read, nothing for those who expect it, and told to those who ask', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -5, message: 'no such thing' } });
  const outbound: Outbound = async () => ({ status: 200, body });
  const node = new RpcNode({ at: 'chain:test', url: 'http://node.test' }, outbound);
  await assert.rejects(node.read('get'), (error) => error instanceof Fault && error.kind === 'transient');
  assert.equal(await node.read('get', [], -5), undefined);
  await assert.rejects(node.ask('get'), (error) => error instanceof RpcError && error.code === -5);
});
