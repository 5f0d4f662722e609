import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, intentId, txHash } from '../../src/kernel/ids.ts';
import type { Sighting, SignedTransfer } from '../../src/world/chains/chain.ts';
import { followFresh } from '../../src/world/chains/conformance/follower.ts';
import { NATIVE_TOKEN } from '../../src/world/chains/evm/codec.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { type EvmBench, freshAddress, openEvmBench, signForTest } from './evm-bench.ts';
import { contractsOn } from './evm-contracts.ts';

const BALANCE_OF = '0x70a08231';
const FINNEY = 10n ** 15n;

describe('A node that has not kept old states', () => {
  let bend: Outbound = httpOutbound;
  let bench: EvmBench;
  before(async () => {
    bench = await openEvmBench('USDC', { outbound: (call) => bend(call), statesKept: 128 });
  });
  after(() => bench?.close());
  const { forward } = contractsOn(() => bench.world);

  /** Longer than it keeps states. */
  const longAgo = () => bench.mine(200);
  const payCoins = async (to: Address, amount: bigint) =>
    txHash((await bench.world.pay({ token: NATIVE_TOKEN, to, atoms: amount })).txHash);

  /** As a node that has the state of its tip alone, or of none. */
  const missing =
    (label: string, isOld: (tag: string) => boolean): Outbound =>
    async (call) => {
      const { id, params } = JSON.parse(call.body ?? '{}');
      const error = {
        code: -32000,
        message: 'missing trie node 5a3c (path ) state 0x5a3c is not available, not found',
      };
      const isMissing = call.label === label && isOld(params[1]);
      return isMissing ? { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, error }) } : httpOutbound(call);
    };
  const creditsOf = (sightings: readonly Sighting[]) =>
    sightings.map(({ key, atoms: amount }) => ({ key, atoms: amount }));

  /** The next payment of the hot account, which nobody sends. */
  async function signed(to: Address): Promise<SignedTransfer> {
    const transfer = { from: 'hot', to, asset: bench.asset.id, atoms: atoms(5n) } as const;
    const terms = await bench.chain.terms(transfer);
    assert.ok(!('refused' in terms) && terms.nonce !== undefined);
    const { nonce, fee } = terms;
    const intent = intentId('treasury', 'sweep', nonce);
    return signForTest({ ...transfer, intent, chainId: bench.chain.facts.id, nonce, fee });
  }

  it('lets deposits be found by a desk that comes late, which stand by what transactions and tokens say', async () => {
    const { follower, address } = await followFresh(bench.chain);
    const token = await bench.pay(address, atoms(70n));
    const coin = await payCoins(address, 90n);
    await longAgo();
    await follower.catchUp();
    const found = [follower.only(token.txHash), follower.only(coin)];
    const expected = creditsOf(found);
    assert.deepEqual(
      expected.map((one) => one.atoms),
      [70n, 90n],
    );
    assert.deepEqual(await bench.chain.standing(found), expected);
    assert.ok(follower.cursor?.unlooked, 'nobody looked for coins that a contract sent meanwhile');
  });

  it('has coins that contracts sent looked for when the states are there, while all else goes on', async () => {
    const { follower, address } = await followFresh(bench.chain);
    const before = present(follower.cursor, 'a cursor').height;
    bend = missing('eth_call', () => true);
    await forward([[address, FINNEY]]);
    const plain = await payCoins(address, 2n * FINNEY);
    await bench.mine(60);
    await follower.catchUp();
    const first = present(follower.cursor, 'a cursor').height;
    assert.equal(follower.only(plain).atoms, 2n * FINNEY, 'what a transaction says needs no state');
    assert.deepEqual(follower.cursor?.unlooked, [{ after: before, to: first }]);

    await bench.mine(1);
    await follower.catchUp();
    assert.deepEqual(follower.cursor?.unlooked, [{ after: before, to: first + 1 }], 'what follows on another is one');
    await bench.reorg(1);
    await bench.mine(2);
    await follower.catchUp();
    const last = present(follower.cursor, 'a cursor').height;
    assert.deepEqual(follower.cursor?.unlooked, [{ after: before, to: last }], 'replaced blocks are none of it');

    bend = httpOutbound;
    await follower.catchUp();
    assert.deepEqual(
      creditsOf([...follower.sightings.values()]).map((one) => one.atoms),
      [2n * FINNEY, FINNEY],
    );
    assert.deepEqual(follower.cursor?.unlooked, [{ after: before + 50, to: last }], 'a page at a time');
    await follower.catchUp();
    assert.deepEqual(
      [follower.cursor?.unlooked, creditsOf([...follower.sightings.values()]).map((one) => one.atoms)],
      [undefined, [2n * FINNEY, FINNEY]],
    );
    const all = [...follower.sightings.values()];
    assert.deepEqual(await bench.chain.standing(all), creditsOf(all));
  });

  it('lets nothing be credited where a token keeps less than it says came', async () => {
    const { follower, address } = await followFresh(bench.chain);
    const first = await bench.pay(address, atoms(70n));
    const second = await bench.pay(address, atoms(5n));
    await longAgo();
    await follower.catchUp();
    const found = [follower.only(first.txHash), follower.only(second.txHash)];
    assert.equal((await bench.chain.standing(found)).length, 2);
    bend = async (call) => {
      const answer = await httpOutbound(call);
      const isTold = call.body?.includes(BALANCE_OF) && 'result' in JSON.parse(answer.body);
      return isTold
        ? { ...answer, body: JSON.stringify({ id: 1, result: `0x${(74).toString(16).padStart(64, '0')}` }) }
        : answer;
    };
    const isTransient = (error: unknown) => error instanceof Fault && error.kind === 'transient';
    for (const one of found)
      await assert.rejects(bench.chain.standing([one]), isTransient, '74 are there, 75 are said to be');
    bend = async (call) =>
      call.body?.includes('fromBlock') ? { status: 200, body: '{"id":1,"result":[]}' } : httpOutbound(call);
    for (const one of found)
      await assert.rejects(bench.chain.standing([one]), isTransient, 'a node that lacks the blocks');
    bend = httpOutbound;
    assert.equal(present((await bench.chain.standing(found))[0], 'a credit').atoms, 70n);
  });

  it('keeps no payment from being sent again, and proves none dead', async () => {
    const unsent = await signed(bench.chain.hotAddress);
    bend = missing('eth_getTransactionCount', (tag) => tag.startsWith('0x'));
    assert.deepEqual(await bench.chain.status(unsent), { state: 'unknown' }, 'its nonce is free');
    bend = httpOutbound;
    await bench.chain.broadcast(await signed(freshAddress()));
    await bench.mine(4);
    bend = missing('eth_getTransactionCount', (tag) => tag.startsWith('0x'));
    assert.deepEqual(
      await bench.chain.status(unsent),
      { state: 'unknown' },
      'its nonce is used, and nobody can say by what',
    );
    bend = httpOutbound;
    assert.equal((await bench.chain.status(unsent)).state, 'dead');
  });
});
