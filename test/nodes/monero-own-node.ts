import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMoneroWorld } from '../../sandbox/nodes/monero.ts';
import type { MoneroWorld } from '../../sandbox/nodes/monero-world.ts';
import { HOT_KEYS } from '../sim/monero-bench.ts';

/** The first blocks are found once for all suites of a process. */
const cacheDir = mkdtempSync(join(tmpdir(), 'wherry-monero-cache-'));
process.once('exit', () => rmSync(cacheDir, { recursive: true, force: true }));

export async function startOwnMonero(): Promise<MoneroWorld> {
  const dir = mkdtempSync(join(tmpdir(), 'wherry-monero-'));
  const world = await startMoneroWorld({ dir: join(dir, 'world'), hotAddress: HOT_KEYS.address, cacheDir });
  const close = async () => {
    await world.close();
    rmSync(dir, { recursive: true, force: true });
  };
  return { ...world, close };
}
