import { parseSiweMessage } from 'viem/siwe';
import { getAddress, isAddress, recoverMessageAddress } from 'viem/utils';
import type { Instant } from '../kernel/clock.ts';
import type { Random } from './api-key.ts';

/** Sign-In with Ethereum: https://eips.ethereum.org/EIPS/eip-4361 */

export type SignInTrouble = 'bad_signature' | 'wrong_domain' | 'wrong_nonce' | 'expired' | 'malformed';

/** PORT. Whether a contract account accepts a signature of this message: https://eips.ethereum.org/EIPS/eip-1271 */
export type ContractSignatures = (address: string, message: string, signature: string) => Promise<boolean>;

export interface Place {
  /** Host and port that people see, and the origin they are at. */
  readonly domain: string;
  readonly origin: string;
}

export const placeOf = (publicUrl: string): Place => {
  const { host, origin } = new URL(publicUrl);
  return { domain: host, origin };
};

/** A nonce is asked for and signed within minutes, or asked for again. */
export const NONCE_MS = 5 * 60_000;
const NONCE_BYTES = 16;

/** Letters and digits only, as the message wants it. */
export const newNonce = (random: Random): string => Buffer.from(random(NONCE_BYTES)).toString('hex');

/** The whole of a message, line by line: the parser reads the parts, and what is between them must be nothing. */
const LINES = [
  '(?:[a-zA-Z][a-zA-Z0-9+.-]*://)?[^\\s/]+ wants you to sign in with your Ethereum account:',
  '0x[0-9a-fA-F]{40}\n(?:\n[^\n]+\n|\n|)',
  'URI: \\S+',
  'Version: 1',
  'Chain ID: \\d{1,15}',
  'Nonce: [a-zA-Z0-9]{8,128}',
  'Issued At: \\S+(?:\nExpiration Time: \\S+)?(?:\nNot Before: \\S+)?(?:\nRequest ID: \\S*)?(?:\nResources:(?:\n- \\S+)*)?',
];
const MESSAGE = new RegExp(`^${LINES.join('\n')}$`);

/** Members are known by their address in its one spelling with a checksum (EIP-55); undefined for what is none. */
export const memberAddress = (text: string): string | undefined => (isAddress(text) ? getAddress(text) : undefined);

export interface SignInRequest {
  readonly address: string;
  readonly nonce: string;
}

/** Who signs in and with which nonce, which is still to be spent; or what is wrong. */
export async function checkSignIn(
  message: string,
  signature: string,
  place: Place,
  now: Instant,
  contracts: ContractSignatures | undefined,
): Promise<SignInRequest | SignInTrouble> {
  if (!MESSAGE.test(message)) return 'malformed';
  const { address, domain, uri, nonce, issuedAt, expirationTime, notBefore } = parseSiweMessage(message);
  if (!address || !isAddress(address) || domain === undefined || uri === undefined || nonce === undefined)
    return 'malformed';
  const times = [issuedAt, expirationTime, notBefore].map((time) => time?.getTime());
  if (issuedAt === undefined || times.some(Number.isNaN)) return 'malformed';
  if (domain !== place.domain || !isHere(uri, place)) return 'wrong_domain';
  const [, expires, begins] = times;
  if ((expires !== undefined && expires <= now) || (begins !== undefined && begins > now)) return 'expired';
  const isSigned =
    (await isSignedByAccount(address, message, signature)) ||
    (contracts !== undefined && isBytes(signature) && (await contracts(address, message, signature)));
  return isSigned ? { address: getAddress(address), nonce } : 'bad_signature';
}

const isHere = (uri: string, { origin }: Place): boolean => URL.canParse(uri) && new URL(uri).origin === origin;

/** Contracts choose their own form; nobody needs more than this. */
const isBytes = (text: string): text is `0x${string}` => /^0x(?:[0-9a-f]{2}){1,4096}$/i.test(text);

const SIGNATURE = /^0x([0-9a-f]{64})([0-9a-f]{64})(00|01|1b|1c)$/i;
/** Half of secp256k1's order: of the two signatures that each message has, only the one with the smaller `s` counts. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

async function isSignedByAccount(address: string, message: string, signature: string): Promise<boolean> {
  const [, r = '', s = '', v = ''] = SIGNATURE.exec(signature) ?? [];
  if (s === '' || BigInt(`0x${s}`) > HALF_ORDER) return false;
  const parity = { '00': '1b', '01': '1c' }[v] ?? v;
  try {
    const signer = await recoverMessageAddress({ message, signature: `0x${r}${s}${parity}` });
    return signer.toLowerCase() === address.toLowerCase();
  } catch {
    // No key can have made it.
    return false;
  }
}
