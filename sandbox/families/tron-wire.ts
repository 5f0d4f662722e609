import type { Address } from '../../src/kernel/ids.ts';
import { readTransferCall, STRANGER, tronHex } from '../../src/world/chains/tron/codec.ts';
import type { Wire } from '../control/faults.ts';
import { REJECTED } from '../control/rpc-error.ts';

/** The account that pays customers, and whom else it pays: what goes there is no payout. */
interface Payer {
  readonly hot: Address;
  isOurs(address: string): boolean;
}

const TRON_TRY = '/wallet/triggerconstantcontract';

export function tronWire({ hot, isOurs }: Payer): Wire {
  const payer = tronHex(hot);
  return {
    sends: new Set(['/wallet/broadcasthex', '/wallet/broadcasttransaction']),
    reject: () => ({ fate: 'answer', body: { result: false, code: 'OTHER_ERROR', message: REJECTED } }),
    refusing: {
      triedBy({ path, body }) {
        const { owner_address: owner, data } = (body ?? {}) as Record<string, unknown>;
        const to = path === TRON_TRY && owner === payer ? readTransferCall(String(data))?.to : undefined;
        return to && to !== hot && to !== STRANGER && !isOurs(to) ? [to] : [];
      },
      refuse: () => ({
        fate: 'answer',
        body: {
          result: { result: true, message: Buffer.from('REVERT opcode executed').toString('hex') },
          energy_used: 1_000,
          constant_result: [''],
          transaction: { ret: [{ ret: 'FAILED' }] },
        },
      }),
    },
  };
}
