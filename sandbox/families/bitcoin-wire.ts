import type { Wire } from '../control/faults.ts';
import { REJECTED } from '../control/rpc-error.ts';

/** No coin of Bitcoin can be refused by anybody but its owner. The node puts errors into HTTP 500. */
export const BITCOIN_WIRE: Wire = {
  sends: new Set(['sendrawtransaction']),
  reject: ({ calls }) => ({
    fate: 'answer',
    status: 500,
    body: { result: null, error: { code: -26, message: REJECTED }, id: calls[0]?.id ?? null },
  }),
};
