/** Every loop, queue, page and wait has its bound here, with its reason. */

/** A reply larger than this is not from a healthy counterparty. */
export const MAX_REPLY_BYTES = 16 * 1024 * 1024;
/** One block can be larger, and a chain is not read past it. One such reply is read at a time, in the whole process. */
export const LARGE_REPLY_BYTES = 64 * 1024 * 1024;
/** A large reply takes its time on a slow line. */
export const LARGE_REPLY_DEADLINE_MS = 60_000;
/** A counterparty that has not answered by then is treated as gone; what it did is unknown. */
export const CALL_DEADLINE_MS = 15_000;
/** Blocks read in one scan page: a page is one database transaction. */
export const SCAN_BLOCKS_PER_PAGE = 50;
/** Transactions opened for one scan page, which ends with the block that reaches so many: about a second of work. */
export const SCAN_TRANSACTIONS_PER_PAGE = 2_000;
/** Transactions of the pool that nobody has opened yet, for one scan page: half a second of work, and far more than come between two pages. */
export const SCAN_POOL_PER_PAGE = 1_000;
/**
 * Where every key of a transaction is tried on every output: so many tries for one scan page, which ends with the block or the transaction
 * of the pool that reaches so many. Two thousand usual transactions take as many; a stranger's may have 32 keys and 16 outputs.
 */
export const SCAN_TRIES_PER_PAGE = 8_000;
/** Tries in one go, some milliseconds each at worst; then others of the process have their turn. */
export const SCAN_TRIES_PER_TURN = 4;
/** Blocks remembered to find the common ancestor: deeper than any reorganisation we accept. */
export const REORG_MEMORY_BLOCKS = 128;
/** The most that the slowest of the wallets makes in one call. */
export const ADDRESSES_PER_CALL = 64;
/** Request bodies: the largest legal one (50 order ids) is under 4 KB. */
export const MAX_BODY_BYTES = 32 * 1024;
/** No address of any chain is longer (unified ones, with a receiver for every pool, are the longest). */
export const MAX_ADDRESS_CHARS = 512;
