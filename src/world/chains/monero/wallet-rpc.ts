import { Fault } from '../../../kernel/fault.ts';
import type { Address } from '../../../kernel/ids.ts';
import { ADDRESSES_PER_CALL } from '../../../kernel/limits.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { Outbound } from '../../outbound/http.ts';
import { jsonRpc, RpcError } from '../../outbound/json-rpc.ts';
import type { Login } from '../../outbound/login.ts';
import { AT_MONERO, exactIntegers, type Reply, record, text, whole } from './reply.ts';

export interface WalletConfig {
  /** One monero-wallet-rpc for this wallet alone, on the same daemon that the chain is read from. */
  readonly walletUrl: string;
  /** Of the server. */
  readonly walletLogin?: Secret<Login> | undefined;
  /** Of the file that the server keeps the wallet in. */
  readonly walletName: string;
  readonly walletPassword: Secret;
  readonly address: Address;
  readonly viewKey: string;
  readonly spendKey: Secret<string>;
  readonly restoreHeight: number;
  /** How many subaddresses may have been paid; undefined while nobody has said. Without it, none but the wallet's own address. */
  readonly given?: () => Promise<number | undefined>;
}

export type WalletCall = (method: string, params?: Readonly<Record<string, unknown>>) => Promise<Reply>;

/** wallet-rpc 1.25 came with release 0.18.0. */
const VERSION_MIN = (1 << 16) | 25;
/** Opening, and catching up after a pause, are slow on an old disk. */
const WALLET_DEADLINE_MS = 60_000;

const GENERIC = -1;
const WRONG_ADDRESS = -2;
const NO_WALLET = -13;
const NO_SUCH_SUBADDRESS = -15;
const NOT_ENOUGH_MONEY = -17;
const NOT_ENOUGH_UNLOCKED = -37;

/** Opens the wallet, or makes it from its keys, and checks that it is the one that was meant. */
export async function openWallet(config: WalletConfig, outbound: Outbound): Promise<WalletCall> {
  const patient = exactIntegers((call) => outbound({ ...call, deadlineMs: WALLET_DEADLINE_MS }));
  const { walletLogin: digest } = config;
  const rpc = jsonRpc({ at: AT_MONERO, url: `${config.walletUrl}/json_rpc`, ...(digest ? { digest } : {}) }, patient);
  const ask: WalletCall = async (method, params = {}) => record(await rpc(method, params));
  let opening: Promise<void> | undefined;
  const open = (): Promise<void> => {
    opening ??= openOrMake(config, ask).finally(() => {
      opening = undefined;
    });
    return opening;
  };
  await open();
  return async (method, params) => {
    try {
      return await ask(method, params).catch(async (error) => {
        if (!(error instanceof RpcError) || error.code !== NO_WALLET) throw error;
        // The server was restarted and holds no wallet: it did nothing, so asking again is safe.
        await open();
        return ask(method, params);
      });
    } catch (error) {
      throw error instanceof RpcError ? walletFault(error) : error;
    }
  };
}

/**
 * A wallet recognises some two hundred subaddresses beyond those that it made, and reads each block once: one that was made
 * anew must know what was given out before it reads. The server reads by itself as soon as it has a wallet, unless told not to.
 */
async function openOrMake(config: WalletConfig, ask: WalletCall): Promise<void> {
  const { given = async () => 0 } = config;
  try {
    await ask('auto_refresh', { enable: false });
    await openFile(config, ask);
    const count = await given();
    if (count !== undefined) await knowSubaddresses(ask, count);
    if (count !== undefined || (await hasRead(ask, config))) await letRead(ask);
  } catch (error) {
    throw error instanceof RpcError ? walletFault(error) : error;
  }
}

export async function letRead(wallet: WalletCall): Promise<void> {
  await wallet('auto_refresh', { enable: true });
}

/** Whether it has looked into any block that may pay us. */
export async function hasRead(
  wallet: WalletCall,
  { restoreHeight }: Pick<WalletConfig, 'restoreHeight'>,
): Promise<boolean> {
  return whole(await wallet('get_height'), 'height') > Math.max(1, restoreHeight);
}

async function openFile(config: WalletConfig, ask: WalletCall): Promise<void> {
  const version = whole(await ask('get_version'), 'version');
  if (version < VERSION_MIN) throw new Fault('permanent', AT_MONERO, `wallet-rpc ${version} is older than 0.18`);
  const login = { filename: config.walletName, password: config.walletPassword.reveal() };
  // A server that outlived us still has it open, and opening takes seconds.
  if ((await openAddress(ask)) === config.address) return;
  // Making comes first: a wallet that exists is refused at once, whereas opening a missing one takes seconds.
  await ask('generate_from_keys', {
    ...login,
    address: config.address,
    viewkey: config.viewKey,
    spendkey: config.spendKey.reveal(),
    restore_height: config.restoreHeight,
  }).catch((error) => {
    if (!(error instanceof RpcError) || error.code !== GENERIC) throw error;
    return ask('open_wallet', login);
  });
  if ((await openAddress(ask)) !== config.address)
    throw new Fault('permanent', AT_MONERO, `${config.walletName} is another wallet`);
}

/** Of the wallet that the server has open; undefined where it has none. */
async function openAddress(ask: WalletCall): Promise<string | undefined> {
  try {
    return text(await ask('get_address', { account_index: 0, address_index: [0] }), 'address');
  } catch (error) {
    if (error instanceof RpcError && error.code === NO_WALLET) return undefined;
    throw error;
  }
}

/** None of the calls made here sends anything, so a refusal always means that nothing happened. */
function walletFault(error: RpcError): Fault {
  if (error.code === WRONG_ADDRESS) return new Fault('permanent', AT_MONERO, error.message, error);
  const reason =
    error.code === NOT_ENOUGH_UNLOCKED
      ? 'outputs are locked for now: '
      : error.code === NOT_ENOUGH_MONEY
        ? 'outputs fall short: '
        : '';
  return new Fault('transient', AT_MONERO, reason + error.message, error);
}

/** Makes subaddresses of account 0 until the wallet recognises payments to all those below `count`. */
export async function knowSubaddresses(wallet: WalletCall, count: number): Promise<void> {
  if (count === 0 || (await knowsSubaddress(wallet, count - 1))) return;
  // Only making one tells how many there are without listing them all.
  const made = await wallet('create_address', { account_index: 0, count: 1 });
  for (let known = whole(made, 'address_index') + 1; known < count; known += ADDRESSES_PER_CALL) {
    await wallet('create_address', { account_index: 0, count: Math.min(ADDRESSES_PER_CALL, count - known) });
  }
  await wallet('store');
}

async function knowsSubaddress(wallet: WalletCall, minor: number): Promise<boolean> {
  try {
    await wallet('get_address', { account_index: 0, address_index: [minor] });
    return true;
  } catch (error) {
    const refusal = error instanceof Fault ? error.cause : error;
    if (refusal instanceof RpcError && refusal.code === NO_SUCH_SUBADDRESS) return false;
    throw error;
  }
}
