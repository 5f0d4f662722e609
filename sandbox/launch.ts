import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buildService } from '../scripts/build.ts';
import { bundleEvmSimulator, bundleSandbox } from './bundle.ts';
import { ROOT } from './root.ts';

/** The sandbox runs as plain node in a process of its own, which takes a fraction of the time and memory that it would here. */
const sandbox = await bundleSandbox();
await bundleEvmSimulator();
const SMALL = ['--max-semi-space-size=8', '--import', join(ROOT, 'sandbox/leash.mjs')];
const child = spawn(process.execPath, [...SMALL, sandbox, String(performance.timeOrigin), ...process.argv.slice(2)], {
  // Its own group, so that a signal reaches it once, from here; the fourth descriptor is the leash.
  stdio: ['inherit', 'inherit', 'inherit', 'pipe', 'ipc'],
  detached: true,
});
// Its signs of life have no reader here.
(child.stdio[3] as Readable).resume().on('error', () => undefined);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
child.once('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)));
// Chains and database begin meanwhile.
child.send(await buildService());
