import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { AssetFile, AssetFiles } from '../../web/server/assets.ts';
import type { FetchAs } from '../../web/server/desk.ts';
import { LANGUAGES } from '../../web/server/language.ts';
import { mountPages } from '../../web/server/plugin.tsx';
import type { PagesSettings } from '../../web/server/settings.ts';
import type { Desk } from '../engine/desk.ts';
import type { Clock } from '../kernel/clock.ts';
import { parseOrderId } from '../kernel/ids.ts';
import { scaleInt } from '../kernel/ratio.ts';
import { showUsd } from '../kernel/usd.ts';
import type { Rules } from '../life/order/rules.ts';
import { placeOf } from '../partners/sign-in.ts';
import type { Breaker } from '../store/gates.ts';
import type { Config } from './config.ts';

/** Written by the build beside the program; as far from its source as from the program itself. */
const FILES = new URL('../../dist/web/assets.json', import.meta.url);

export interface PagesHouse {
  readonly desk: Pick<Desk, 'watch'>;
  readonly clock: Clock;
  readonly rules: Rules;
  readonly files: AssetFiles;
  readonly breakers: { all(): Promise<readonly Pick<Breaker, 'scope' | 'open' | 'since'>[]> };
}

/** The pages for people on the API's own port. They ask the desk as every caller does, with the visitor's own address. */
export async function openPages(
  app: FastifyInstance,
  config: Pick<Config, 'api' | 'pages'>,
  house: PagesHouse,
): Promise<void> {
  const { desk, clock, rules, files, breakers } = house;
  await mountPages(app, {
    fetchAs: fetchWithin(app),
    watch: (id, changed) => {
      const orderId = parseOrderId(id);
      return orderId ? desk.watch(orderId, changed) : () => {};
    },
    clock,
    settings: settingsOf(config),
    rules: {
      enoughPercent: scaleInt(100n, rules.enough, 'down').toString(),
      fundingWindowSeconds: rules.fundingWindowMs / 1000,
      continueFromUsd: showUsd(rules.continueFrom).replace(/\.00$/, ''),
    },
    files,
    // The operator's words about it are the operator's own.
    stopped: async () =>
      (await breakers.all()).filter(({ open }) => open).map(({ scope, since }) => ({ scope, since })),
    newKey: randomUUID,
  });
}

/** Where partners sign in; the API checks messages against the same. */
export const placeAt = ({ api, pages }: Pick<Config, 'api' | 'pages'>) =>
  placeOf(pages?.publicUrl ?? `http://${api.host}:${api.port}`);

function settingsOf({ api, pages = {} }: Pick<Config, 'api' | 'pages'>): PagesSettings {
  return {
    publicUrl: pages.publicUrl,
    name: pages.name ?? 'Wherry',
    contact: pages.contact,
    banner: pages.banner,
    explorers: pages.explorers ?? {},
    languages: pages.languages ?? LANGUAGES,
    onionAddress: api.onion?.address,
    place: placeAt({ api, pages }),
  };
}

/** A `fetch` that never leaves this process. The request is counted as the visitor's, since it has his address. */
export const fetchWithin =
  (app: FastifyInstance): FetchAs =>
  ({ ip }) =>
  async (input, init = {}) => {
    const url = new URL(String(input));
    const reply = await app.inject({
      method: (init.method ?? 'GET') as 'GET',
      url: `${url.pathname}${url.search}`,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === 'string' ? { payload: init.body } : {}),
      remoteAddress: ip,
    });
    const headers = Object.entries(reply.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    return new Response(reply.statusCode === 204 ? null : reply.payload, { status: reply.statusCode, headers });
  };

/** The packed files of the last build. */
export function readPageFiles(): AssetFiles {
  const read = JSON.parse(readFileSync(FILES, 'utf8')) as Record<string, Record<keyof AssetFile, string>>;
  const bytes = (text: string) => Buffer.from(text, 'base64');
  return Object.fromEntries(
    Object.entries(read).map(([key, { name, type, plain, gzip, brotli }]) => [
      key,
      { name, type, plain: bytes(plain), gzip: bytes(gzip), brotli: bytes(brotli) },
    ]),
  );
}
