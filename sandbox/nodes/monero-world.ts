import { setTimeout as pause } from 'node:timers/promises';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { assert, present } from '../../src/kernel/assert.ts';
import { Fault } from '../../src/kernel/fault.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { ascii, moneroKeysFromSeed } from '../../src/world/chains/monero/codec.ts';
import { big, exactIntegers, type Reply, record, records, text, whole } from '../../src/world/chains/monero/reply.ts';
import { openWallet, type WalletCall } from '../../src/world/chains/monero/wallet-rpc.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { jsonRpc, RpcError } from '../../src/world/outbound/json-rpc.ts';
import { type Login, loginOf } from '../../src/world/outbound/login.ts';
import { expectUndone, type Received } from '../place.ts';

/** One wallet server each: the signer's that spends, and the sandbox customer's. */
export type WalletName = 'spend' | 'customer';
export const WALLET_NAMES: readonly WalletName[] = ['spend', 'customer'];

/** As the settings have it. It is play money, so anyone may know it. */
export const SPEND_LOGIN = 'signer:may spend play money';

/** The customer has nobody to hide from. */
export const walletLogin = (name: WalletName): Secret<Login> | undefined =>
  name === 'customer' ? undefined : loginOf(SPEND_LOGIN);

/** A wallet server by its own protocol, with its login. */
export function askWallet({ walletUrl }: Pick<MoneroWorld, 'walletUrl'>, name: WalletName): WalletCall {
  const login = walletLogin(name);
  const server = { at: AT, url: `${walletUrl(name)}/json_rpc`, ...(login ? { digest: login } : {}) };
  const ask = jsonRpc(server, exactIntegers(httpOutbound));
  return async (method, params = {}) => record(await ask(method, params));
}

export interface MoneroPayment {
  readonly to: string;
  readonly atoms: bigint;
}

/** A Monero network on this computer that does what it is told, on real nodes or on the simulator alike. */
export interface MoneroWorld {
  readonly kind: 'real' | 'simulated';
  readonly daemonUrl: string;
  walletUrl(name: WalletName): string;
  readonly customerAddress: Address;
  /** Opens the customer's wallet, before anybody has to wait for it. */
  wake(): Promise<void>;
  /** A new subaddress of the customer. */
  freshDestination(): Promise<Address>;
  freshDestinations(count: number): Promise<readonly Address[]>;
  mine(blocks: number): Promise<void>;
  /** A block every `intervalMs`; 0 for only on request. */
  setAutomine(intervalMs: number): Promise<void>;
  /** Replaces the last `depth` blocks by as many others, with the same transactions except those in `drop`. */
  reorg(depth: number, drop: readonly string[]): Promise<void>;
  /** The customer pays, all in one transaction, which waits in the pool. */
  pay(...payments: readonly MoneroPayment[]): Promise<string>;
  /** In mined blocks. Only the wallets of this world can tell; for anybody else's address it throws. */
  received(address: string): Promise<Received>;
  /** `atoms` in `outputs` equal parts from the customer to the hot wallet, spendable at once. */
  fundHot(address: string, atoms: bigint, outputs: number): Promise<void>;
  close(): Promise<void>;
}

export interface MoneroServers {
  readonly kind: 'real' | 'simulated';
  readonly daemonUrl: string;
  walletUrl(name: WalletName): string;
  /** Finds blocks, with all that the pool holds, for this address. */
  mineTo(address: string, blocks: number): Promise<void>;
  stop(): Promise<void>;
}

const named = (who: string) => moneroKeysFromSeed(keccak_256(ascii(`sandbox ${who}`)));
/** Play money, so anyone may know its keys. */
export const CUSTOMER = named('customer');
export const MINER = named('miner');

const UNLOCK_BLOCKS = 10;
/** One transaction has at most sixteen outputs, and one of them is change. */
const PAYMENTS_PER_TX = 15;
/** Amounts have 64 bits. */
const TOO_LARGE = 2n ** 64n;
const AT = 'sandbox';

export type DaemonCall = (method: string, params?: unknown) => Promise<Reply>;

/** The daemon's JSON-RPC methods. */
export function daemonRpc(daemonUrl: string): DaemonCall {
  const ask = jsonRpc({ at: AT, url: `${daemonUrl}/json_rpc` }, exactIntegers(httpOutbound));
  return async (method, params = {}) => record(await ask(method, params as Record<string, unknown>));
}

