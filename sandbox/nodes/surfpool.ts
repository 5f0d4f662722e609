import { createRequire } from 'node:module';
import { present } from '../../src/kernel/assert.ts';
import { tellChildNews } from '../kept-process.ts';
import { startProcess } from '../process.ts';

export interface Surfpool {
  readonly rpcUrl: string;
  stop(): Promise<void>;
}

const PACKAGE = '@solana/surfpool-linux-x64-gnu';
const READY = /^rpc (http:\/\/127\.0\.0\.1:\d+)$/m;
const READY_WITHIN_MS = 20_000;
/** Another one would know no deposit and listen elsewhere: it takes neither a file nor a port. */
const GONE = 'surfpool ended, and keeps nothing: Solana stays away until the sandbox is started again.';

/** Why there is no Surfpool on this machine, or undefined where there is. */
export function surfpoolMissing(): string | undefined {
  return pathOf() ? undefined : `${PACKAGE} is not installed on this machine`;
}

function pathOf(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(PACKAGE);
  } catch {
    return undefined;
  }
}

/**
 * A real Solana runtime that makes blocks only when told to. It lives inside of a process, where it prints and may abort, and
 * picks its own port: so that process is one of its own. Without a slot time its clock runs in spite of the manual mode.
 */
export async function startSurfpool(): Promise<Surfpool> {
  const path = present(pathOf(), PACKAGE);
  const program = `
    const { Surfnet } = require(${JSON.stringify(path)});
    const net = Surfnet.startWithConfig({ offline: true, blockProductionMode: 'manual', slotTimeMs: 400 });
    console.log('\\nrpc ' + net.rpcUrl);
    setInterval(() => net.drainEvents(), 1000);`;
  const running = await startProcess({
    name: 'surfpool',
    command: process.execPath,
    args: ['-e', program],
    ready: READY,
    readyWithinMs: READY_WITHIN_MS,
  });
  let isWanted = true;
  void running.exited.then(() => {
    if (isWanted) tellChildNews(GONE);
  });
  return {
    rpcUrl: present(READY.exec(running.tail())?.[1], 'URL of surfpool'),
    async stop() {
      isWanted = false;
      await running.stop();
    },
  };
}
