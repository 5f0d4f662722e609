import { mkdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Secret } from '../../src/kernel/secret.ts';
import { BITCOIN_ON_LITECOIND, BITCOIN_REGTEST, type BitcoinNetwork } from '../../src/world/chains/bitcoin/networks.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { jsonRpc, type Rpc } from '../../src/world/outbound/json-rpc.ts';
import { keepProcess } from '../kept-process.ts';
import { rpcAnswer } from '../probe.ts';
import { freePort, onPath, type RunningProcess, startProcess } from '../process.ts';
import { type BitcoinWorld, commandBitcoin } from './bitcoin-world.ts';

/** Litecoin's node is Bitcoin's under other constants; without the first switch it mines no further than block 431. */
const PROGRAMS = [
  { program: 'bitcoind', network: BITCOIN_REGTEST, extra: [] },
  {
    program: 'litecoind',
    network: BITCOIN_ON_LITECOIND,
    extra: ['-vbparams=mweb:-2:-2', '-mempoolreplacement=1', '-upnp=0'],
  },
];

/** A node of this very network, or of any. */
const found = (wanted?: BitcoinNetwork) =>
  PROGRAMS.find(({ program, network }) => (!wanted || network.genesis === wanted.genesis) && onPath(program));

/** A real node, from PATH. */
export const haveBitcoin = (network?: BitcoinNetwork): boolean => found(network) !== undefined;

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 20_000;
const LOGIN = 'sandbox:play-money';
const AUTHORIZATION = { authorization: `Basic ${Buffer.from(LOGIN).toString('base64')}` };

export interface BitcoinWorldOptions {
  readonly dir: string;
  /** Bitcoin's, on whichever node there is, unless said otherwise. */
  readonly network?: BitcoinNetwork;
}

/** A network of one node; blocks come when asked for. A chain that was in `dir` before goes on. */
export async function startBitcoinWorld({ dir, network }: BitcoinWorldOptions): Promise<BitcoinWorld> {
  const node = found(network);
  if (!node) throw new Error('no node of this network is on the PATH');
  await mkdir(dir, { recursive: true });
  const port = await freePort();
  const start = () => startNode(node.program, port, [`-datadir=${dir}`, ...node.extra]);
  const answers = () => rpcAnswer({ port, method: 'getblockcount', headers: AUTHORIZATION });
  const running = await keepProcess(node.program, start, answers);
  try {
    return await commandBitcoin({
      kind: 'real',
      network: network ?? node.network,
      rpcUrl: urlOf(port),
      rpcLogin: new Secret(LOGIN),
      emptyPool: () => emptyPool(askerOf(node.program, port)),
      keep: () => keep(askerOf(node.program, port)),
      stop: running.stop,
      restart: running.restart,
    });
  } catch (error) {
    await running.stop();
    throw error;
  }
}

/** Longer than the two weeks after which a node forgets what no block has taken. */
const FORGOTTEN_AFTER_S = 15 * 86_400;
/** Anyone may spend it (OP_TRUE); the block is never part of the chain. */
const NOBODY = 'raw(51)';

/** No call empties a pool. But whenever a block is undone a node looks for what has waited too long by its clock, which can be set. */
async function emptyPool(ask: Rpc): Promise<void> {
  await ask('setmocktime', [Math.floor(Date.now() / 1_000) + FORGOTTEN_AFTER_S]);
  try {
    const { hash } = (await ask('generateblock', [NOBODY, []])) as { hash: string };
    await ask('invalidateblock', [hash]);
  } finally {
    await ask('setmocktime', [0]);
  }
}

/** A node writes its blocks down now and then. Before it counts its coins it always does, and the pool when it is told to. */
async function keep(ask: Rpc): Promise<void> {
  await ask('gettxoutsetinfo', ['none']);
  while (!(await isLoaded(ask))) await pause(LOAD_LOOK_MS);
  await ask('savemempool');
}

const LOAD_LOOK_MS = 20;

/** A node answers before it has read its pool again, and writes none down before that. */
const isLoaded = async (ask: Rpc): Promise<boolean> =>
  ((await ask('getmempoolinfo')) as { readonly loaded: boolean }).loaded;

const askerOf = (program: string, port: number): Rpc =>
  jsonRpc({ at: program, url: urlOf(port), headers: AUTHORIZATION }, httpOutbound);

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

function startNode(program: string, port: number, extra: readonly string[]): Promise<RunningProcess> {
  const [user, password] = LOGIN.split(':');
  const alone = ['-regtest', '-listen=0', '-dnsseed=0', '-txindex=1'];
  const rpc = ['-server=1', '-rpcbind=127.0.0.1', '-rpcallowip=127.0.0.1', `-rpcport=${port}`, '-rpcworkqueue=128'];
  const login = [`-rpcuser=${user}`, `-rpcpassword=${password}`];
  const ask = askerOf(program, port);
  const isThere = () => isLoaded(ask).catch(() => false);
  return startProcess({
    name: program,
    command: program,
    args: [...alone, ...rpc, ...login, ...extra],
    ready: isThere,
    readyWithinMs: READY_WITHIN_MS,
    stopWithinMs: STOP_WITHIN_MS,
  });
}
