import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58 } from '@scure/base';
import { Bug } from '../../../kernel/assert.ts';
import type { Address } from '../../../kernel/ids.ts';
import { KEY_BYTES } from './message-codec.ts';

/** 32 bytes in base 58: one character each for leading zeros, at most 44 in all. */
const ACCOUNT = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Of the hash of a sentence: no key for it is known. */
export const STRANGER = 'EpsPCpMy7BYRnH5WeiwEKtgmFA1f84VH3SbaAo9KRXJN' as Address;
export const SYSTEM_PROGRAM = '11111111111111111111111111111111' as Address;
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' as Address;
export const TOKEN_ACCOUNT_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL' as Address;
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111' as Address;

/** Any account, in the one spelling that 32 bytes have; it need not be a wallet. */
export function parseSolanaAccount(text: string): Address | undefined {
  if (text.length > 44 || !ACCOUNT.test(text)) return undefined;
  return base58.decode(text).length === KEY_BYTES ? (text as Address) : undefined;
}

/** A wallet: somebody can hold the key of a point on the curve. Accounts of programs lie off it, so that nobody can. */
export function parseSolanaAddress(text: string): Address | undefined {
  const account = parseSolanaAccount(text);
  return account && isOnCurve(base58.decode(account)) ? account : undefined;
}

export function solanaAddressOfKey(privateKey: Uint8Array): Address {
  return base58.encode(ed25519.getPublicKey(privateKey)) as Address;
}

/** Solana's own rule, which takes y above the field's prime as well; a stricter one would derive other accounts. */
function isOnCurve(point: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(point, true);
    return true;
  } catch {
    return false;
  }
}

const MARKER = new TextEncoder().encode('ProgramDerivedAddress');

/** The account in which a wallet keeps one token: the first hash, from the highest bump on, that lies off the curve. */
export function tokenAccountOf(wallet: Address, mint: Address): Address {
  const seeds = [wallet, TOKEN_PROGRAM, mint].flatMap((part) => [...base58.decode(part)]);
  const program = base58.decode(TOKEN_ACCOUNT_PROGRAM);
  for (let bump = 255; bump >= 0; bump -= 1) {
    const derived = sha256(Uint8Array.from([...seeds, bump, ...program, ...MARKER]));
    if (!isOnCurve(derived)) return base58.encode(derived) as Address;
  }
  throw new Bug(`no token account of ${wallet} for ${mint}`);
}
