import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { present } from '../../src/kernel/assert.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { jsonRpc, type Rpc } from '../../src/world/outbound/json-rpc.ts';
import { keepProcess } from '../kept-process.ts';
import { rpcAnswer } from '../probe.ts';
import { type RunningProcess, startProcess } from '../process.ts';
import { ROOT } from '../root.ts';
import { type AnvilState, keepAnvilState } from './anvil-state.ts';

export interface AnvilOptions {
  readonly chainId: number;
  /** None: the real one where it is installed. */
  readonly kind?: 'real' | 'simulated' | undefined;
  /** 0 or none: any free one. */
  readonly port?: number;
  /** Loaded if it exists; written now and then and at the end, with the state of every block that the node keeps. */
  readonly stateFile?: string;
  /**
   * It keeps the states of so many blocks. None: of all, each of which is a copy of all accounts and of the hashes of all blocks before it, and
   * the more of them there are, the longer a node stands still while it writes them: six seconds after half an hour of a block a second.
   */
  readonly statesKept?: number | undefined;
  /** Another node whose chain it goes on from as it is now. */
  readonly forkUrl?: string;
  /** It has died and is there again, perhaps without its last blocks. */
  readonly whenBack?: () => void;
}

export interface Anvil {
  readonly port: number;
  readonly rpcUrl: string;
  readonly rpc: Rpc;
  /** Ends it and starts it again on the same port; without a state file it forgets all. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const READY = /Listening on 127\.0\.0\.1:(\d+)/;
const READY_WITHIN_MS = 20_000;
/** A long chain takes a while to write. */
const STOP_WITHIN_MS = 60_000;
const EXECUTABLE = 0o755;

/** Whatever it needed for writing its states it gives back at once: six nodes would hold on to half a gigabyte. */
const FRUGAL = { _RJEM_MALLOC_CONF: 'dirty_decay_ms:0,muzzy_decay_ms:0' };
const FRUGAL_NODE = ['--max-semi-space-size=4'];

/** What a node that is killed outright may forget: to the desk it looks like a reorganisation. */
const STATE_EVERY_S = 20;

/**
 * An EVM node that makes blocks only when told to; `safe` and `finalized` trail its tip by one block and two. One that dies is
 * started again where it was.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const { chainId, port = 0, stateFile, statesKept, forkUrl, kind = evmKind() } = options;
  const name = `${kind === 'real' ? 'anvil' : 'evm-simulator'} ${chainId}`;
  const [command, ...before] = kind === 'real' ? [anvilBinary()] : [process.execPath, ...FRUGAL_NODE, EVM_SIMULATOR];
  let bound = port;
  let starts = 0;
  const state = stateFile === undefined ? undefined : keepAnvilState(stateFile);
  // States of old blocks that it has no room for. Left to itself it puts them into the home of its user, and whenever it is killed they stay there.
  const oldStates = stateFile ? `${stateFile}.blocks` : mkdtempSync(join(tmpdir(), 'wherry-anvil-'));
  const forgetOldStates = () => rmSync(oldStates, { recursive: true, force: true });
  const start = async (): Promise<RunningProcess> => {
    forgetOldStates();
    const running = await startProcess({
      name,
      command,
      args: [
        ...before,
        ...['--host', '127.0.0.1', '--port', `${bound}`, '--chain-id', `${chainId}`],
        ...['--no-mining', '--slots-in-an-epoch', '1', ...(state ? stateArguments(state) : [])],
        ...(statesKept === undefined ? [] : [`--prune-history=${statesKept}`]),
        ...['--cache-path', oldStates],
        ...(forkUrl === undefined ? [] : ['--fork-url', forkUrl]),
      ],
      env: FRUGAL,
      ready: READY,
      readyWithinMs: READY_WITHIN_MS,
      stopWithinMs: STOP_WITHIN_MS,
    });
    bound = Number(present(READY.exec(running.tail())?.[1], 'port of anvil'));
    if (starts > 0) options.whenBack?.();
    starts += 1;
    return running;
  };
  const kept = await keepProcess(name, start, () => rpcAnswer({ port: bound, method: 'eth_chainId' }));
  const rpcUrl = `http://127.0.0.1:${bound}`;
  return {
    port: bound,
    rpcUrl,
    rpc: jsonRpc({ at: `anvil:${chainId}`, url: rpcUrl }, httpOutbound),
    restart: kept.restart,
    async stop() {
      await kept.stop();
      state?.end();
      forgetOldStates();
    },
  };
}

function stateArguments(state: AnvilState): readonly string[] {
  const kept = state.begin();
  const writing = [
    '--dump-state',
    state.beside,
    '--state-interval',
    `${STATE_EVERY_S}`,
    '--preserve-historical-states',
  ];
  return kept === undefined ? writing : ['--load-state', kept, ...writing];
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const PACKAGE = `@foundry-rs/anvil-${process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`;

/** Made beforehand: the launcher, the tests and `npm ci` each see to it. */
export const EVM_SIMULATOR = join(ROOT, 'dist/sandbox/evm-simulator.js');

export const evmKind = (): 'real' | 'simulated' => (pathOf() ? 'real' : 'simulated');

/** Why there is no anvil on this machine, or undefined where there is. */
export function anvilMissing(): string | undefined {
  return pathOf() ? undefined : `${PACKAGE} is not installed on this machine`;
}

/** npm unpacks a package without running the script that makes its program executable. */
function anvilBinary(): string {
  const binary = present(pathOf(), PACKAGE);
  chmodSync(binary, EXECUTABLE);
  return binary;
}

function pathOf(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(
      `${PACKAGE}/bin/${process.platform === 'win32' ? 'anvil.exe' : 'anvil'}`,
    );
  } catch {
    return undefined;
  }
}
