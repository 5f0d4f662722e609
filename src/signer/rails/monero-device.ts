import { type Atoms, atoms } from '../../kernel/amount.ts';
import { assert, present } from '../../kernel/assert.ts';
import { Fault } from '../../kernel/fault.ts';
import { type Address, type IntentId, txHash } from '../../kernel/ids.ts';
import type { Secret } from '../../kernel/secret.ts';
import type { SignedTransfer } from '../../world/chains/chain.ts';
import { decodeAddress, type MoneroKeys, subaddress } from '../../world/chains/monero/codec.ts';
import { type OwnedOutput, paidOutputs, receivedOutputs } from '../../world/chains/monero/output-codec.ts';
import { AT_MONERO, big, type Reply, records, text } from '../../world/chains/monero/reply.ts';
import { depositMinor, MONERO_ID } from '../../world/chains/monero/rules.ts';
import { type MoneroTx, parseTransactionHex, transactionId } from '../../world/chains/monero/tx-codec.ts';
import {
  hasRead,
  knowSubaddresses,
  letRead,
  openWallet,
  type WalletCall,
} from '../../world/chains/monero/wallet-rpc.ts';
import type { Outbound } from '../../world/outbound/http.ts';
import type { Login } from '../../world/outbound/login.ts';
import type { TransferRequest } from '../request.ts';

export interface MoneroDeviceConfig {
  /** A monero-wallet-rpc for this wallet alone: it holds the spend key. */
  readonly walletUrl: string;
  /** It must ask for this one before each call: whoever is answered without could spend. */
  readonly walletLogin: Secret<Login>;
  readonly walletName: string;
  readonly walletPassword: Secret;
  readonly keys: Pick<MoneroKeys, 'address' | 'spendKey' | 'viewKey' | 'publicSpend'>;
  readonly restoreHeight: number;
  /** Whether bytes that spend this were handed out. Without it, whatever is set aside stays so. */
  readonly isPromised?: (token: string) => boolean;
}

/** The only thing with the Monero spend key. It builds and never sends; what it built is proven before it is handed out. */
export interface MoneroDevice {
  /**
   * Its inputs are set aside, so that no other payment built here uses them before it is mined.
   * Throws a transient `Fault` while outputs are locked or short: nothing was signed.
   */
  sign(request: TransferRequest): Promise<SignedTransfer>;
  /**
   * Change is locked for ten blocks, so payments at the same time need outputs of their own. Splits the largest output
   * into equal parts of at least `atomsEach`, or gives undefined while `count` such outputs exist or none can be split.
   */
  ensureOutputs(intent: IntentId, count: number, atomsEach: Atoms): Promise<SignedTransfer | undefined>;
  /** Lets go of inputs that were set aside for bytes which were never handed out. */
  release(tokens: readonly string[]): Promise<void>;
  /** Without what unmined payments set aside: their change counts again when they are mined. */
  balance(): Promise<{ readonly spendable: Atoms; readonly locked: Atoms }>;
  /** Deposit addresses first … first+count-1. The wallet must recognise them before money comes to them, and does. */
  depositAddresses(first: number, count: number): Promise<readonly Address[]>;
  close(): Promise<void>;
}

/** The protocol allows sixteen outputs in one transaction. */
const OUTPUTS_MOST = 16;
const DO_NOT_SEND = { do_not_relay: true, get_tx_hex: true, get_tx_key: true };
/** One namespace for the exclusive things of all chains. */
const tokenOf = (keyImage: string): string => `${MONERO_ID}:${keyImage}`;

export async function openMoneroDevice(config: MoneroDeviceConfig, outbound: Outbound): Promise<MoneroDevice> {
  const { keys, walletUrl, walletLogin, walletName, walletPassword, restoreHeight } = config;
  const { address, viewKey, spendKey } = keys;
  let given: number | undefined;
  const opened = await openWallet(
    {
      ...{ walletUrl, walletLogin, walletName, walletPassword, address, viewKey, spendKey, restoreHeight },
      given: async () => given,
    },
    outbound,
  );
  const wallet: WalletCall = async (method, params) => {
    if (method === 'refresh' && given === undefined && !(await hasRead(opened, config)))
      throw new Fault('transient', AT_MONERO, 'the wallet is new and does not know yet which addresses were given out');
    return opened(method, params);
  };
  const device: Device = { wallet, keys, values: new Map() };
  if (config.isPromised) await giveBack(device, config.isPromised);
  const inTurn = lane();
  return {
    sign: (request) => inTurn(() => signTransfer(device, request)),
    ensureOutputs: (intent, count, atomsEach) => inTurn(() => ensureOutputs(device, intent, count, atomsEach)),
    release: (tokens) => inTurn(() => release(device, tokens)),
    async balance() {
      await wallet('refresh');
      const told = await wallet('get_balance', { account_index: 0 });
      const [all, unlocked] = [big(told, 'balance'), big(told, 'unlocked_balance')];
      return { spendable: atoms(unlocked), locked: atoms(all - unlocked) };
    },
    async depositAddresses(first, count) {
      await knowSubaddresses(wallet, depositMinor(first + count));
      if (given === undefined) await letRead(wallet);
      given = Math.max(given ?? 0, depositMinor(first + count));
      return knownSubaddresses(device, depositMinor(first), count);
    },
    async close() {
      await wallet('store');
    },
  };
}

