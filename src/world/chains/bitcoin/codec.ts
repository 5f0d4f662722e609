import { type Account, accountText } from '../../../kernel/account.ts';
import { type Atoms, atoms, parseAtoms } from '../../../kernel/amount.ts';
import { assert, present } from '../../../kernel/assert.ts';
import { type Address, type TxHash, txHash } from '../../../kernel/ids.ts';
import { larger } from '../../../kernel/ratio.ts';
import { addressOfPublicKey, addressOfScript, dustLimit, scriptOfAddress } from './address-codec.ts';
import type { BitcoinNetwork } from './networks.ts';
import {
  encodeTransaction,
  type OutPoint,
  outPointText,
  parseTransaction,
  signerOf,
  type TxOutput,
  type UnsignedTx,
  virtualBytes,
  witnessOf,
} from './tx-codec.ts';

/** An output that is ours, and the account whose key spends it. */
export interface Coin extends OutPoint {
  readonly atoms: bigint;
  readonly account: Account;
}

/** What a payment spends and what it costs; what is left returns to the hot account. */
export interface Spending {
  readonly coins: readonly Coin[];
  readonly fee: bigint;
}

/** What the codec reads of a request to pay. */
export interface BitcoinPayment {
  readonly to: Address;
  readonly atoms: Atoms;
  /** `fee` in atoms, and `in0`, `in1` … as `txid:vout:atoms:account`. */
  readonly fee: Readonly<Record<string, string>>;
}

/** The one account that pays, on its network. */
export interface Payer {
  readonly network: BitcoinNetwork;
  readonly hot: Address;
  addressOf(account: Account): Address;
}

/** The signer takes 64 fields at most. A desk that buys in small pieces must be able to pay out of many of them. */
export const MAX_COINS = 60;
const COIN = /^([0-9a-f]{64}):(\d{1,9}):([1-9]\d{0,15}):(hot|\d{1,10})$/;
/** Signals that a payment with a higher fee may take its place (BIP-125). */
export const REPLACEABLE = 0xffff_fffd;
const VERSION = 2;
/** No network of this kind lets more exist. */
const MAX_ATOMS = 84_000_000n * 10n ** 8n;

export const coinToken = ({ coin }: BitcoinNetwork, point: OutPoint): string =>
  `${coin.asset.chainId}:${outPointText(point)}`;

const coinText = (coin: Coin): string => `${outPointText(coin)}:${coin.atoms}:${accountText(coin.account)}`;

export function spendingFields({ coins, fee }: Spending): Readonly<Record<string, string>> {
  const inputs = coins.map((coin, at) => [`in${at}`, coinText(coin)] as const);
  return { fee: fee.toString(), ...Object.fromEntries(inputs) };
}

/** undefined where the fields are not exactly such a list. */
export function parseSpending(fields: Readonly<Record<string, string>>): Spending | undefined {
  const { fee: feeText, ...inputs } = fields;
  const count = Object.keys(inputs).length;
  const fee = parseAtoms(feeText);
  const coins = Array.from({ length: count }, (_, at) => parseCoin(inputs[`in${at}`] ?? '')).filter((coin) => !!coin);
  if (fee === undefined || count === 0 || count > MAX_COINS || coins.length !== count) return undefined;
  return new Set(coins.map(outPointText)).size === count ? { coins, fee } : undefined;
}

function parseCoin(text: string): Coin | undefined {
  const [, txid, vout, value, account] = COIN.exec(text) ?? [];
  if (!txid || !vout || !value || !account) return undefined;
  return {
    txid,
    vout: Number(vout),
    atoms: BigInt(value),
    account: account === 'hot' ? account : { deposit: Number(account) },
  };
}

/** Why it cannot be built, or undefined. Change too small to be passed on must already be part of the fee. */
export function objectionTo({ network, hot }: Payer, { to, atoms: value, fee }: BitcoinPayment): string | undefined {
  const spending = parseSpending(fee);
  if (!spending) return `needs a fee and 1 to ${MAX_COINS} inputs`;
  if (value > MAX_ATOMS) return `${value} atoms`;
  if (value < dustLimit(network, scriptOfAddress(network, to))) return `${value} atoms are dust`;
  const change = changeOf(spending, value);
  if (change < 0n) return `the inputs are ${-change} atoms short`;
  return change > 0n && change < dustLimit(network, scriptOfAddress(network, hot)) ? 'change that is dust' : undefined;
}

export const totalOf = (parts: readonly { readonly atoms: bigint }[]): bigint =>
  parts.reduce((sum, part) => sum + part.atoms, 0n);

const changeOf = ({ coins, fee }: Spending, value: bigint): bigint => totalOf(coins) - value - fee;

