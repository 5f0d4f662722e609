import type { VenueFamily } from './family.ts';
import { hyperliquid } from './hyperliquid/family.ts';

/** One venue is open at a time. */
export const VENUE: VenueFamily = hyperliquid;
