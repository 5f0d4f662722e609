import type { Wire } from './faults.ts';

/** selector of transfer(address,uint256), then the address in a word of 32 bytes. */
const TRANSFER = /^0xa9059cbb0{24}([0-9a-f]{40})/i;
const TRIES = new Set(['eth_call', 'eth_estimateGas']);

/** `ours`: accounts that the treasury pays from the hot one; that is no payout. */
export function evmWire(hot: string, ours: readonly string[]): Wire {
  const own = new Set([hot, ...ours].map((address) => address.toLowerCase()));
  return {
    sends: new Set(['eth_sendRawTransaction']),
    payoutTo: ({ calls }) =>
      calls
        .filter(({ method }) => TRIES.has(method))
        .flatMap(({ params }) => tokenTransfer(params))
        .filter(({ from, to }) => from.toLowerCase() === hot.toLowerCase() && !own.has(to.toLowerCase()))
        .map(({ to }) => to),
  };
}

function tokenTransfer(params: unknown): { from: string; to: string }[] {
  const {
    from = '',
    data = '',
    input = data,
  } = (params as { from?: string; data?: string; input?: string }[])[0] ?? {};
  const to = TRANSFER.exec(input)?.[1];
  return to ? [{ from, to: `0x${to}` }] : [];
}

/** No coin of Monero can be refused by anybody but its owner. */
export const MONERO_WIRE: Wire = {
  sends: new Set(['/send_raw_transaction', '/sendrawtransaction', 'relay_tx']),
  payoutTo: () => [],
};