/** The daemon's other methods, each at a path of its own. */
export async function daemonPost(daemonUrl: string, path: string, body: unknown): Promise<Reply> {
  const headers = { 'content-type': 'application/json' };
  const call = { at: AT, label: path, url: `${daemonUrl}/${path}`, method: 'POST', headers } as const;
  return record(JSON.parse((await httpOutbound({ ...call, body: JSON.stringify(body) })).body));
}

function openCustomer(walletUrl: string): Promise<WalletCall> {
  const keys = { address: CUSTOMER.address, viewKey: CUSTOMER.viewKey, spendKey: CUSTOMER.spendKey };
  const login = { walletName: 'customer', walletPassword: new Secret('') };
  return openWallet({ walletUrl, ...login, ...keys, restoreHeight: 0 }, httpOutbound);
}

/**
 * Commands the servers by their own protocol; everything here is as true of the simulator as of the real thing.
 * Opening the customer's wallet takes seconds: only who needs it waits.
 */
export function commandMonero(servers: MoneroServers): MoneroWorld {
  let opening: Promise<WalletCall> | undefined;
  const opened = (): Promise<WalletCall> => {
    opening ??= openCustomer(servers.walletUrl('customer')).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const customer: WalletCall = async (method, params) => (await opened())(method, params);
  const [inTurn, exposing] = [oneAtATime(), oneAtATime()];
  const freshDestinations = (count: number) =>
    exposing(async () => {
      const made = (await customer('create_address', { account_index: 0, count })).addresses as readonly Address[];
      // A server that dies has made only what it wrote down, and would make the same again for somebody else.
      await customer('store');
      return made;
    });
  const mine = (blocks: number) => inTurn(() => servers.mineTo(MINER.address, blocks));
  const rhythm = automine(() => mine(1));

  const pay = (...payments: readonly MoneroPayment[]) =>
    inTurn(async () => {
      await customer('refresh');
      if (payments.some(({ atoms }) => atoms >= TOO_LARGE))
        throw new Fault('permanent', AT, 'amount: not enough money');
      const destinations = payments.map(({ to, atoms }) => ({ address: to, amount: atoms.toString() }));
      try {
        return text(await customer('transfer', { destinations, priority: 1 }), 'tx_hash');
      } catch (error) {
        throw (await isShortForGood(servers.daemonUrl, error))
          ? new Fault('permanent', AT, 'not enough money', error)
          : error;
      }
    });

  return {
    kind: servers.kind,
    daemonUrl: servers.daemonUrl,
    walletUrl: servers.walletUrl,
    customerAddress: CUSTOMER.address,
    freshDestination: async () => present((await freshDestinations(1))[0], 'an address'),
    freshDestinations,
    mine,
    setAutomine: async (intervalMs) => rhythm.set(intervalMs),
    reorg: (depth, drop) =>
      inTurn(async () => {
        const undone = await paymentsAbove(servers.daemonUrl, depth);
        expectUndone(drop, undone);
        const back = await bytesOf(
          servers.daemonUrl,
          undone.filter((hash) => !drop.includes(hash)),
        );
        const waiting = await bytesOf(servers.daemonUrl, await poolOf(servers.daemonUrl));
        await daemonPost(servers.daemonUrl, 'pop_blocks', { nblocks: depth });
        await emptyPool(servers.daemonUrl);
        if (depth > 1) await servers.mineTo(MINER.address, depth - 1);
        await handIn(servers.daemonUrl, back);
        await servers.mineTo(MINER.address, 1);
        const late = await bytesOf(servers.daemonUrl, await poolOf(servers.daemonUrl));
        await emptyPool(servers.daemonUrl);
        await handIn(servers.daemonUrl, [...waiting, ...late]);
      }),
    pay,
    async wake() {
      await opened();
    },
    received: (address) => receivedBy({ customer, spend: askWallet(servers, 'spend') }, address),
    async fundHot(address, atoms, outputs) {
      const each = atoms / BigInt(outputs);
      const parts = Array.from({ length: outputs }, (_, index) =>
        index === 0 ? atoms - each * BigInt(outputs - 1) : each,
      );
      for (let at = 0; at < parts.length; at += PAYMENTS_PER_TX) {
        await pay(...parts.slice(at, at + PAYMENTS_PER_TX).map((part) => ({ to: address, atoms: part })));
      }
      await mine(UNLOCK_BLOCKS);
    },
    async close() {
      rhythm.set(0);
      await opening?.catch(() => undefined);
      await inTurn(async () => undefined);
      await servers.stop();
    },
  };
}

/**
 * What takes its decoys from the youngest outputs is valid at the height that it was made for and not at the ones before; and a daemon
 * that once found it so at a block takes it into no block on top of that one. So nothing lies in the pool while blocks are lower.
 */
async function emptyPool(daemonUrl: string): Promise<void> {
  await daemonRpc(daemonUrl)('flush_txpool', {});
}

async function poolOf(daemonUrl: string): Promise<readonly string[]> {
  const { tx_hashes: hashes = [] } = await daemonPost(daemonUrl, 'get_transaction_pool_hashes', {});
  return hashes as readonly string[];
}

async function bytesOf(daemonUrl: string, hashes: readonly string[]): Promise<readonly string[]> {
  if (hashes.length === 0) return [];
  const answer = await daemonPost(daemonUrl, 'get_transactions', { txs_hashes: hashes });
  return records(answer, 'txs').map((tx) => text(tx, 'as_hex'));
}

/** What was paid from what is dropped is refused, as it is in no block ever again. */
async function handIn(daemonUrl: string, bytes: readonly string[]): Promise<void> {
  for (const hex of bytes) await daemonPost(daemonUrl, 'send_raw_transaction', { tx_as_hex: hex });
}

const NOT_ENOUGH_MONEY = -17;

/** While something waits for a block, it may be the change that is missing. */
async function isShortForGood(daemonUrl: string, error: unknown): Promise<boolean> {
  const isShort = error instanceof Fault && error.cause instanceof RpcError && error.cause.code === NOT_ENOUGH_MONEY;
  return isShort && whole(await daemonRpc(daemonUrl)('get_info'), 'tx_pool_size') === 0;
}

/** In the last so many blocks. */
async function paymentsAbove(daemonUrl: string, depth: number): Promise<readonly string[]> {
  const height = whole(await daemonPost(daemonUrl, 'get_height', {}), 'height');
  assert(depth > 0 && depth < height, `cannot replace ${depth} of ${height} blocks`);
  const found: string[] = [];
  for (let at = height - depth; at < height; at += 1) {
    const { tx_hashes: hashes = [] } = await daemonRpc(daemonUrl)('get_block', { height: at });
    found.push(...(hashes as string[]));
  }
  return found;
}

/** The customer's wallet answers for its own addresses, the signer's for deposits. */
async function receivedBy(wallets: Readonly<Record<WalletName, WalletCall>>, address: string): Promise<Received> {
  const refusals: string[] = [];
  let isAway = false;
  for (const [name, ask] of Object.entries(wallets)) {
    try {
      const { major, minor } = record((await ask('get_address_index', { address })).index);
      await ask('refresh');
      const found = await ask('get_transfers', { in: true, account_index: major, subaddr_indices: [minor] });
      return summed(records(found, 'in'));
    } catch (error) {
      if (error instanceof Fault && error.kind === 'transient') isAway = true;
      refusals.push(`${name}: ${(error as Error).message}`);
    }
  }
  throw new Fault(
    isAway ? 'transient' : 'permanent',
    AT,
    `no wallet here can tell what ${address} received (${refusals.join('; ')})`,
  );
}

function summed(rows: readonly Reply[]): Received {
  const transfers = rows.map((row) => ({
    txHash: text(row, 'txid'),
    amount: big(row, 'amount'),
    height: whole(row, 'height'),
  }));
  return { total: transfers.reduce((total, { amount }) => total + amount, 0n), transfers };
}

function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const run = last.then(work, work);
    last = run;
    return run;
  };
}

function automine(block: () => Promise<void>): { set(intervalMs: number): void } {
  let stop = new AbortController();
  const run = async (intervalMs: number, { signal }: AbortController) => {
    while (!signal.aborted) {
      await pause(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
      // A block that fails (a node that is being killed) is only late: the next beat tries again.
      if (!signal.aborted) await block().catch(() => undefined);
    }
  };
  return {
    set(intervalMs) {
      stop.abort();
      stop = new AbortController();
      if (intervalMs > 0) void run(intervalMs, stop);
    },
  };
}
