import { Fault } from '../../kernel/fault.ts';
import { CALL_DEADLINE_MS, MAX_REPLY_BYTES } from '../../kernel/limits.ts';

export interface OutboundCall {
  /** The counterparty as an operator knows it: `chain:42161`, `venue`. */
  readonly at: string;
  /** What is asked, for logs, metrics and faults: `eth_getLogs`, `exchange:order`. Never a secret. */
  readonly label: string;
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly deadlineMs?: number;
}

export interface OutboundReply {
  readonly status: number;
  readonly body: string;
}

/** The one door to the network. Everything that leaves the process passes it, so it can be watched, bounded and broken. */
export type Outbound = (call: OutboundCall) => Promise<OutboundReply>;

/**
 * Connection refused means that nothing happened; any later failure leaves open what the other side did.
 * HTTP statuses are returned, not thrown: their meaning belongs to each protocol.
 */
export const httpOutbound: Outbound = async (call) => {
  const deadline = AbortSignal.timeout(call.deadlineMs ?? CALL_DEADLINE_MS);
  try {
    const response = await fetch(call.url, {
      method: call.method,
      ...(call.headers ? { headers: call.headers } : {}),
      ...(call.body === undefined ? {} : { body: call.body }),
      signal: deadline,
      redirect: 'error',
    });
    return { status: response.status, body: await readBounded(response, call) };
  } catch (error) {
    if (error instanceof Fault) throw error;
    const kind = neverConnected(error) ? 'transient' : 'ambiguous';
    throw new Fault(kind, call.at, `${call.label}: ${describe(error)}`, error);
  }
};

async function readBounded(response: Response, call: OutboundCall): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_REPLY_BYTES)
      throw new Fault('ambiguous', call.at, `${call.label}: reply over ${MAX_REPLY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const REFUSED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function neverConnected(error: unknown): boolean {
  const code = (error as { cause?: { code?: unknown } }).cause?.code;
  return typeof code === 'string' && REFUSED.has(code);
}

function describe(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string } };
  return [message, cause?.code].filter(Boolean).join(' ') || 'failed';
}
