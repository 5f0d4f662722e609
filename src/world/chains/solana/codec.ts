import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { type Atoms, atoms, parseAtoms } from '../../../kernel/amount.ts';
import { assert, present } from '../../../kernel/assert.ts';
import {
  type Address,
  type AssetId,
  assetId,
  type ChainId,
  chainId,
  type IntentId,
  type TokenId,
  type TxHash,
  tokenOf,
  txHash,
} from '../../../kernel/ids.ts';
import {
  COMPUTE_BUDGET_PROGRAM,
  parseSolanaAccount,
  SYSTEM_PROGRAM,
  solanaAddressOfKey,
  TOKEN_ACCOUNT_PROGRAM,
  TOKEN_PROGRAM,
  tokenAccountOf,
} from './address-codec.ts';
import {
  type AccountUse,
  decodeEnvelope,
  decodeMessage,
  encodeEnvelope,
  encodeMessage,
  type Instruction,
  type Message,
  signersOf,
} from './message-codec.ts';

export const SOLANA_ID = chainId(1151111081099710);
export const SOL = 'SOL' as TokenId;
export const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' as Address;
export const USDT_MINT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNky11McCe8BenwNYB' as Address;
export const STABLE_DECIMALS = 6;
const MINTS: ReadonlySet<string> = new Set([USDC_MINT, USDT_MINT]);

export const SOL_ASSET_ID = assetId(SOLANA_ID, SOL);
export const solanaToken = (mint: Address): AssetId => assetId(SOLANA_ID, mint as string as TokenId);

/** The mint that keeps the asset, or undefined for the coin. */
export function mintOf(asset: AssetId): Address | undefined {
  if (asset === SOL_ASSET_ID) return undefined;
  const token = tokenOf(asset);
  assert(MINTS.has(token) && solanaToken(token as string as Address) === asset, `not an asset of Solana: ${asset}`);
  return token as string as Address;
}

export const isSolanaAsset = (asset: AssetId): boolean => asset === SOL_ASSET_ID || MINTS.has(tokenOf(asset));

/** One transfer, and nothing else, with its fee. */
export interface SolanaUnsigned {
  /** Pays the fee, and for the token account if one is opened. */
  readonly payer: Address;
  readonly from: Address;
  readonly asset: AssetId;
  readonly atoms: Atoms;
  /** What receives: the wallet itself, or its account of the token. */
  readonly account: Address;
  /** The wallet whose token account is opened first; undefined where it is there already, and for coins. */
  readonly opensFor: Address | undefined;
  readonly blockhash: string;
  readonly unitLimit: bigint;
  /** Millionths of a lamport per compute unit. */
  readonly unitPrice: bigint;
}

/** What the codec reads of a request to pay. */
export interface SolanaPayment {
  readonly asset: AssetId;
  readonly atoms: Atoms;
  readonly to: Address;
  /**
   * `blockhash`; in decimal digits `lastValidBlockHeight`, `unitLimit`, `unitPrice`, and `accountRent`: what the token
   * account that must be opened keeps for ever, or 0.
   */
  readonly fee: Readonly<Record<string, string>>;
}

export interface SolanaSigned {
  readonly raw: string;
  readonly txHash: TxHash;
  readonly signers: number;
}

export function solanaUnsigned(payment: SolanaPayment, from: Address, payer: Address): SolanaUnsigned {
  const { asset, atoms: value, to, fee } = payment;
  const mint = mintOf(asset);
  const { blockhash, unitLimit, unitPrice, accountRent } = solanaFee(fee);
  const opensFor = mint && accountRent > 0n ? to : undefined;
  const account = mint ? tokenAccountOf(to, mint) : to;
  return { payer, from, asset, atoms: value, account, opensFor, blockhash, unitLimit, unitPrice };
}

export interface SolanaFee {
  readonly blockhash: string;
  readonly lastValidBlockHeight: bigint;
  readonly unitLimit: bigint;
  readonly unitPrice: bigint;
  readonly accountRent: bigint;
}

