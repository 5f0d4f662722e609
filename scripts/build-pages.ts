import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type BuildOptions, build, type OutputFile } from 'esbuild';
import { ROOT } from '../sandbox/root.ts';
import type { AssetFile, AssetFiles } from '../web/server/assets.ts';
import { buildOnce } from './build-once.ts';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};
const SCRIPTS = ['swap', 'order', 'orders', 'recover', 'partners'];
/** What customers see first is made of the first alone. */
const STYLES = ['style', 'partners'];
/** Where a process of the service finds them, beside its own program. */
export const PAGES_FILE = join(ROOT, 'dist/web/assets.json');

const PAGES = {
  entryPoints: [
    ...SCRIPTS.map((name) => join(ROOT, `web/client/${name}.ts`)),
    ...STYLES.map((name) => join(ROOT, `web/style/${name}.css`)),
  ],
  outdir: join(ROOT, 'dist/web'),
  tsconfig: join(ROOT, 'web/client/tsconfig.json'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
  logLevel: 'silent',
} as const satisfies BuildOptions;

/** What browsers load: made small, packed twice and named by content. */
export async function packPages(): Promise<AssetFiles> {
  const { outputFiles } = await build({ ...PAGES, write: false });
  return packed(outputFiles);
}

function packed(made: readonly OutputFile[]): AssetFiles {
  return Object.fromEntries(
    made.map(({ path, contents }): [string, AssetFile] => {
      const file = path.split(/[/\\]/).at(-1) ?? '';
      const [name = '', ending = ''] = file.split('.');
      const hash = createHash('sha256').update(contents).digest('hex').slice(0, 10);
      const packed = { plain: contents, gzip: gzipSync(contents, { level: 9 }), brotli: brotliCompressSync(contents) };
      return [
        file,
        { name: `${name}-${hash}.${ending}`, type: TYPES[ending] ?? 'application/octet-stream', ...packed },
      ];
    }),
  );
}

/** One file, so that a process reads all of one build or none of it. */
export const buildPages = (): Promise<void> =>
  buildOnce(join(ROOT, 'dist/web/made-of.json'), PAGES, (made) => {
    const contents = JSON.stringify(packed(made), (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
    );
    return [{ path: PAGES_FILE, contents }];
  });
