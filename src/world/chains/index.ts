import { bitcoin } from './bitcoin/family.ts';
import { evm } from './evm/family.ts';
import type { Family } from './family.ts';
import { monero } from './monero/family.ts';
import { solana } from './solana/family.ts';
import { tron } from './tron/family.ts';
import { zcash } from './zcash/family.ts';

/** Every family of chains, in the order in which customers are shown them. */
export const FAMILIES: readonly Family[] = [monero, evm, bitcoin, solana, tron, zcash];