export function solanaFee(fee: Readonly<Record<string, string>>): SolanaFee {
  const part = (name: string): bigint => present(parseAtoms(fee[name]), `fee.${name}`);
  return {
    blockhash: present(parseSolanaAccount(fee.blockhash ?? ''), 'fee.blockhash'),
    lastValidBlockHeight: part('lastValidBlockHeight'),
    unitLimit: part('unitLimit'),
    unitPrice: part('unitPrice'),
    accountRent: part('accountRent'),
  };
}

/** The age, in blocks, at which a blockhash is no longer taken. */
export const BLOCKHASH_LIFE = 150n;
const LAMPORTS_PER_SIGNATURE = 5_000n;
const PRICE_UNIT = 1_000_000n;

/** The most it may cost the payer, beside the value it moves. */
export function solanaCost(
  signers: number,
  { unitLimit, unitPrice, accountRent }: Omit<SolanaFee, 'blockhash'>,
): Atoms {
  const priority = (unitLimit * unitPrice + PRICE_UNIT - 1n) / PRICE_UNIT;
  return atoms(BigInt(signers) * LAMPORTS_PER_SIGNATURE + priority + accountRent);
}

/**
 * The signature may serve one intent only: equal payments on one blockhash are one and the same transaction, which pays
 * once. The other names the height after which these bytes can no longer take effect.
 */
export function solanaTokens(chain: ChainId, intent: IntentId, hash: TxHash, lastValid: bigint): readonly string[] {
  return [`${chain}:${hash}`, `${chain}:${intent}:until:${lastValid}`];
}

export function lastValidHeight(tokens: readonly string[]): bigint {
  const height = tokens.map((token) => /:until:(\d{1,20})$/.exec(token)?.[1]).find((digits) => digits !== undefined);
  return present(parseAtoms(height), 'the last block height of a signed transfer');
}

/** Each key signs for its own account; all signers of the transfer must be there. */
export function signSolana(unsigned: SolanaUnsigned, privateKeys: readonly Uint8Array[]): SolanaSigned {
  const message = messageOf(unsigned);
  const bytes = encodeMessage(message);
  const keys = new Map(privateKeys.map((key) => [solanaAddressOfKey(key), key]));
  const signatures = signersOf(message).map((signer) =>
    ed25519.sign(bytes, present(keys.get(signer), `key of ${signer}`)),
  );
  const raw = Buffer.from(encodeEnvelope({ signatures, message: bytes })).toString('hex');
  return { raw, txHash: hashOf(signatures), signers: signatures.length };
}

/** A transaction is known by its first signature, the payer's. */
const hashOf = (signatures: readonly Uint8Array[]): TxHash =>
  txHash(base58.encode(present(signatures[0], 'a first signature')));

/** Reads signed bytes back, as the last check before they are trusted; anything but one plain transfer is a bug. */
export function decodeSolana(raw: string): SolanaUnsigned & { readonly txHash: TxHash } {
  const { signatures, message: bytes } = decodeEnvelope(Uint8Array.from(Buffer.from(raw, 'hex')));
  const message = decodeMessage(bytes);
  const unsigned = unsignedOf(message);
  assert(Buffer.from(encodeMessage(messageOf(unsigned))).equals(bytes), 'not in canonical form');
  const signers = signersOf(message);
  const areGood = signers.every((signer, at) => {
    const signature = signatures[at];
    return signature !== undefined && ed25519.verify(signature, bytes, base58.decode(signer));
  });
  assert(areGood && signatures.length === signers.length, 'a signature is missing or false');
  return { ...unsigned, txHash: hashOf(signatures) };
}

const TRANSFER = 2;
const TRANSFER_CHECKED = 12;
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;
/** Succeeds where the account is there already. */
const OPEN_IF_ABSENT = 1;

