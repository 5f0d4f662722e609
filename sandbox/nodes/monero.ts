import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { present } from '../../src/kernel/assert.ts';
import type { Secret } from '../../src/kernel/secret.ts';
import { records, text } from '../../src/world/chains/monero/reply.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { jsonRpc } from '../../src/world/outbound/json-rpc.ts';
import type { Login } from '../../src/world/outbound/login.ts';
import { keepProcess } from '../kept-process.ts';
import { rpcAnswer } from '../probe.ts';
import { freePort, onPath, startProcess } from '../process.ts';
import { ROOT } from '../root.ts';
import {
  CUSTOMER,
  commandMonero,
  daemonPost,
  daemonRpc,
  type MoneroWorld,
  WALLET_NAMES,
  type WalletName,
  walletLogin,
} from './monero-world.ts';

/** Real Monero, from PATH. */
export function haveMonero(): boolean {
  return ['monerod', 'monero-wallet-rpc'].every(onPath);
}

export interface MoneroServer {
  readonly url: string;
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 30_000;
const LOCAL = ['--rpc-bind-ip', '127.0.0.1', '--non-interactive', '--log-level', '0'];
/** Each server would otherwise make RSA keys at its start, and a wallet again at each opening: seconds for nothing here. */
const NO_TLS = ['--rpc-ssl', 'disabled'];

/** A network of one node; blocks come when asked for. An existing chain in `dir` is continued. */
export async function startMonerod({ dir, port }: { dir: string; port?: number }): Promise<MoneroServer> {
  const rpcPort = port ?? (await freePort());
  await mkdir(dir, { recursive: true });
  const chain = ['--regtest', '--keep-fakechain', '--fixed-difficulty', '1', '--db-sync-mode', 'fastest'];
  const alone = ['--offline', '--no-igd', '--no-zmq', '--p2p-bind-ip', '127.0.0.1', '--disable-rpc-ban'];
  const args = ['--data-dir', dir, '--rpc-bind-port', `${rpcPort}`, ...chain, ...alone, ...LOCAL, ...NO_TLS];
  return started('monerod', args, rpcPort, 'get_info');
}

/** A server for one wallet, which it opens when it is asked to, by whoever has the login; by anybody without one. */
export async function startWalletRpc(options: {
  dir: string;
  daemonUrl: string;
  login?: Secret<Login> | undefined;
  port?: number;
}): Promise<MoneroServer> {
  const { dir, daemonUrl, login } = options;
  const port = options.port ?? (await freePort());
  await mkdir(dir, { recursive: true });
  const wallet = ['--wallet-dir', dir, '--shared-ringdb-dir', join(dir, 'ringdb'), '--log-file', join(dir, 'log')];
  const door = login ? ['--config-file', await loginFile(dir, login)] : ['--disable-rpc-login'];
  const server = ['--rpc-bind-port', `${port}`, ...door, ...LOCAL, ...NO_TLS];
  const daemon = ['--daemon-address', new URL(daemonUrl).host, '--trusted-daemon', '--daemon-ssl', 'disabled'];
  return started('monero-wallet-rpc', [...wallet, ...server, ...daemon], port, 'get_version', login);
}

/** Arguments of a process are seen by every user of the computer; a file of mode 600 is not. */
async function loginFile(dir: string, login: Secret<Login>): Promise<string> {
  const path = join(dir, 'login.conf');
  const { user, password } = login.reveal();
  await writeFile(path, `rpc-login=${user}:${password}\n`, { mode: 0o600 });
  return path;
}

async function started(
  name: string,
  args: readonly string[],
  port: number,
  probe: string,
  login?: Secret<Login> | undefined,
): Promise<MoneroServer> {
  const url = `http://127.0.0.1:${port}`;
  const rpc = jsonRpc({ at: name, url: `${url}/json_rpc`, ...(login ? { digest: login } : {}) }, httpOutbound);
  const answers = () =>
    rpc(probe, {}).then(
      () => true,
      () => false,
    );
  const start = () =>
    startProcess({ name, command: name, args, ready: answers, readyWithinMs: READY_WITHIN_MS, stopWithinMs: 10_000 });
  const kept = await keepProcess(name, start, () => rpcAnswer({ port, path: '/json_rpc', method: 'get_version' }));
  return { url, stop: kept.stop };
}

export interface MoneroWorldOptions {
  /** The chain and the wallets live here; a world that was here before goes on. */
  readonly dir: string;
  /** Gets money from the first blocks, in as many outputs as there are blocks. */
  readonly hotAddress: string;
  /** Where the first blocks are kept, so that they are found only once. */
  readonly cacheDir?: string;
}

/** A block pays about 35 XMR, spendable sixty blocks later: over 3,300 for the hot wallet, over 500 for the customer. */
const CUSTOMER_BLOCKS = 16;
const HOT_BLOCKS = 96;
const MATURITY_BLOCKS = 60;
/** Takes milliseconds; after two seconds it is not going to happen. */
const SETTLE_EVERY_MS = 10;
const SETTLE_TRIES = 200;
/** Changes whenever the first blocks do. */
const PLAN = 'v2';

export async function startMoneroWorld({ dir, hotAddress, cacheDir }: MoneroWorldOptions): Promise<MoneroWorld> {
  const chainDir = join(dir, 'chain');
  const key = createHash('sha256').update([PLAN, CUSTOMER.address, hotAddress].join()).digest('hex').slice(0, 16);
  const cached = cacheDir && join(cacheDir, `monero-${key}`);
  const isFresh = !existsSync(chainDir);
  const shipped = join(ROOT, `sandbox/fixtures/monero-${key}.mdb.gz`);
  if (isFresh && existsSync(shipped)) await unpackChain(shipped, chainDir);
  else if (isFresh && cached && existsSync(cached)) await copyChain(cached, chainDir);
  const isPrepared = existsSync(chainDir);

  const daemonPort = await freePort();
  const daemonUrl = `http://127.0.0.1:${daemonPort}`;
  const daemon = startMonerod({ dir: chainDir, port: daemonPort });
  const wallets = WALLET_NAMES.map((name) =>
    startWalletRpc({ dir: join(dir, name), daemonUrl, login: walletLogin(name) }),
  );
  const stop = async () => {
    const started = await Promise.allSettled([...wallets, daemon]);
    await Promise.all(started.map((server) => (server.status === 'fulfilled' ? server.value.stop() : undefined)));
  };
  try {
    await daemon;
    const urls = (await Promise.all(wallets)).map(({ url }) => url);
    const walletUrl = (name: WalletName) => present(urls[WALLET_NAMES.indexOf(name)], name);
    const mineTo = (address: string, blocks: number) => findBlocks(daemonUrl, address, blocks);
    const world = commandMonero({ kind: 'real', daemonUrl, walletUrl, mineTo, stop });
    if (isPrepared) return world;
    await findFirstBlocks(daemonUrl, hotAddress);
    if (cached) await keepChain(chainDir, cached);
    return world;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function findFirstBlocks(daemonUrl: string, hotAddress: string): Promise<void> {
  await findBlocks(daemonUrl, CUSTOMER.address, CUSTOMER_BLOCKS);
  await findBlocks(daemonUrl, hotAddress, HOT_BLOCKS);
  await findBlocks(daemonUrl, CUSTOMER.address, MATURITY_BLOCKS);
}

/** A transaction that was just handed in is left out of blocks until the node has told itself that it relayed it. */
async function settlePool(daemonUrl: string): Promise<void> {
  for (let left = SETTLE_TRIES; left > 0; left -= 1) {
    const pool = await daemonPost(daemonUrl, 'get_transaction_pool', {});
    if (records(pool, 'transactions').every(({ relayed }) => relayed === true)) return;
    await pause(SETTLE_EVERY_MS);
  }
}

/** At difficulty 1 any nonce will do, so none is looked for: half the time that `generateblocks` takes. */
async function findBlocks(daemonUrl: string, address: string, blocks: number): Promise<void> {
  const rpc = daemonRpc(daemonUrl);
  await settlePool(daemonUrl);
  for (let left = blocks; left > 0; left -= 1) {
    const template = await rpc('get_block_template', { wallet_address: address, reserve_size: 0 });
    await rpc('submit_block', [text(template, 'blocktemplate_blob')]);
  }
}

/** Nothing is being written while nobody else makes blocks; the name appears when the copy is whole. */
async function keepChain(chainDir: string, cached: string): Promise<void> {
  const copying = `${cached}.${process.pid}`;
  await rm(copying, { recursive: true, force: true });
  await copyChain(chainDir, copying);
  await rename(copying, cached).catch(() => rm(copying, { recursive: true, force: true }));
}

const DATABASE = ['fake', 'lmdb', 'data.mdb'];

/** The first blocks of the sandbox's own addresses come with it: finding them takes longer than all the rest of a start. */
async function unpackChain(shipped: string, chainDir: string): Promise<void> {
  const file = join(chainDir, ...DATABASE);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, gunzipSync(await readFile(shipped)));
}

/** The database is a file of a gigabyte with some hundred kilobytes in it: only those are copied. */
async function copyChain(from: string, to: string): Promise<void> {
  const target = join(to, ...DATABASE);
  await mkdir(dirname(target), { recursive: true });
  const file = await open(join(from, ...DATABASE));
  try {
    const used = await file.read({ buffer: Buffer.alloc(await usedBytes(file)), position: 0 });
    await writeFile(target, used.buffer.subarray(0, used.bytesRead));
  } finally {
    await file.close();
  }
}

/** An LMDB file begins with two meta pages; each says how long a page is and which is the last in use. */
async function usedBytes(file: FileHandle): Promise<number> {
  const PAGE_SIZE_AT = 40;
  const LAST_PAGE_AT = 136;
  const first = await file.read({ buffer: Buffer.alloc(LAST_PAGE_AT + 8), position: 0 });
  const pageSize = first.buffer.readUInt32LE(PAGE_SIZE_AT);
  const second = await file.read({ buffer: Buffer.alloc(LAST_PAGE_AT + 8), position: pageSize });
  const last = [first, second].map(({ buffer }) => Number(buffer.readBigUInt64LE(LAST_PAGE_AT)));
  return (Math.max(...last) + 1) * pageSize;
}
