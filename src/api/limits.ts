/** This file holds every bound of the public API, with its reason. */

/** These limits hold for callers without a key, and for every caller of v1 (sections 8.1, D48). */
export const PUBLIC_LIMITS = {
  requests: 50,
  quotes: 60,
  creates: 5,
  openOrders: 20,
  /** An order older than this has long passed its funding deadline. */
  openOrderWindowMs: 24 * 60 * 60 * 1000,
} as const;

/** Of one network, a minute: signing in takes two calls and is limited as creation is; the pages of a partner read a lot. */
export const PARTNER_LIMITS = { creates: 5, requests: 300 } as const;

/** Nobody knows when an order will end; a minute is a polite time to ask again. */
export const OPEN_ORDERS_RETRY_MS = 60_000;
/**
 * So many creations of one name are worked on or wait in this process: a client that repeats what is slow finds a place, and more is no
 * repeating. Whoever finds none asks again when the first is mostly made.
 */
export const CREATIONS_IN_LINE = 16;
export const FULL_LINE_RETRY_MS = 1_000;
/** Idle windows are forgotten this often. */
export const QUOTA_SWEEP_MS = 60_000;
/**
 * A whole request must be in by then, so that slow senders hold no connection. Browsers open connections ahead and keep one
 * that they did not use for up to 20 seconds: whoever presses a button by then must not meet one that we have closed.
 */
export const REQUEST_DEADLINE_MS = 30_000;
/** More are sent away at the door: each costs memory even while it says nothing. */
export const MAX_CONNECTIONS = 10_000;
/** The longest legal path parameter is an order id. */
export const MAX_PARAM_CHARS = 100;
/** History has no pages in v1; a session with more orders reads the newest. */
export const V1_HISTORY_ROWS = 100;
/** Section 8.3. */
export const BULK_ORDERS = 50;
export const TOKENS_PER_PAGE = 100;
export const ORDERS_PER_PAGE = 100;
export const FILLS_PER_PAGE = 200;
export const MAX_FEE_PERCENT = 5;

/** The rates feed is computed no more often, and caches may keep it as long (section 4.1). */
export const RATES_AGE_MS = 30_000;
/** The sample is so large that flat costs hardly show in the rate, and small enough for a thin book. */
export const RATES_SAMPLE_USD = 500;

/** D47 sets this rhythm of pings; a socket that misses one whole round is gone. */
export const PING_MS = 25_000;
/**
 * One network and one server key may hold so many sockets in this process, to one order and in all: a wallet has many tabs, an office is behind
 * one address, and a partner's server follows the orders of its customers. Strangers who know an order's destination take no place of its owner's.
 */
export const SOCKETS_PER_ORDER = 20;
export const SOCKETS_PER_NETWORK = 100;
export const SOCKETS_PER_KEY = 1_000;
/** Nobody knows when a listener leaves; a minute is a polite time to ask again. */
export const CROWDED_RETRY_MS = 60_000;
/** Clients have nothing to say on the socket. */
export const MAX_CLIENT_FRAME_BYTES = 1024;
/** Sockets that do not answer the closing handshake by then are cut. */
export const CLOSING_MS = 2_000;
/** A proxy sends its line with the connection; whoever has not by then sends none. */
export const PROXY_LINE_MS = 5_000;
