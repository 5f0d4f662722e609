import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { ROOT } from '../sandbox/root.ts';
import type { AssetFile, AssetFiles } from '../web/server/assets.ts';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};
const SCRIPTS = ['swap', 'order', 'orders', 'recover', 'partners'];
/** What customers see first is made of the first alone. */
const STYLES = ['style', 'partners'];
/** Where a process of the service finds them, beside its own program. */
export const PAGES_FILE = join(ROOT, 'dist/web/assets.json');

/** What browsers load: made small, packed twice and named by content. */
export async function packPages(): Promise<AssetFiles> {
  const { outputFiles } = await build({
    entryPoints: [
      ...SCRIPTS.map((name) => join(ROOT, `web/client/${name}.ts`)),
      ...STYLES.map((name) => join(ROOT, `web/style/${name}.css`)),
    ],
    outdir: join(ROOT, 'dist/web'),
    tsconfig: join(ROOT, 'web/client/tsconfig.json'),
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
    logLevel: 'silent',
  });
  return Object.fromEntries(
    outputFiles.map(({ path, contents }): [string, AssetFile] => {
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
export async function buildPages(): Promise<void> {
  const files = await packPages();
  const text = JSON.stringify(files, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
  );
  mkdirSync(dirname(PAGES_FILE), { recursive: true });
  const fresh = `${PAGES_FILE}.${process.pid}`;
  writeFileSync(fresh, text);
  renameSync(fresh, PAGES_FILE);
}
