import type { ErrorReply } from './generated/contract.ts';

/** `unreadable`: what came back is no answer of the service, such as the page of a proxy. */
export type ErrorCode = ErrorReply['code'] | 'unreadable';

/** What the service answered instead of what was asked for. A request that got no answer throws what `fetch` throws. */
export class WherryError extends Error {
  override readonly name = 'WherryError';
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  /** Names the request to support. */
  readonly requestId: string | undefined;
  /** Seconds to wait before asking again. */
  readonly retryAfter: number | undefined;

  constructor(response: Response, reply: ErrorReply | undefined) {
    super(reply?.error ?? `The answer (${response.status}) is not readable.`);
    this.status = response.status;
    this.code = reply?.code ?? 'unreadable';
    this.details = reply?.details ?? {};
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
    this.retryAfter = Number.isNaN(seconds) ? undefined : seconds;
  }
}

/** Asking again may help. Of requests that read only: a creation that got no answer may have happened. */
export function isPassing(error: unknown): boolean {
  if (error instanceof WherryError)
    return error.status === 429 || error.status >= 500 || (error.status < 300 && error.code === 'unreadable');
  return error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError');
}
