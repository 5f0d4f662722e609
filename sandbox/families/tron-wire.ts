import type { Address } from '../../src/kernel/ids.ts';
import { readTransferCall, STRANGER, tronAddressOfHex, tronHex } from '../../src/world/chains/tron/codec.ts';
import type { Wire } from '../control/faults.ts';
import { REJECTED } from '../control/rpc-error.ts';

/** The account that pays customers, and whom else it pays: what goes there is no payout. */
interface Payer {
  readonly hot: Address;
  isOurs(address: string): boolean;
  /** Whose coins are read, too. */
  isDeposit(address: string): boolean;
}

const TRON_TRY = '/wallet/triggerconstantcontract';
/** Asked of whoever is to be paid coins. */
const TRON_ACCOUNT = '/wallet/getaccount';

export function tronWire({ hot, isOurs, isDeposit }: Payer): Wire {
  const payer = tronHex(hot);
  return {
    sends: new Set(['/wallet/broadcasthex', '/wallet/broadcasttransaction']),
    reject: () => ({ fate: 'answer', body: { result: false, code: 'OTHER_ERROR', message: REJECTED } }),
    refusing: {
      triedBy({ path, body }) {
        const { owner_address: owner, data, address } = (body ?? {}) as Record<string, unknown>;
        const asked = path === TRON_ACCOUNT ? tronAddressOfHex(String(address)) : undefined;
        const coins = asked && !isDeposit(asked) ? asked : undefined;
        const to = path === TRON_TRY && owner === payer ? readTransferCall(String(data))?.to : coins;
        return to && to !== hot && to !== STRANGER && !isOurs(to) ? [to] : [];
      },
      refuse: ({ path }) =>
        path === TRON_ACCOUNT
          ? { fate: 'rewrite', change: (answer) => ({ ...(answer as object), type: 'Contract' }) }
          : {
              fate: 'answer',
              body: {
                result: { result: true, message: Buffer.from('REVERT opcode executed').toString('hex') },
                energy_used: 1_000,
                constant_result: [''],
                transaction: { ret: [{ ret: 'FAILED' }] },
              },
            },
    },
  };
}
