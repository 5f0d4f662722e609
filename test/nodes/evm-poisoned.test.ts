import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assemble } from '../../sandbox/nodes/evm-assembler.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { evmAsset, evmWord } from '../../src/world/chains/evm/codec.ts';
import { TRANSFER_TOPIC } from '../../src/world/chains/evm/node.ts';
import { type DepositRoom, openDepositRoom } from '../life/deposit-room.ts';
import { buyOrder } from '../life/world.ts';
import { type EvmBench, freshAddress, openEvmBench } from './evm-bench.ts';

const MOST = 2n ** 256n - 1n;
const HUNDRED = 100n;
let bench: EvmBench;
const rooms: DepositRoom[] = [];
before(async () => {
  bench = await openEvmBench('USDC');
});
after(async () => {
  for (const room of rooms) await room.close();
  await bench?.close();
});

/** Says that it holds everything in blocks with an odd number, and nothing in others; writes a Transfer of all when called. */
const liar = (payee: Address): string =>
  assemble(`
    0 CALLDATALOAD 224 SHR 0x70a08231 EQ @balance JUMPI
    ${MOST} 0 MSTORE 0x${evmWord(payee)} CALLER ${TRANSFER_TOPIC} 32 0 LOG3 STOP
    balance: 2 2 NUMBER DIV MUL NUMBER SUB 0 SUB 0 MSTORE 32 0 RETURN`);

/** An attacker's order whose address a lying token pays ten times, and a victim's that is paid after it. */
async function attack(change: Parameters<typeof openDepositRoom>[0]) {
  const room = await openDepositRoom(change, bench.chain);
  rooms.push(room);
  await room.round();
  const [attacker, victim] = [await room.keep(buyOrder()), await room.keep(buyOrder())];
  const { depositAddress: poisoned } = await room.find(attacker);
  const { depositAddress: honest } = await room.find(victim);
  const token = freshAddress();
  await bench.world.rpc('anvil_setCode', [token, liar(poisoned)]);
  const from = bench.world.customerAddress;
  for (let lies = 0; lies < 10; ) {
    const tip = Number(await bench.world.rpc('eth_blockNumber', []));
    if (tip % 2 === 0) {
      await bench.world.rpc('eth_sendTransaction', [{ from, to: token, data: '0x', gas: '0x1e8480' }]);
      lies += 1;
    }
    await bench.mine(1);
  }
  await bench.pay(honest, (bench.unit * HUNDRED) as typeof bench.unit);
  await bench.mine(4);
  for (let rounds = 0; rounds < 6; rounds += 1) await room.round();
  return { room, attacker, victim, lie: evmAsset(bench.chain.facts.id, token) };
}

test('9.3: a token that claims 2^256-1 ten times is credited to a bound, and the order paid after it is carried out', async () => {
  const { room, attacker, victim, lie } = await attack({});
  assert.equal((await room.find(victim)).state.phase, 'screening');
  assert.equal(await room.books.ledger.balance(`deposit:${attacker}`, lie), RULES.mostUnlistedAtoms);
  assert.equal(await room.caseOf('deposit_unjudged'), undefined);
});

test('9.3: where the bound is taken away the lie overflows the ledger, and still harms no order but its own', async () => {
  const { room, attacker, victim } = await attack({ mostUnlistedAtoms: MOST * 100n });
  assert.equal((await room.caseOf('deposit_unjudged'))?.orderId, attacker, 'won, but for being alone');
  assert.equal((await room.find(victim)).state.phase, 'screening');
});