function messageOf(unsigned: SolanaUnsigned): Message {
  const { payer, blockhash, unitLimit, unitPrice, opensFor } = unsigned;
  const budget = (data: readonly number[]): Instruction => ({
    program: COMPUTE_BUDGET_PROGRAM,
    accounts: [],
    data: Uint8Array.from(data),
  });
  return {
    payer,
    blockhash,
    instructions: [
      budget([SET_UNIT_LIMIT, ...littleEndian(unitLimit, 4)]),
      budget([SET_UNIT_PRICE, ...littleEndian(unitPrice, 8)]),
      ...(opensFor ? [opening(payer, opensFor, present(mintOf(unsigned.asset), 'a mint'))] : []),
      transferOf(unsigned),
    ],
  };
}

const use = (address: Address, how: 'signs' | 'writes' | 'reads' | 'signs and writes'): AccountUse => ({
  address,
  signs: how.startsWith('signs'),
  writes: how.endsWith('writes'),
});

function opening(payer: Address, wallet: Address, mint: Address): Instruction {
  return {
    program: TOKEN_ACCOUNT_PROGRAM,
    accounts: [
      use(payer, 'signs and writes'),
      use(tokenAccountOf(wallet, mint), 'writes'),
      use(wallet, 'reads'),
      use(mint, 'reads'),
      use(SYSTEM_PROGRAM, 'reads'),
      use(TOKEN_PROGRAM, 'reads'),
    ],
    data: Uint8Array.of(OPEN_IF_ABSENT),
  };
}

function transferOf({ from, asset, atoms: value, account }: SolanaUnsigned): Instruction {
  const mint = mintOf(asset);
  if (!mint) {
    const data = Uint8Array.from([...littleEndian(BigInt(TRANSFER), 4), ...littleEndian(value, 8)]);
    return { program: SYSTEM_PROGRAM, accounts: [use(from, 'signs and writes'), use(account, 'writes')], data };
  }
  const source = tokenAccountOf(from, mint);
  return {
    program: TOKEN_PROGRAM,
    accounts: [use(source, 'writes'), use(mint, 'reads'), use(account, 'writes'), use(from, 'signs')],
    data: Uint8Array.from([TRANSFER_CHECKED, ...littleEndian(value, 8), STABLE_DECIMALS]),
  };
}

/** Only reads out what the transfer says of itself; that it says nothing more is checked by writing it again. */
function unsignedOf({ payer, blockhash, instructions }: Message): SolanaUnsigned {
  const [limit, price, ...rest] = instructions;
  const [transfer, opens] = [rest.at(-1), rest.length > 1 ? rest[0] : undefined];
  assert(limit && price && transfer && rest.length <= 2, 'not one plain transfer');
  const fee = { unitLimit: intOf(limit.data.slice(1)), unitPrice: intOf(price.data.slice(1)) };
  const at = ({ accounts }: Instruction, index: number): Address =>
    present(accounts[index], `account ${index}`).address;
  const opensFor = opens && at(opens, 2);
  const shared = { payer, blockhash, opensFor, ...fee };
  if (transfer.program === SYSTEM_PROGRAM) {
    const value = atoms(intOf(transfer.data.slice(4)));
    return { ...shared, asset: SOL_ASSET_ID, from: at(transfer, 0), account: at(transfer, 1), atoms: value };
  }
  const asset = solanaToken(at(transfer, 1));
  const value = atoms(intOf(transfer.data.slice(1, 9)));
  return { ...shared, asset, from: at(transfer, 3), account: at(transfer, 2), atoms: value };
}

function littleEndian(value: bigint, bytes: number): readonly number[] {
  assert(value >= 0n && value < 1n << BigInt(8 * bytes), `${value} does not fit in ${bytes} bytes`);
  return [...Buffer.from(value.toString(16).padStart(2 * bytes, '0'), 'hex')].reverse();
}

function intOf(littleEndianBytes: Uint8Array): bigint {
  return BigInt(`0x0${Buffer.from(littleEndianBytes).reverse().toString('hex')}`);
}
