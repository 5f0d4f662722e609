/** One of several processes on one database: an API, and a worker when it is told to work. */
import { openFeed } from '../src/engine/feed.ts';
import { present } from '../src/kernel/assert.ts';
import { Secret } from '../src/kernel/secret.ts';
import { openDb } from '../src/store/db.ts';
import { openApi, openCache } from './api.ts';
import { portOf } from './bare.ts';
import type { Done, Span } from './load.ts';
import { openWork } from './transitions.ts';

export type FromMember = { readonly port: number } | { readonly done: Done };

const [url, hashKeyHex, number] = process.argv.slice(2).map((value) => present(value, 'what the bench says'));
const databaseUrl = present(url, 'a database');
const db = openDb(databaseUrl);
const cache = openCache(db);
const feed = await openFeed(db, (id) => (id ? cache.forget(id) : cache.forgetAll()));
const hashKey = new Secret<Uint8Array>(Buffer.from(present(hashKeyHex, 'a key'), 'hex'));
const api = await openApi({ db, hashKey, cache, feed });
await api.listen({ host: '127.0.0.1', port: 0 });

const tell = (told: FromMember) => process.send?.(told);
const work = openWork(databaseUrl, Number(number));
process.on('message', async (span: Span) => tell({ done: await work(span) }));
process.on('disconnect', () => process.exit(0));
tell({ port: portOf(api.server) });
