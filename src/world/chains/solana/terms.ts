import { atoms } from '../../../kernel/amount.ts';
import type { Address } from '../../../kernel/ids.ts';
import type { Refused, SignedTransfer, Terms, Transfer } from '../chain.ts';
import { readTokenAccount, TOKEN_ACCOUNT_BYTES } from './account-codec.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, tokenAccountOf } from './address-codec.ts';
import { decodeSolana, mintOf, type SolanaFee, solanaCost } from './codec.ts';
import type { NodeAccount, SolanaNode } from './node.ts';

/** Bounds on what a compute unit may cost, in millionths of a lamport. */
export interface FeePolicy {
  readonly minUnitPrice: bigint;
  readonly maxUnitPrice: bigint;
}

export const DEFAULT_FEES: FeePolicy = { minUnitPrice: 10_000n, maxUnitPrice: 5_000_000n };

/** About twice what each takes; the search for a token account's address may take a few rounds more. */
const UNITS = { coin: 1_000n, token: 20_000n, tokenWithAccount: 80_000n };

export interface Parties {
  readonly from: Address;
  /** Pays every fee, also of what leaves a deposit account. */
  readonly payer: Address;
}

/**
 * The payer's cost where it sends itself. A deposit account pays no fee: its terms ask only for what it would have to keep,
 * since the chain lets an account be emptied but not fall below its reserve.
 */
export async function transferTerms(
  node: SolanaNode,
  policy: FeePolicy,
  { from, payer }: Parties,
  transfer: Transfer,
  dead?: SignedTransfer,
): Promise<Terms | Refused> {
  const { asset, atoms: value, to } = transfer;
  const mint = mintOf(asset);
  const reserve = await node.rentMinimum(0);
  const [pays, gets] = mint ? [tokenAccountOf(from, mint), tokenAccountOf(to, mint)] : [from, to];
  const [wallet, source, payee, payeeAccount] = await node.accounts([from, pays, to, gets]);
  const refused = walletRefusal(payee) ?? (mint ? tokenRefusal(payeeAccount, to) : coinRefusal(payee, value, reserve));
  if (refused) return { refused };
  const held = mint ? tokensIn(source) : (source?.lamports ?? 0n);
  const rest = held - value;
  if (rest < 0n) throw node.fault(`${from} holds ${held} of ${asset}, not ${value}`);
  if (mint && source && readTokenAccount(source.data)?.isFrozen) throw node.fault(`${from} is frozen by ${mint}`);

  const price = await priceNow(node, policy, [payer, pays, gets], dead);
  const { fee, parts } = await feeNow(node, price, mint ? { isOpen: payeeAccount !== undefined } : undefined);
  const cost = solanaCost(from === payer ? 1 : 2, parts);
  if (from !== payer) {
    const mustKeep = !mint && rest > 0n && rest < reserve ? reserve - rest : 0n;
    return { nonce: undefined, fee, cost: atoms(mustKeep), usual: cost, opening: atoms(parts.accountRent) };
  }
  const needed = cost + reserve + (mint ? 0n : value);
  const coins = wallet?.lamports ?? 0n;
  // To ask what nothing costs, nothing is needed.
  if (value > 0n && coins < needed) throw node.fault(`${from} holds ${coins} lamports, needs ${needed}`);
  return { nonce: undefined, fee, cost, usual: cost, opening: atoms(parts.accountRent) };
}

/** `token`: whether the account of the token that receives is open already; undefined for coins. */
async function feeNow(
  node: SolanaNode,
  unitPrice: bigint,
  token: { readonly isOpen: boolean } | undefined,
): Promise<{ readonly fee: Terms['fee']; readonly parts: Omit<SolanaFee, 'blockhash'> }> {
  const accountRent = token && !token.isOpen ? await node.rentMinimum(TOKEN_ACCOUNT_BYTES) : 0n;
  const unitLimit = token ? (token.isOpen ? UNITS.token : UNITS.tokenWithAccount) : UNITS.coin;
  const { blockhash, lastValidBlockHeight } = await node.recentBlockhash();
  const parts = { lastValidBlockHeight, unitLimit, unitPrice, accountRent };
  const digits = Object.entries(parts).map(([name, value]) => [name, value.toString()] as const);
  return { fee: { blockhash, ...Object.fromEntries(digits) }, parts };
}

/** Somebody can hold the key and yet the account be a program's: what it gets, nobody could spend. */
function walletRefusal(account: NodeAccount | undefined): string | undefined {
  if (!account || (account.program === SYSTEM_PROGRAM && !account.isProgram)) return undefined;
  return `the account belongs to the program ${account.program}`;
}

function coinRefusal(payee: NodeAccount | undefined, value: bigint, reserve: bigint): string | undefined {
  if (payee || value === 0n || value >= reserve) return undefined;
  return `an account that holds nothing must get at least ${reserve} lamports`;
}

function tokenRefusal(account: NodeAccount | undefined, wallet: Address): string | undefined {
  if (!account) return undefined;
  const token = account.program === TOKEN_PROGRAM ? readTokenAccount(account.data) : undefined;
  if (token?.owner !== wallet) return 'the token account of the destination was given to somebody else';
  return token.isFrozen ? 'the token account of the destination is frozen' : undefined;
}

export const tokensIn = (account: NodeAccount | undefined): bigint =>
  account?.program === TOKEN_PROGRAM ? (readTokenAccount(account.data)?.atoms ?? 0n) : 0n;

/**
 * In three quarters of the blocks of late somebody got in for no more, who wrote to the same accounts. That is the least which did: where
 * it was not enough, the bytes died, and those in their place offer several times as much.
 */
async function priceNow(
  node: SolanaNode,
  { minUnitPrice, maxUnitPrice }: FeePolicy,
  written: readonly Address[],
  dead: SignedTransfer | undefined,
): Promise<bigint> {
  const least = dead ? decodeSolana(dead.raw).unitPrice * RAISE : minUnitPrice;
  const paid = [least, minUnitPrice, usualOf(await node.priorityFees([...new Set(written)]))];
  const asked = paid.reduce((most, one) => (one > most ? one : most));
  return asked > maxUnitPrice ? maxUnitPrice : asked;
}

/** From the least price to the highest in as many lives as the signer gives a payment by itself, and one more. */
const RAISE = 5n;

function usualOf(fees: readonly bigint[]): bigint {
  const sorted = [...fees].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor((sorted.length * 3) / 4)] ?? 0n;
}