function unsignedOf(payer: Payer, payment: BitcoinPayment, spending: Spending): UnsignedTx {
  const { network, hot } = payer;
  const change = changeOf(spending, payment.atoms);
  const pays = (address: Address, value: bigint): TxOutput => ({
    atoms: value,
    script: scriptOfAddress(network, address),
  });
  const inputs = spending.coins.map(({ txid, vout }) => ({
    ...{ txid, vout, script: '', sequence: REPLACEABLE },
    witness: [],
  }));
  const outputs = [pays(payment.to, payment.atoms), ...(change > 0n ? [pays(hot, change)] : [])];
  return { version: VERSION, inputs, outputs, lockTime: 0 };
}

const prevoutOf = ({ network, addressOf }: Payer, { atoms: value, account }: Coin): TxOutput => ({
  atoms: value,
  script: scriptOfAddress(network, addressOf(account)),
});

export interface BitcoinSigned {
  readonly raw: string;
  readonly txHash: TxHash;
  readonly consumes: readonly string[];
  readonly cost: Atoms;
}

export function signBitcoin(
  payer: Payer,
  payment: BitcoinPayment,
  keyOf: (account: Account) => Uint8Array,
): BitcoinSigned {
  const objection = objectionTo(payer, payment);
  assert(objection === undefined, `cannot be built: ${objection}`);
  const spending = present(parseSpending(payment.fee), 'inputs');
  const unsigned = unsignedOf(payer, payment, spending);
  const inputs = unsigned.inputs.map((input, at) => {
    const coin = present(spending.coins[at], `input ${at}`);
    return { ...input, witness: witnessOf(unsigned, at, prevoutOf(payer, coin), keyOf(coin.account)) };
  });
  const raw = encodeTransaction({ ...unsigned, inputs });
  return {
    raw,
    txHash: txHash(parseTransaction(raw).txid),
    consumes: spending.coins.map((coin) => coinToken(payer.network, coin)),
    cost: atoms(spending.fee),
  };
}

/** What signed bytes do, read back from them; anything but one payment by ourselves is a bug. */
export function decodeBitcoin(
  payer: Payer,
  { fee }: BitcoinPayment,
  raw: string,
): BitcoinSigned & { readonly to: Address; readonly atoms: Atoms } {
  const tx = parseTransaction(raw);
  const { coins } = present(parseSpending(fee), 'inputs');
  const [paid, change, ...more] = tx.outputs;
  assert(paid && more.length === 0, 'not one payment');
  assert(!change || addressOfScript(payer.network, change.script) === payer.hot, 'change that is not ours');
  assert(tx.inputs.length === coins.length, 'other inputs');
  for (const [at, coin] of coins.entries()) {
    assert(outPointText(present(tx.inputs[at], 'input')) === outPointText(coin), `another input ${at}`);
    const key = present(signerOf(tx, at, prevoutOf(payer, coin)), `signature of input ${at}`);
    assert(addressOfPublicKey(payer.network, key) === payer.addressOf(coin.account), `another key at input ${at}`);
  }
  assert(
    tx.inputs.every(({ sequence }) => sequence === REPLACEABLE),
    'an input that cannot be outbid',
  );
  return {
    raw,
    txHash: txHash(tx.txid),
    consumes: tx.inputs.map((input) => coinToken(payer.network, input)),
    cost: atoms(totalOf(coins) - totalOf(tx.outputs)),
    to: present(addressOfScript(payer.network, paid.script), 'payee'),
    atoms: atoms(paid.atoms),
  };
}

export const feeAt = (rate: bigint, size: bigint): bigint => (rate * size + 999n) / 1_000n;

/**
 * Whether `next` takes the place of `held`: it spends the same and perhaps more, so that both can never be mined, and pays
 * what nodes ask for that. The same outputs must come with the same amounts: signatures for two different claims could
 * be put together into a payment whose fee nobody agreed to.
 */
export function outbids(network: BitcoinNetwork, next: Spending, held: Spending): boolean {
  const claims = next.coins.map(coinText);
  if (!held.coins.every((coin, at) => claims[at] === coinText(coin))) return false;
  return next.fee >= leastToOutbid(network, held, next.coins.length, held.fee);
}

/**
 * The least fee at which nodes take a payment with so many inputs in place of `held`: it pays for all that it drives out of
 * the pool, for being passed on again (BIP-125, rules 3 and 4), and more for each byte than `held` did. How wide the
 * outputs are is not known here, so that the sizes are those which ask for most.
 */
export function leastToOutbid(
  { relayRate }: BitcoinNetwork,
  held: Spending,
  inputs: number,
  drivenOut: bigint,
): bigint {
  const size = virtualBytes(inputs, WIDEST);
  const passedOn = drivenOut + feeAt(relayRate, size);
  if (inputs === held.coins.length) return passedOn;
  const sameRate = (held.fee * size) / virtualBytes(held.coins.length, NARROWEST) + 1n;
  return larger(passedOn, sameRate);
}

/** The longest locking scripts that we pay to, and the shortest, without change. */
const WIDEST = [`5120${'00'.repeat(32)}`, `0014${'00'.repeat(20)}`];
const NARROWEST = [`0014${'00'.repeat(20)}`];
