import type { Address } from '../../src/kernel/ids.ts';
import { TOKEN_PROGRAM, tokenAccountOf } from '../../src/world/chains/solana/address-codec.ts';
import { USDC_MINT, USDT_MINT } from '../../src/world/chains/solana/codec.ts';
import { readTransferCall, tronHex } from '../../src/world/chains/tron/codec.ts';
import { TOKEN_RENT, tokenAccountData } from '../nodes/solana-world.ts';
import type { Wire } from './faults.ts';
import type { Passing, Verdict } from './proxy.ts';

/** The account that pays customers, and whom else it pays: what goes there is no payout. */
export interface Payer {
  readonly hot: Address;
  isOurs(address: string): boolean;
}

const REJECTED = 'rejected by the sandbox';

/** JSON-RPC 2.0: each call of a batch gets the error. */
function rpcError({ calls }: Passing, code: number, message: string): Verdict {
  const answers = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code, message } }));
  return { fate: 'answer', body: answers.length === 1 ? answers[0] : answers };
}

/** selector of transfer(address,uint256), then the address in a word of 32 bytes. */
const TRANSFER = /^0xa9059cbb0{24}([0-9a-f]{40})/i;
const TRIES = new Set(['eth_call', 'eth_estimateGas']);

export function evmWire({ hot, isOurs }: Payer): Wire {
  const payee = hot.toLowerCase();
  return {
    sends: new Set(['eth_sendRawTransaction']),
    reject: (passing) => rpcError(passing, -32_000, REJECTED),
    refusing: {
      triedBy: ({ calls }) =>
        calls
          .filter(({ method }) => TRIES.has(method))
          .flatMap(({ params }) => evmTransfer(params))
          .filter(({ from, to }) => from.toLowerCase() === payee && to !== payee && !isOurs(to))
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
function evmTransfer(params: unknown): { from: string; to: string }[] {
  const { from = '', to = '', value = '0x0', data = '', input = data } = ((params as EvmCall[])[0] ?? {}) as EvmCall;
  const payee = TRANSFER.exec(input)?.[1];
  if (payee) return [{ from, to: `0x${payee}`.toLowerCase() }];
  return input === '' && BigInt(value) > 0n ? [{ from, to: to.toLowerCase() }] : [];
}

/** No coin of Monero can be refused by anybody but its owner. */
export const MONERO_WIRE: Wire = {
  sends: new Set(['/send_raw_transaction', '/sendrawtransaction', 'relay_tx']),
  // The daemon takes transactions by plain HTTP and has its own way to say no.
  reject: (passing) =>
    passing.calls.length > 0
      ? rpcError(passing, -4, REJECTED)
      : { fate: 'answer', body: { status: 'Failed', reason: REJECTED } },
};

/** Nor any of Bitcoin. Its node puts errors into HTTP 500. */
export const BITCOIN_WIRE: Wire = {
  sends: new Set(['sendrawtransaction']),
  reject: ({ calls }) => ({
    fate: 'answer',
    status: 500,
    body: { result: null, error: { code: -26, message: REJECTED }, id: calls[0]?.id ?? null },
  }),
};

/** Nor any of Zcash. */
export const ZCASH_WIRE: Wire = {
  sends: new Set(['sendrawtransaction']),
  reject: (passing) => rpcError(passing, -25, `failed to validate tx: ${REJECTED}`),
};

/** Without a word from the service about what it is going to send, it asks for four accounts: both wallets, both tokens'. */
export function solanaWire({ hot, isOurs }: Payer): Wire {
  const mints = new Map([USDC_MINT, USDT_MINT].map((mint) => [tokenAccountOf(hot, mint), mint]));
  const asked = ({ calls: [call] }: Passing) => {
    const [accounts] = (call?.method === 'getMultipleAccounts' ? call.params : []) as Address[][];
    const [from, source, to] = accounts ?? [];
    const mint = source && mints.get(source);
    return mint && to && from === hot && to !== hot && !isOurs(to) ? { to, mint } : undefined;
  };
  return {
    sends: new Set(['sendTransaction']),
    reject: (passing) => rpcError(passing, -32_002, `Transaction simulation failed: ${REJECTED}`),
    refusing: {
      triedBy: (passing) => [asked(passing)?.to ?? []].flat(),
      refuse(passing) {
        const question = asked(passing);
        const change = (answer: unknown) => (question ? withFrozen(answer, question) : answer);
        return { fate: 'rewrite', change };
      },
    },
  };
}

interface SolanaAnswer {
  readonly result: { readonly value: readonly unknown[] };
}

/** The last of the four accounts, as its mint would have it frozen. */
function withFrozen(answer: unknown, { to, mint }: { to: Address; mint: Address }): unknown {
  const told = answer as SolanaAnswer;
  const data = [Buffer.from(tokenAccountData(mint, to, 0n, 'frozen')).toString('base64'), 'base64'];
  const frozen = { lamports: Number(TOKEN_RENT), owner: TOKEN_PROGRAM, data, executable: false, rentEpoch: 0 };
  return { ...told, result: { ...told.result, value: [...told.result.value.slice(0, 3), frozen] } };
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
        return to && to !== hot && !isOurs(to) ? [to] : [];
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