/** They are derived here, and the wallet must say the same of them: whoever pays one pays what the wallet can spend. */
async function knownSubaddresses({ wallet, keys }: Device, first: number, count: number): Promise<readonly Address[]> {
  const minors = Array.from({ length: count }, (_, offset) => first + offset);
  const known = records(await wallet('get_address', { account_index: 0, address_index: minors }), 'addresses');
  return minors.map((minor, at) => {
    const derived = subaddress(keys, 0, minor);
    if (known[at]?.address === derived) return derived;
    throw new Fault('permanent', AT_MONERO, `the wallet's subaddress ${minor} is not ours`);
  });
}

/** A device whose wallet still opens: every call waits until it is there. */
export function whenMoneroOpen(opening: Promise<MoneroDevice>): MoneroDevice {
  return {
    sign: async (request) => (await opening).sign(request),
    ensureOutputs: async (...wanted) => (await opening).ensureOutputs(...wanted),
    release: async (tokens) => (await opening).release(tokens),
    balance: async () => (await opening).balance(),
    depositAddresses: async (first, count) => (await opening).depositAddresses(first, count),
    close: async () => (await opening).close(),
  };
}

/**
 * Between building and setting aside, a second build would pick the same inputs, and one that is let go of meanwhile may be among
 * them: one at a time, whatever became of the last.
 */
function lane(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const run = last.then(work, work);
    last = run;
    return run;
  };
}

interface Device {
  readonly wallet: WalletCall;
  readonly keys: MoneroDeviceConfig['keys'];
  /** What outputs are worth, by their key images: it never changes. */
  values: ReadonlyMap<string, bigint>;
}

async function signTransfer(device: Device, request: TransferRequest): Promise<SignedTransfer> {
  const { wallet } = device;
  assert(request.chainId === MONERO_ID && request.from === 'hot', 'not a payment of this wallet');
  const { priority = '1' } = request.fee;
  const built = await refreshingIfRefused(wallet, 'transfer', {
    destinations: [{ address: request.to, amount: request.atoms.toString() }],
    priority: Number(priority),
    ...DO_NOT_SEND,
  });
  const tx = parseBuilt(built);
  const most = BigInt(request.fee.most ?? '0');
  if (most > 0n && tx.fee > most)
    throw new Fault('transient', AT_MONERO, `the fee ${tx.fee} is over the terms' ${most}: new terms are needed`);
  await mustPay(device, tx, text(built, 'tx_key'), request.to, request.atoms);
  return setAside(device, request.intent, built, tx);
}

/**
 * What the wallet has not seen yet it does not spend, so it need not catch up for every payment: only where it lacks outputs. It looks by
 * itself now and then, and whenever it is asked for its balance.
 */
async function refreshingIfRefused(wallet: WalletCall, ...call: Parameters<WalletCall>): Promise<Reply> {
  try {
    return await wallet(...call);
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'transient') throw error;
    await wallet('refresh');
    return wallet(...call);
  }
}

/** The bytes, read by our own code, must be the transaction that the wallet names. */
function parseBuilt(built: Reply): MoneroTx {
  const tx = parseTransactionHex(text(built, 'tx_blob'));
  if (tx.coinbase || transactionId(tx) !== text(built, 'tx_hash')) throw refuse('its bytes are not its hash');
  return tx;
}

/** The payee gets exactly what was asked, and all else but the fee comes back to us. */
async function mustPay(device: Device, tx: MoneroTx, txKey: string, to: Address, amount: Atoms): Promise<void> {
  const payee = present(decodeAddress(to), 'a checked address');
  const paid = paidOutputs(tx, txKey, payee);
  const own = ownOutputs(device, tx).filter(({ index }) => !paid.some((output) => output.index === index));
  if (sum(paid) !== amount) throw refuse(`it pays ${sum(paid)} of ${amount}`);
  const inputs = await worth(device, tx.keyImages);
  if (inputs !== amount + tx.fee + sum(own)) throw refuse(`it spends ${inputs} and returns ${sum(own)}`);
}

