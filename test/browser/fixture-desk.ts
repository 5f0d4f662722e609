import type { AddressInfo } from 'node:net';
import { packPages } from '../../scripts/build-pages.ts';
import type { SwapOrder } from '../../sdk/src/index.ts';
import { fetchWithin } from '../../src/app/pages.ts';
import { LANGUAGES } from '../../web/server/language.ts';
import { mountPages } from '../../web/server/plugin.tsx';
import { bridgedCatalog } from '../wire/assets.ts';
import { bench, NO_LIMITS } from '../wire/bench.ts';
import { FIXTURES } from './fixtures.ts';
import { MEMBER_TOKEN, partnerReply } from './partner-fixtures.ts';

const refused = (isMember: boolean) =>
  isMember
    ? Response.json({ error: 'Not found', code: 'not_found' }, { status: 404 })
    : Response.json({ error: 'Please sign in.', code: 'not_signed_in' }, { status: 401 });

/** What somebody who may only look is told: no address, and nothing that is not there. */
const tracked = ({ toAddress: _, ...order }: SwapOrder): object =>
  Object.fromEntries(Object.entries(order).filter(([, value]) => value !== null));

/** Pages whose orders are fixtures: `/order/<name of the fixture>`. Everything else is the desk over fakes. */
export async function fixtureDesk() {
  const files = await packPages();
  const made = await bench({ quota: NO_LIMITS, catalog: bridgedCatalog }, (app, { clock }) => {
    const within = fetchWithin(app);
    return mountPages(app, {
      fetchAs: (visitor) => async (input, init) => {
        const { pathname } = new URL(String(input));
        if (pathname.startsWith('/partner/')) {
          const isMember = String(new Headers(init?.headers).get('cookie')).includes(MEMBER_TOKEN);
          const reply = partnerReply(init?.method ?? 'GET', pathname, isMember);
          return reply === undefined ? refused(isMember) : Response.json(reply);
        }
        const [name = ''] = (pathname.split('/').at(-1) ?? '').split('.');
        const order = FIXTURES[name];
        if (!order) return within(visitor)(input, init);
        return Response.json(pathname.startsWith('/v2/track/') ? tracked(order) : { ...order, orderId: name });
      },
      watch: () => () => {},
      clock,
      settings: {
        publicUrl: undefined,
        name: 'Wherry',
        contact: 'mailto:desk@example.org',
        banner: { text: 'Play money', level: 'warning' },
        explorers: {},
        languages: LANGUAGES,
        onionAddress: undefined,
        place: { domain: '127.0.0.1', origin: 'http://127.0.0.1' },
      },
      rules: { enoughPercent: '99', fundingWindowSeconds: 3600, continueFromUsd: '10' },
      files,
      stopped: async () => [{ scope: 'chain:1', since: clock.now() }],
      newKey: () => 'key',
    });
  });
  await made.api.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(made.api.server.address() as AddressInfo).port}`;
  return { url, files, get: made.get, close: () => made.api.close() };
}
