import { type Atoms, atoms, formatUnits } from '../../kernel/amount.ts';
import { assert, present } from '../../kernel/assert.ts';
import { Fault } from '../../kernel/fault.ts';
import { type Address, type TxHash, txHash } from '../../kernel/ids.ts';
import type { Secret } from '../../kernel/secret.ts';
import type { SignedTransfer } from '../../world/chains/chain.ts';
import {
  decodeAddress,
  expiryHeight,
  parseZcashAddress,
  receiverNames,
  ZEC_DECIMALS,
} from '../../world/chains/zcash/codec.ts';
import {
  AT_ZCASH,
  hash,
  outputKey,
  pool,
  type Reply,
  record,
  records,
  text,
  walletFault,
  whole,
  zatoshis,
} from '../../world/chains/zcash/reply-codec.ts';
import { DEPOSIT_RECEIVERS, depositIndex, ZCASH_ID } from '../../world/chains/zcash/rules.ts';
import type { Outbound } from '../../world/outbound/http.ts';
import { jsonRpc } from '../../world/outbound/json-rpc.ts';
import { basicAuth, type Login } from '../../world/outbound/login.ts';
import type { TransferRequest } from '../request.ts';
import { mustAskForLogin } from '../spend-wallet.ts';

export interface ZcashDeviceConfig {
  /** A Zallet for this account alone: it holds the seed, and `external.broadcast` is false. */
  readonly walletUrl: string;
  readonly walletLogin: Secret<Login>;
  readonly accountUuid: string;
}

/** The only thing that can spend ZEC. It builds and never sends; what it built is proven before it is handed out. */
export interface ZcashDevice {
  /** The account's own address. */
  readonly address: Address;
  /**
   * The wallet keeps the inputs for this payment until it is mined or expires.
   * Throws a transient `Fault` while funds are short or not deep enough: nothing was signed.
   */
  sign(request: TransferRequest): Promise<SignedTransfer>;
  /** The wallet watches them from now on. */
  depositAddresses(first: number, count: number): Promise<readonly Address[]>;
}

/** Proving takes seconds, and tens of them for the first payment after a start. */
const WALLET_DEADLINE_MS = 60_000;

type Ask = (method: string, params: readonly unknown[]) => Promise<Reply>;

interface Device {
  readonly ask: Ask;
  readonly accountUuid: string;
}

export async function openZcashDevice(config: ZcashDeviceConfig, outbound: Outbound): Promise<ZcashDevice> {
  const { walletUrl, walletLogin, accountUuid } = config;
  await mustAskForLogin(AT_ZCASH, walletUrl, outbound);
  const rpc = jsonRpc({ at: AT_ZCASH, url: walletUrl, headers: basicAuth(walletLogin.reveal()) }, (call) =>
    outbound({ ...call, deadlineMs: WALLET_DEADLINE_MS }),
  );
  const ask: Ask = async (method, params) => {
    try {
      return record(await rpc(method, params));
    } catch (error) {
      throw walletFault(error);
    }
  };
  const device: Device = { ask, accountUuid };
  const address = await addressAt(device, 0);
  let last: Promise<unknown> = Promise.resolve();
  return {
    address,
    sign(request) {
      // Until it is extracted, a second payment would be built from the same notes: one at a time.
      const build = () => signTransfer(device, request);
      const run = last.then(build, build);
      last = run;
      return run;
    },
    async depositAddresses(first, count) {
      const addresses: Address[] = [];
      for (let index = first; index < first + count; index += 1) {
        addresses.push(await addressAt(device, depositIndex(index)));
      }
      return addresses;
    },
  };
}

/** A device whose wallet still opens. Only the wallet knows the account's own address: whoever needs it must ask again. */
export function whenZcashOpen(opening: Promise<ZcashDevice>): ZcashDevice {
  let opened: ZcashDevice | undefined;
  opening.then(
    (device) => {
      opened = device;
    },
    // Told to whoever waits for it.
    () => {},
  );
  return {
    get address() {
      if (opened) return opened.address;
      throw new Fault('transient', AT_ZCASH, 'the wallet is opening');
    },
    sign: async (request) => (await opening).sign(request),
    depositAddresses: async (first, count) => (await opening).depositAddresses(first, count),
  };
}

async function addressAt({ ask, accountUuid }: Device, index: number): Promise<Address> {
  const told = await ask('z_getaddressforaccount', [accountUuid, DEPOSIT_RECEIVERS, index]);
  const address = parseZcashAddress(text(told, 'address'));
  if (address && told.diversifier_index === index) return address;
  throw new Fault('permanent', AT_ZCASH, `the wallet has no address at ${index}`);
}

/**
 * Nothing of this leaves the wallet. A crash on the way, even after the wallet has recorded the transaction, loses bytes that
 * nobody has: their inputs come back when they expire, and the next build takes others.
 */
