import assert from 'node:assert/strict';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { packPages } from '../../scripts/build-pages.ts';
import { openPages } from '../../src/app/pages.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { EVM_ADDRESS } from './assets.ts';
import { FORM } from './pages-visit.ts';
import { type PartnerBench, partnerBench } from './partner-bench.ts';

/** Partners over a real database with their pages, and what their browsers without script would send. */
export async function partnerPages() {
  const files = await packPages();
  const api = { host: '127.0.0.1', port: 8080 };
  const desk = await partnerBench({}, {}, (app, deps) =>
    openPages(
      app,
      { api },
      {
        ...{ desk: deps.desk, clock: deps.clock, rules: RULES, files, breakers: { all: async () => [] } },
      },
    ),
  );
  return { ...desk, ...visitsOf(desk) };
}

export type PartnerPages = Awaited<ReturnType<typeof partnerPages>>;

export const textOf = (html: string): string =>
  html
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

function visitsOf(desk: Pick<PartnerBench, 'call'>) {
  /** Somebody with a browser without script. */
  function browser(cookie = '') {
    let kept = cookie;
    const headers = () => ({ ...(kept ? { cookie: kept } : {}) });
    return {
      get: (url: string) => desk.call({ method: 'GET', url, headers: headers() }),
      async post(url: string, fields: Record<string, string> | URLSearchParams = {}) {
        const payload = `${new URLSearchParams(fields)}`;
        const reply = await desk.call({ method: 'POST', url, payload, headers: { ...FORM, ...headers() } });
        const set = reply.headers['set-cookie'];
        if (set) kept = String(set).split(';')[0] ?? '';
        return reply;
      },
      cookie: () => kept,
    };
  }

  async function signedIn(account: PrivateKeyAccount = privateKeyToAccount(generatePrivateKey())) {
    const visitor = browser();
    const page = await visitor.post('/partners/sign-in', { account: account.address.toLowerCase() });
    const message = textOf(/<textarea[^>]*name="message"[^>]*>([^<]*)</.exec(page.body)?.[1] ?? '');
    const signature = await account.signMessage({ message });
    const reply = await visitor.post('/partners/sign-in/signature', {
      message: message.replaceAll('\n', '\r\n'),
      signature,
    });
    return { ...visitor, account, page, message, signature, reply };
  }

  /** Somebody signed in, with an integration. */
  async function partner(fields: Record<string, string> = {}) {
    const visitor = await signedIn();
    const made = await visitor.post('/partners/new', {
      ...{ name: 'Shop', feePercent: '0,5', feeAddress: EVM_ADDRESS },
      ...fields,
    });
    assert.equal(made.statusCode, 303, made.body);
    return { ...visitor, path: String(made.headers.location) };
  }

  return { browser, signedIn, partner };
}