const sum = (outputs: readonly OwnedOutput<unknown>[]): bigint =>
  outputs.reduce((total, output) => total + output.atoms, 0n);

const ownOutputs = ({ keys }: Device, tx: MoneroTx): OwnedOutput<true>[] =>
  receivedOutputs(tx, keys.viewKey, new Map([[keys.publicSpend, true as const]]));

interface Coin {
  readonly keyImage: string;
  readonly atoms: bigint;
  /** Set aside for a payment that is not mined yet. */
  readonly frozen: boolean;
  readonly unlocked: boolean;
}

async function coins({ wallet }: Device): Promise<readonly Coin[]> {
  const told = await wallet('incoming_transfers', { transfer_type: 'available', account_index: 0 });
  return records(told, 'transfers').map((coin) => ({
    keyImage: text(coin, 'key_image'),
    atoms: big(coin, 'amount'),
    frozen: coin.frozen === true,
    unlocked: coin.unlocked === true,
  }));
}

async function worth(device: Device, keyImages: readonly string[]): Promise<bigint> {
  if (!keyImages.every((image) => device.values.has(image)))
    device.values = new Map((await coins(device)).map((coin) => [coin.keyImage, coin.atoms]));
  return keyImages.reduce((total, image) => total + (device.values.get(image) ?? 0n), 0n);
}

/**
 * The wallet forgets what it built and did not send, and would pick the same inputs again. Frozen and stored, they are out
 * of its reach, also after a crash; a crash before this line loses bytes that nobody has.
 */
async function setAside({ wallet }: Device, intent: IntentId, built: Reply, tx: MoneroTx): Promise<SignedTransfer> {
  for (const image of tx.keyImages) await wallet('freeze', { key_image: image });
  await wallet('store');
  return {
    intent,
    chainId: MONERO_ID,
    txHash: txHash(text(built, 'tx_hash')),
    raw: text(built, 'tx_blob'),
    consumes: tx.keyImages.map(tokenOf),
    cost: atoms(tx.fee),
  };
}

async function release({ wallet }: Device, tokens: readonly string[]): Promise<void> {
  if (tokens.length === 0) return;
  for (const token of tokens) await wallet('thaw', { key_image: token.slice(tokenOf('').length) });
  await wallet('store');
}

/** A crash between setting aside and writing down leaves inputs frozen for bytes that nobody has, nor ever will. */
async function giveBack(device: Device, isPromised: (token: string) => boolean): Promise<void> {
  const forgotten = (await coins(device)).filter(({ frozen, keyImage }) => frozen && !isPromised(tokenOf(keyImage)));
  for (const { keyImage } of forgotten) await device.wallet('thaw', { key_image: keyImage });
  if (forgotten.length > 0) await device.wallet('store');
}

async function ensureOutputs(
  device: Device,
  intent: IntentId,
  count: number,
  atomsEach: Atoms,
): Promise<SignedTransfer | undefined> {
  const { wallet, keys } = device;
  await wallet('refresh');
  const free = (await coins(device)).filter(({ frozen }) => !frozen);
  const missing = count - free.filter((coin) => coin.atoms >= atomsEach).length;
  const largest = free.filter(({ unlocked }) => unlocked).reduce<Coin | undefined>(larger, undefined);
  if (missing <= 0 || !largest) return undefined;
  // One part is left out of the reckoning: it pays the fee.
  const fitting = largest.atoms / atomsEach - 1n;
  const wanted = Math.min(OUTPUTS_MOST, missing + 1);
  const parts = fitting < BigInt(wanted) ? Number(fitting) : wanted;
  if (parts < 2) return undefined;
  const split = { key_image: largest.keyImage, address: keys.address, outputs: parts, priority: 1 };
  const built = await wallet('sweep_single', { ...split, ...DO_NOT_SEND });
  const tx = parseBuilt(built);
  const own = ownOutputs(device, tx);
  if (own.length !== parts || sum(own) + tx.fee !== largest.atoms) throw refuse('it does not return what it splits');
  return setAside(device, intent, built, tx);
}

const larger = (best: Coin | undefined, coin: Coin): Coin => (best && best.atoms >= coin.atoms ? best : coin);

/** What the wallet built is thrown away: nothing was set aside and nothing leaves. */
const refuse = (why: string): Fault => new Fault('permanent', AT_MONERO, `the wallet built another payment: ${why}`);
