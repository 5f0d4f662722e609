import type { OrderEvent, SwapOrder } from './generated/contract.ts';
import { isPassing, WherryError } from './wherry-error.ts';

/** The part of a WebSocket that is used; browsers, Node 22 and the package `ws` have it. */
export interface Socket {
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close' | 'error', listener: () => void): void;
  close(): void;
}

export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** The first wait between two reads. While nothing changes it grows, up to `longestMs`. */
  readonly pollMs?: number;
  readonly longestMs?: number;
}

/** How one order is read, and how it is listened to where that is possible. */
export interface Line {
  read(): Promise<SwapOrder>;
  listen(): Socket | undefined;
}

const POLL_MS = 2_000;
const LONGEST_MS = 15_000;
/** A connection can die without a word, so an order on a silent socket is read this often. */
const SILENCE_MS = 60_000;
/** Reads that may fail one after the other, about five minutes of them. */
const PATIENCE = 20;

const OUTCOMES: ReadonlySet<string> = new Set(['completed', 'refunded', 'failed', 'expired']);
const SETTLED: ReadonlySet<string> = new Set(['completed', 'blocked']);

/** Nothing more will happen by itself: the outcome stands and no refund is under way. */
export const isOver = ({ status, refundRecoveries }: SwapOrder): boolean =>
  OUTCOMES.has(status) && refundRecoveries.every(({ phase }) => SETTLED.has(phase));

/** The order now and after every change, until it is over: by the socket while that lasts, then by reading. */
export async function* follow(line: Line, options: FollowOptions): AsyncGenerator<SwapOrder, void> {
  let shown = '';
  for await (const order of sightings(line, options)) {
    const { updatedAt: _, ...rest } = order;
    const text = JSON.stringify(rest);
    if (text !== shown) yield order;
    if (isOver(order)) return;
    shown = text;
  }
}

async function* sightings(line: Line, options: FollowOptions): AsyncGenerator<SwapOrder, void> {
  options.signal?.throwIfAborted();
  const socket = line.listen();
  const isHeardOut = socket && (yield* heard(socket, line, options));
  if (!isHeardOut) yield* polled(line, options);
}

/** Ends when the socket does; says whether that was with the last frame. */
async function* heard(socket: Socket, { read }: Line, { signal }: FollowOptions): AsyncGenerator<SwapOrder, boolean> {
  const frames: OrderEvent[] = [];
  let isOpen = true;
  let wake = (): void => {};
  const end = () => {
    isOpen = false;
    wake();
  };
  socket.addEventListener('message', ({ data }) => {
    frames.push(JSON.parse(String(data)));
    wake();
  });
  socket.addEventListener('close', end);
  socket.addEventListener('error', end);
  signal?.addEventListener('abort', end);
  try {
    while (isOpen || frames.length > 0) {
      const frame = frames.shift();
      if (frame) {
        yield frame.order;
        if (frame.type === 'final') return true;
        continue;
      }
      const isSilent = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(resolve, SILENCE_MS, true);
        wake = () => {
          clearTimeout(timer);
          resolve(false);
        };
      });
      if (isSilent) yield await read();
    }
    return false;
  } catch (error) {
    if (!isPassing(error)) throw error;
    return false;
  } finally {
    signal?.removeEventListener('abort', end);
    socket.close();
  }
}

export async function* polled({ read }: Pick<Line, 'read'>, options: FollowOptions): AsyncGenerator<SwapOrder, void> {
  const { signal, pollMs = POLL_MS, longestMs = LONGEST_MS } = options;
  let waitMs = pollMs;
  let failures = 0;
  let version = '';
  for (;;) {
    signal?.throwIfAborted();
    const found = await read().catch((error: unknown) => {
      failures += 1;
      if (!isPassing(error) || failures > PATIENCE) throw error;
      return error instanceof WherryError ? error : undefined;
    });
    let leastMs = 0;
    if (found instanceof WherryError) {
      leastMs = (found.retryAfter ?? 0) * 1000;
    } else if (found) {
      failures = 0;
      if (found.updatedAt !== version) waitMs = pollMs;
      version = found.updatedAt;
      yield found;
    }
    await pause(Math.max(waitMs, leastMs), signal);
    waitMs = Math.min(waitMs * 1.5, longestMs);
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
