import type { Address } from '../../src/kernel/ids.ts';
import { STRANGER } from '../../src/world/chains/evm/codec.ts';
import type { Wire } from '../control/faults.ts';
import { REJECTED, rpcError } from '../control/rpc-error.ts';

/** The account that pays customers, and whom else it pays: what goes there, or to the one by whom prices are asked, is no payout. */
interface Payer {
  readonly hot: Address;
  isOurs(address: string): boolean;
  /** Asked for coins alone, which go there as gas: it takes its time. */
  isDeposit(address: string): boolean;
}

/** selector of transfer(address,uint256), then the address in a word of 32 bytes. */
const TRANSFER = /^0xa9059cbb0{24}([0-9a-f]{40})/i;
const TRIES = new Set(['eth_call', 'eth_estimateGas']);

export function evmWire({ hot, isOurs, isDeposit }: Payer): Wire {
  const payee = hot.toLowerCase();
  const priced = STRANGER.toLowerCase();
  return {
    sends: new Set(['eth_sendRawTransaction']),
    reject: (passing) => rpcError(passing, -32_000, REJECTED),
    refusing: {
      triedBy: ({ calls }) =>
        calls
          .filter(({ method }) => TRIES.has(method))
          .flatMap(({ params }) => evmTransfer(params))
          .filter(({ from, to }) => from.toLowerCase() === payee && to !== payee && to !== priced)
          .filter(({ to, isCoin }) => !isOurs(to) && !(isCoin && isDeposit(to)))
          .map(({ to }) => to),
      refuse: (passing) => rpcError(passing, 3, 'execution reverted: destination is frozen'),
    },
  };
}

interface EvmCall {
  readonly from?: string;
  readonly to?: string;
  readonly value?: string;
  readonly data?: string;
  readonly input?: string;
}

/** Of a token, or of the chain's own coin. */
function evmTransfer(params: unknown): { from: string; to: string; isCoin: boolean }[] {
  const { from = '', to = '', value = '0x0', data = '', input = data } = ((params as EvmCall[])[0] ?? {}) as EvmCall;
  const payee = TRANSFER.exec(input)?.[1];
  if (payee) return [{ from, to: `0x${payee}`.toLowerCase(), isCoin: false }];
  return input === '' && BigInt(value) > 0n ? [{ from, to: to.toLowerCase(), isCoin: true }] : [];
}
