import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assemble } from '../../sandbox/nodes/evm-assembler.ts';
import { SKIM_SLOT, tokenCode } from '../../sandbox/nodes/token-code.ts';
import { mintCall } from '../../sandbox/nodes/tokens.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, intentId, type TxHash, txHash } from '../../src/kernel/ids.ts';
import type { Chain, Transfer } from '../../src/world/chains/chain.ts';
import { Follower, followFresh } from '../../src/world/chains/conformance/follower.ts';
import { evmAsset, evmWord, NATIVE_TOKEN, transferCall } from '../../src/world/chains/evm/codec.ts';
import { TRANSFER_TOPIC } from '../../src/world/chains/evm/node.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { type EvmBench, freshAddress, openEvmBench, signForTest } from './evm-bench.ts';

const DAI = tokenCode('DAI', 'Dai Stablecoin', { decimals: 18 });
const HUNDRED = atoms(100n * 10n ** 18n);
const MOST = 2n ** 256n - 1n;

describe('A token that is not in the catalog', () => {
  let bend: Outbound = httpOutbound;
  let bench: EvmBench;
  let chain: Chain;
  let customer: Address;

  before(async () => {
    bench = await openEvmBench('USDC', { outbound: (call) => bend(call) });
    chain = bench.chain;
    customer = bench.world.customerAddress;
  });
  after(() => bench?.close());

  async function contractWith(code: string): Promise<Address> {
    const address = freshAddress();
    await bench.world.rpc('anvil_setCode', [address, code]);
    return address;
  }

  async function send(to: Address, data = '0x'): Promise<TxHash> {
    const sent = await bench.world.rpc('eth_sendTransaction', [{ from: customer, to, data, gas: '0x1e8480' }]);
    return txHash(sent as string);
  }

  /** A token whose customer has a hundred of it. */
  async function dai(): Promise<Address> {
    const token = await contractWith(DAI);
    await send(token, mintCall(customer, HUNDRED));
    await bench.mine(1);
    return token;
  }

  /** Code that writes a Transfer of `value` from the caller to `payee` and answers `balanceOf` as told. */
  const teller = (payee: Address, value: bigint, balanceOf: string, topics = 3): string =>
    assemble(`
      0 CALLDATALOAD 224 SHR 0x70a08231 EQ @balance JUMPI
      ${value} 0 MSTORE ${topics === 4 ? '7' : ''} 0x${evmWord(payee)} CALLER ${TRANSFER_TOPIC} 32 0 LOG${topics} STOP
      balance: ${balanceOf}`);
  const answering = (value: bigint): string => `${value} 0 MSTORE 32 0 RETURN`;
  const assetOf = (token: Address) => evmAsset(chain.facts.id, token);

  it('is recognised by its contract, and can be sent back from the deposit account', async () => {
    const { follower, address } = await followFresh(chain);
    const token = await dai();
    const hash = await send(token, transferCall(address, HUNDRED));
    await bench.mine(3);
    await follower.catchUp();
    const sighting = follower.only(hash);
    assert.equal(sighting.asset, assetOf(token));
    assert.equal(sighting.sender, customer);
    assert.deepEqual(await chain.standing([sighting]), [{ key: sighting.key, atoms: HUNDRED }]);

    const from = { deposit: (await chain.depositAddresses(0, 64)).indexOf(address) };
    assert.equal((await chain.balance(from, sighting.asset)).spendable, HUNDRED);
    const refund: Transfer = { from, asset: sighting.asset, atoms: HUNDRED, to: customer };
    const terms = await chain.terms(refund);
    assert.ok(!('refused' in terms) && terms.nonce === 0);
    await bench.world.fund(address, NATIVE_TOKEN, terms.cost);
    const { nonce, fee } = terms;
    const intent = intentId('treasury', 'refund', 0);
    const signed = signForTest({ ...refund, intent, chainId: chain.facts.id, nonce, fee });
    await chain.broadcast(signed);
    await bench.mine(1);
    const status = await chain.status(signed);
    assert.ok(status.state === 'mined' && status.ok);
    assert.equal((await chain.balance(from, sighting.asset)).spendable, 0n);
  });

  it('sent twice in one block is one sighting of the sum', async () => {
    const { follower, address } = await followFresh(chain);
    const token = await dai();
    const first = await send(token, transferCall(address, atoms(3n)));
    const second = await send(token, transferCall(address, atoms(4n)));
    await bench.mine(1);
    await follower.catchUp();
    assert.deepEqual(follower.of(second), []);
    const { key, atoms: claimed, sender } = follower.only(first);
    assert.deepEqual({ claimed, sender }, { claimed: 7n, sender: customer });
    assert.deepEqual(await chain.standing([follower.only(first)]), [{ key, atoms: 7n }]);
  });

  it('stands with what arrived, not with what its log claims', async () => {
    const { follower, address } = await followFresh(chain);
    const token = await dai();
    await bench.world.rpc('anvil_setStorageAt', [token, SKIM_SLOT, `0x${2_500n.toString(16).padStart(64, '0')}`]);
    const hash = await send(token, transferCall(address, HUNDRED));
    await bench.mine(1);
    await follower.catchUp();
    const [credit] = await chain.standing([follower.only(hash)]);
    assert.equal(credit?.atoms, (HUNDRED * 3n) / 4n);
  });

  it('brings nothing and stops nothing, however its contract misbehaves', async () => {
    const hostile = {
      'that answers always the same': answering(5n),
      'that reverts': '0 0 REVERT',
      'that knows no such question': 'STOP',
      'that burns all gas it gets': 'again: @again JUMP',
      'that answers without end': '1000000000 0 RETURN',
      'that answers a whole megabyte': '100000 0 RETURN',
      'that answers half a word': '5 0 MSTORE 16 16 RETURN',
      'that pushes off its stack': 'POP',
    };
    for (const [name, balanceOf] of Object.entries(hostile)) {
      const { follower, address } = await followFresh(chain);
      const honest = await bench.pay(address, bench.unit);
      const lie = await send(await contractWith(teller(address, 5n, balanceOf)));
      await bench.mine(1);
      await follower.catchUp();
      const [claim, real] = [follower.only(lie), follower.only(honest.txHash)];
      assert.deepEqual(await chain.standing([claim, real]), [{ key: real.key, atoms: bench.unit }], name);
      const refund: Transfer = { from: { deposit: 0 }, asset: claim.asset, atoms: claim.atoms, to: customer };
      if (balanceOf !== answering(5n)) {
        await assert.rejects(chain.terms(refund), (error) => error instanceof Fault, name);
      }
    }
  });

  it('may claim the largest numbers there are', async () => {
    const { follower, address } = await followFresh(chain);
    const token = await contractWith(DAI);
    const all = await send(token, mintCall(address, MOST));
    const shrinking = await contractWith(teller(address, MOST, 'NUMBER 0 SUB 0 MSTORE 32 0 RETURN'));
    const twice = [await send(shrinking), await send(shrinking)];
    await bench.mine(1);
    await follower.catchUp();
    const [honest, liar] = [follower.only(all), ...twice.flatMap((hash) => follower.of(hash))];
    assert.ok(liar && liar.atoms === MOST);
    assert.deepEqual(await chain.standing([honest, liar]), [{ key: honest.key, atoms: MOST }]);
  });

  it('whose things are not alike, or that moves nothing, is no deposit', async () => {
    const { follower, address } = await followFresh(chain);
    const collectible = await send(await contractWith(teller(address, 1n, answering(1n), 4)));
    const empty = await send(await contractWith(teller(address, 0n, answering(1n))));
    await bench.mine(1);
    await follower.catchUp();
    assert.deepEqual([...follower.of(collectible), ...follower.of(empty)], []);
  });

  it('among many in one block is found if somebody sent it himself', async () => {
    const { follower, address } = await followFresh(chain);
    const token = await dai();
    const spam = await Promise.all(Array.from({ length: 6 }, () => contractWith(teller(address, 1n, answering(1n)))));
    const relay = await contractWith(assemble(`${spam.map((one) => `0 0 0 0 0 ${one} GAS CALL POP`).join(' ')} STOP`));
    const handedOut = await send(relay);
    const sent = await send(token, transferCall(address, HUNDRED));
    await bench.mine(1);
    await follower.catchUp();
    assert.equal(follower.only(sent).asset, assetOf(token));
    assert.equal(follower.of(handedOut).length, 3);
  });

  it('fills no block so full of tokens that we know that ours would not be seen in it', async () => {
    const { follower, address } = await followFresh(chain);
    const known = await bench.pay(address, bench.unit);
    await bench.mine(1);
    const error = { code: -32005, message: 'query returned more than 10000 results' };
    bend = async (call) => {
      const { id, params } = JSON.parse(call.body ?? '{}');
      const isForAnyPayee = call.label === 'eth_getLogs' && params[0].topics[2] === null;
      return isForAnyPayee ? { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, error }) } : httpOutbound(call);
    };
    await follower.catchUp();
    bend = httpOutbound;
    const found = follower.only(known.txHash);
    assert.equal(found.atoms, bench.unit);
    const { key } = found;
    assert.deepEqual(await chain.standing([found]), [{ key, atoms: bench.unit }], 'under the key that logs give it');
  });

  it('is nothing to the hot account, where everybody sends such things', async () => {
    const follower = new Follower(chain, [chain.hotAddress]);
    await follower.catchUp();
    const token = await dai();
    const hash = await send(token, transferCall(chain.hotAddress, HUNDRED));
    const known = await bench.pay(chain.hotAddress, bench.unit);
    await bench.mine(1);
    await follower.catchUp();
    assert.deepEqual(follower.of(hash), []);
    assert.equal(follower.only(known.txHash).atoms, bench.unit);
  });

  it('fills no block so full that ours would not be seen in it', async () => {
    const { follower, address } = await followFresh(chain);
    const known = await bench.pay(address, bench.unit);
    await bench.mine(1);
    const tooMuch =
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"query returned more than 10000 results"}}';
    bend = async (call) => {
      const isWhole = call.label === 'eth_getLogs' && !call.body?.includes('"address"');
      return isWhole ? { status: 200, body: tooMuch } : httpOutbound(call);
    };
    await follower.catchUp();
    assert.equal(follower.only(known.txHash).atoms, bench.unit);

    // What is wrong with the node, and not with the block, is waited for: else whatever strange came in it would be lost.
    const token = await dai();
    const stray = await send(token, transferCall(address, HUNDRED));
    await bench.mine(1);
    for (const trouble of [
      { status: 200, body: tooMuch.replace(/query returned[^"]*/, 'project ID request rate exceeded') },
      { status: 502, body: '<html>Bad gateway</html>' },
    ]) {
      bend = async (call) => {
        const isWhole = call.label === 'eth_getLogs' && !call.body?.includes('"address"');
        return isWhole ? trouble : httpOutbound(call);
      };
      await assert.rejects(follower.catchUp(), Fault);
    }
    bend = httpOutbound;
    await follower.catchUp();
    assert.equal(follower.only(stray).atoms, HUNDRED);

    bend = async (call) => {
      if (call.label === 'eth_getLogs') throw new Fault('transient', call.at, 'no connection');
      return httpOutbound(call);
    };
    const later = await bench.pay(address, bench.unit);
    await bench.mine(1);
    await assert.rejects(follower.catchUp(), (error) => error instanceof Fault && error.kind === 'transient');
    bend = httpOutbound;
    await follower.catchUp();
    assert.equal(follower.only(later.txHash).atoms, bench.unit);
  });
});
