/** The venue takes a nonce until it is two days old (https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/nonces-and-api-wallets). */
export const NONCE_LIFE_MS = 2 * 86_400_000;
/** How far the venue's clock may be from ours, and its servers from each other. */
export const CLOCK_MARGIN_MS = 600_000;
