import type { Wire } from '../control/faults.ts';
import { REJECTED, rpcError } from '../control/rpc-error.ts';

/** No coin of Zcash can be refused by anybody but its owner. */
export const ZCASH_WIRE: Wire = {
  sends: new Set(['sendrawtransaction']),
  reject: (passing) => rpcError(passing, -25, `failed to validate tx: ${REJECTED}`),
};
