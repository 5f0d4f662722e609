import type { FastifyInstance } from 'fastify';

/** A file for browsers, packed when it was built and named by its content. */
export interface AssetFile {
  /** Such as `order-3f2a9c1b.js`. */
  readonly name: string;
  readonly type: string;
  readonly plain: Uint8Array;
  readonly gzip: Uint8Array;
  readonly brotli: Uint8Array;
}

/** By what the pages call them: `style.css`, `swap.js`. */
export type AssetFiles = Readonly<Record<string, AssetFile>>;

const FOR_EVER = 'public, max-age=31536000, immutable';

export function mountAssets(app: FastifyInstance, base: string, files: AssetFiles): void {
  for (const file of Object.values(files)) {
    app.get(`${base}/assets/${file.name}`, { schema: { hide: true } }, (request, reply) => {
      const accepted = String(request.headers['accept-encoding'] ?? '');
      const packed = /\bbr\b/.test(accepted)
        ? { bytes: file.brotli, encoding: 'br' }
        : /\bgzip\b/.test(accepted)
          ? { bytes: file.gzip, encoding: 'gzip' }
          : undefined;
      reply.headers({ 'content-type': file.type, 'cache-control': FOR_EVER, vary: 'Accept-Encoding' });
      if (packed) reply.header('content-encoding', packed.encoding);
      return reply.send(Buffer.from(packed?.bytes ?? file.plain));
    });
  }
}
