import type { Wire } from '../control/faults.ts';
import { REJECTED, rpcError } from '../control/rpc-error.ts';

/** No coin of Monero can be refused by anybody but its owner. */
export const MONERO_WIRE: Wire = {
  sends: new Set(['/send_raw_transaction', '/sendrawtransaction', 'relay_tx']),
  // The daemon takes transactions by plain HTTP and has its own way to say no.
  reject: (passing) =>
    passing.calls.length > 0
      ? rpcError(passing, -4, REJECTED)
      : { fate: 'answer', body: { status: 'Failed', reason: REJECTED } },
};