async function signTransfer(device: Device, request: TransferRequest): Promise<SignedTransfer> {
  const { ask, accountUuid } = device;
  assert(request.chainId === ZCASH_ID && request.from === 'hot', 'not a payment of this account');
  if (request.afterDead) await mustBeOver(device, request.afterDead);
  const payment = { address: request.to, amount: formatUnits(request.atoms, ZEC_DECIMALS) };
  const policy = privacyOf(request);
  const source = isFromTransparent(request) ? 'any_transparent' : null;
  const created = await ask('pczt_create', [accountUuid, [payment], null, policy, source]);
  const signed = await ask('pczt_sign', [text(created, 'pczt'), policy, true]);
  const proven = await ask('pczt_prove', [text(signed, 'pczt')]);
  const { stored, ...built } = await ask('pczt_extract', [text(proven, 'pczt')]);
  const id = hash(built, 'txid');
  const raw = text(built, 'hex');
  if (stored !== true) throw refuse('it did not set the inputs aside');
  const seen = await ask('z_viewtransaction', [id]);
  if (hash(seen, 'txid') !== id || expiryHeight(raw) !== whole(seen, 'expiryheight'))
    throw refuse('bytes that expire otherwise');
  const cost = mustPay(device, seen, request);
  const consumes = records(seen.spends).map((spend) => `${ZCASH_ID}:${spentKey(spend)}`);
  return { intent: request.intent, chainId: ZCASH_ID, txHash: txHash(id), raw, consumes, cost };
}

/** By the wallet's own reading of the chain, no block that is still to come can hold them. */
async function mustBeOver({ ask }: Device, dead: TxHash): Promise<void> {
  const expiry = whole(await ask('z_viewtransaction', [dead]), 'expiryheight');
  const { wallet_tip: tip } = await ask('getwalletstatus', []);
  const height = tip ? whole(record(tip), 'height') : 0;
  if (height <= expiry)
    throw new Fault('transient', AT_ZCASH, `${dead} is good until ${expiry}, the wallet at ${height}`);
}

const isFromTransparent = ({ fee }: TransferRequest): boolean => fee.source === 'transparent';

/** No more is revealed than the two ends of the payment reveal by themselves. */
function privacyOf(request: TransferRequest): string {
  const toTransparent = decodeAddress(request.to)?.kind === 'transparent';
  if (isFromTransparent(request)) return toTransparent ? 'NoPrivacy' : 'AllowLinkingAccountAddresses';
  return toTransparent ? 'AllowRevealedRecipients' : 'AllowRevealedAmounts';
}

/** The payee gets exactly what was asked, and all else but the fee stays ours. Gives the fee. */
function mustPay({ accountUuid }: Device, seen: Reply, { to, atoms: asked, fee }: TransferRequest): Atoms {
  const payee = namesOf(to);
  const isPayee = ({ address }: Reply) =>
    typeof address === 'string' && namesOf(address).some((name) => payee.includes(name));
  const spends = records(seen.spends);
  const outputs = records(seen.outputs);
  const paid = outputs.filter(isPayee);
  const strangers = [...spends, ...outputs.filter((output) => !isPayee(output))].filter(
    (one) => one.account_uuid !== accountUuid,
  );
  if (paid.length !== 1 || sum(paid) !== asked) throw refuse(`it pays ${sum(paid)} of ${asked}`);
  if (strangers.length > 0) throw refuse('others have a part in it');
  const cost = sum(spends) - sum(outputs);
  if (cost < 0n) throw refuse(`it spends ${sum(spends)} and pays ${sum(outputs)}`);
  const most = BigInt(fee.most ?? '0');
  if (most > 0n && cost > most)
    throw new Fault('transient', AT_ZCASH, `the fee ${cost} is over the terms' ${most}: new terms are needed`);
  return atoms(cost);
}

const namesOf = (address: string): readonly string[] => {
  const decoded = decodeAddress(address);
  return decoded ? receiverNames(decoded) : [];
};

const sum = (rows: readonly Reply[]): bigint => rows.reduce((total, row) => total + zatoshis(row, 'valueZat'), 0n);

/** Each pool counts its outputs by a name of its own. */
const PREVIOUS = { transparent: 'tOutPrev', sapling: 'outputPrev', orchard: 'actionPrev', ironwood: 'actionPrev' };

function spentKey(spend: Reply): string {
  const of = pool(spend);
  return outputKey(hash(spend, 'txidPrev'), of, whole(spend, present(PREVIOUS[of], of)));
}

/** What the wallet built is thrown away and never leaves. */
const refuse = (why: string): Fault => new Fault('permanent', AT_ZCASH, `the wallet built another payment: ${why}`);
