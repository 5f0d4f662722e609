import { base58 } from '@scure/base';
import type { Address } from '../../../kernel/ids.ts';

/** The bytes of a token account: mint, owner, atoms, delegate, state and what we need not read. */
export const TOKEN_ACCOUNT_BYTES = 165;
/** What it keeps for ever: two years of 3,480 lamports for each byte and for 128 more (`solana rent 165`), for whoever asks no node. */
export const TOKEN_ACCOUNT_RENT = (BigInt(TOKEN_ACCOUNT_BYTES) + 128n) * 6_960n;
const OWNER_AT = 32;
const ATOMS_AT = 64;
const STATE_AT = 108;
const FROZEN = 2;

export interface TokenAccount {
  readonly mint: Address;
  readonly owner: Address;
  readonly atoms: bigint;
  readonly isFrozen: boolean;
}

/** undefined where it is no token account, or not opened. */
export function readTokenAccount(data: Uint8Array): TokenAccount | undefined {
  if (data.length !== TOKEN_ACCOUNT_BYTES || !data[STATE_AT]) return undefined;
  return {
    mint: base58.encode(data.slice(0, OWNER_AT)) as Address,
    owner: base58.encode(data.slice(OWNER_AT, ATOMS_AT)) as Address,
    atoms: Buffer.from(data).readBigUInt64LE(ATOMS_AT),
    isFrozen: data[STATE_AT] === FROZEN,
  };
}
