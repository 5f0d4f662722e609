import { assemble } from '../../sandbox/nodes/evm-assembler.ts';
import type { EvmWorld } from '../../sandbox/nodes/evm-world.ts';
import { type Address, type TxHash, txHash } from '../../src/kernel/ids.ts';
import { freshAddress } from './evm-bench.ts';

type Payment = readonly [to: Address, amount: bigint];

/** Contracts that pay others. */
export function contractsOn(world: () => EvmWorld) {
  async function contractWith(code: string): Promise<Address> {
    const address = freshAddress();
    await world().rpc('anvil_setCode', [address, code]);
    return address;
  }

  async function sendTo(to: Address, value: bigint): Promise<TxHash> {
    const call = { from: world().customerAddress, to, value: `0x${value.toString(16)}`, gas: '0x30d40' };
    return txHash((await world().rpc('eth_sendTransaction', [call])) as string);
  }

  return {
    contractWith,
    sendTo,
    /** One transaction to a contract that passes on what it is given, so far as it goes. */
    async forward(payments: readonly Payment[], given = payments.reduce((sum, [, one]) => sum + one, 0n)) {
      const steps = payments.map(([to, amount]) => `0 0 0 0 ${amount} ${to} GAS CALL POP`);
      return sendTo(await contractWith(assemble(`${steps.join(' ')} STOP`)), given);
    },
  };
}
