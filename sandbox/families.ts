import { bitcoin } from './families/bitcoin.ts';
import { evm } from './families/evm.ts';
import { monero } from './families/monero.ts';
import { solana } from './families/solana.ts';
import { tron } from './families/tron.ts';
import { zcash } from './families/zcash.ts';
import type { BoxFamily } from './family.ts';

/** Every family of chains that the sandbox plays, in the order in which it lists them. */
export const BOX_FAMILIES: readonly BoxFamily[] = [evm, bitcoin, solana, tron, zcash, monero];
