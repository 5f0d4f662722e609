import type { RailFamily, RailVenue } from '../family.ts';
import { bitcoin } from './bitcoin.ts';
import { evm } from './evm.ts';
import { hyperliquid } from './hyperliquid.ts';
import { monero } from './monero.ts';
import { solana } from './solana.ts';
import { tron } from './tron.ts';
import { zcash } from './zcash.ts';

/** The signer's half of every family of chains. */
export const RAIL_FAMILIES: readonly RailFamily[] = [evm, monero, bitcoin, solana, tron, zcash];

/** The venue, and how it is paid as a chain. */
export const RAIL_VENUE: RailVenue = hyperliquid;
