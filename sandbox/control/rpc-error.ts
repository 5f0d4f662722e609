import type { Passing, Verdict } from './proxy.ts';

export const REJECTED = 'rejected by the sandbox';

/** JSON-RPC 2.0: each call of a batch gets the error. */
export function rpcError({ calls }: Passing, code: number, message: string): Verdict {
  const answers = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code, message } }));
  return { fate: 'answer', body: answers.length === 1 ? answers[0] : answers };
}
