import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { GUIDES } from '../../web/pages/guides.tsx';
import { stagedDesk } from '../browser/staged-desk.ts';
import { EVM_ADDRESS, MONERO_ADDRESS, OTHER_MONERO_ADDRESS } from './assets.ts';
import { BUY_ORDER } from './bench.ts';
import { boxesIn, keptOf, neededIn, readCurl, runProgram } from './guide-reader.ts';
import { type PartnerBench, partnerBench, TAKEN } from './partner-bench.ts';
import { arrived, completed, payoutRefused, strayed } from './stages.ts';

type Known = Readonly<Record<string, string>>;
type Reply = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };
type Send = (asked: ReturnType<typeof readCurl>) => Promise<{ readonly status: number; readonly text: string }>;

/** Carries out the guide as a reader would, box by box, and gives what was answered and what was kept. */
async function follow(
  html: string,
  brings: Known,
  send: Send,
  between: (step: number, known: Known) => Promise<void> = async () => {},
): Promise<{ readonly replies: readonly Reply[]; readonly known: Known; readonly programs: readonly string[] }> {
  const [settings = '', ...steps] = boxesIn(html);
  const known: Record<string, string> = { DESK: /^DESK=(\S+)/.exec(settings)?.[1] ?? '', ...brings };
  assert.deepEqual(neededIn(settings).toSorted(), Object.keys(brings).toSorted());
  const [replies, programs]: [Reply[], string[]] = [[], []];
  for (const [at, step] of steps.entries()) {
    await between(at, known);
    if (step.startsWith('import')) {
      programs.push(step);
      continue;
    }
    const { status, text } = await send(readCurl(step, known));
    const body = text.startsWith('{') ? JSON.parse(text) : {};
    replies.push({ status, body });
    Object.assign(known, keptOf(step, body));
  }
  return { replies, known, programs };
}

const overHttp: Send = async ({ method, url, headers, body }) => {
  const reply = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  return { status: reply.status, text: await reply.text() };
};

/** A desk that listens, and the pages that tell its own address. */
async function reading(t: TestContext, pages: { readonly publicUrl?: string } = {}) {
  const made = await stagedDesk(pages);
  t.after(() => made.api.close());
  const url = await made.listen();
  const base = pages.publicUrl ? new URL(pages.publicUrl).pathname : '';
  const page = async (name: string) => {
    const { statusCode, body } = await made.get(`${base}/docs/guide/${name}`);
    assert.equal(statusCode, 200, name);
    assert.ok(body.length < 30_000, `${name} has ${body.length} bytes`);
    // The fixture's settings name another port than the one that was free.
    return body.replace(/DESK=[^\s<]+/, `DESK=${url}`);
  };
  const order = async () => {
    const { orderId, sessionId } = (await made.post('/v2/swaps', BUY_ORDER)).json();
    return { ORDER: orderId as string, SESSION: sessionId as string };
  };
  return { ...made, url, page, order };
}

const statuses = (replies: readonly Reply[]) => replies.map(({ status }) => status);
const stateIn = (reply: Reply | undefined) => reply?.body.customerState as Record<string, string> | undefined;

const UUIDS = ['0b9f2a52-5d2b-4c69-8f6e-3b8f3d8f1a10', '6c1f0c0e-92a5-4a5b-a9c5-1e1f7b0f5c11'] as const;

/** On a desk that says where it is found, links of answers are whole. */
async function followedFromOutside(t: TestContext): Promise<void> {
  const { page, url } = await reading(t, { publicUrl: 'https://desk.example/swap' });
  const asked: string[] = [];
  const fromOutside: Send = (call) => {
    asked.push(call.url);
    return overHttp({ ...call, url: call.url.replace('https://desk.example', url) });
  };
  const { replies, known } = await follow(await page('follow'), { TO: EVM_ADDRESS }, fromOutside);
  assert.deepEqual(statuses(replies), [201, 200, 200]);
  assert.match(known.TRACKING ?? '', /^https:\/\/desk\.example\/swap\/track\//);
  assert.equal(asked.at(-1), known.TRACKING);
}

/** Every guide has a story here, by its name. */
const STORIES: Readonly<Record<string, (t: TestContext) => Promise<void>>> = {
  price: async (t) => {
    const { page } = await reading(t);
    const { replies } = await follow(await page('price'), {}, overHttp);
    assert.deepEqual(statuses(replies), [200, 200, 200]);
    assert.equal(replies[1]?.body.fromAmount, '300000000');
    assert.equal(replies[2]?.body.toAmount, '1000000000000');
  },
  swap: async (t) => {
    const { page, desk } = await reading(t);
    const pays = async (step: number, { ORDER = '' }: Known) => {
      if (step === 1) desk.change(ORDER, completed);
    };
    const carriedOut = async (WISH: string) => follow(await page('swap'), { TO: MONERO_ADDRESS, WISH }, overHttp, pays);
    const { replies, known } = await carriedOut(UUIDS[0]);
    assert.deepEqual(statuses(replies), [201, 200]);
    assert.equal(stateIn(replies[1])?.kind, 'completed');
    assert.equal(known.ADDRESS, EVM_ADDRESS);
    const nextDay = await carriedOut(UUIDS[1]);
    assert.notEqual(nextDay.known.ORDER, known.ORDER, 'who reads it again makes another order');
  },
  follow: async (t) => {
    const { page, desk } = await reading(t);
    const { replies, known, programs } = await follow(await page('follow'), { TO: EVM_ADDRESS }, overHttp);
    assert.deepEqual(statuses(replies), [201, 200, 200]);
    await followedFromOutside(t);
    desk.change(known.ORDER ?? '', completed);
    const said: unknown[] = [];
    t.mock.method(console, 'log', (line: unknown) => said.push(line));
    await runProgram(programs[0] ?? '', known);
    assert.deepEqual(said, ['completed']);
  },
  'short-deposit': async (t) => {
    const { page, order, desk } = await reading(t);
    const made = await order();
    desk.change(made.ORDER, arrived(100_000_000n, 12));
    const { replies } = await follow(await page('short-deposit'), made, overHttp);
    assert.deepEqual(statuses(replies), [200, 200]);
    assert.deepEqual(
      [stateIn(replies[0])?.notice, stateIn(replies[0])?.observedDepositAmount],
      ['below_expected', '100000000'],
    );
    assert.notEqual(stateIn(replies[1])?.kind, 'notice');
  },
  refund: async (t) => {
    const { page, order, desk } = await reading(t);
    const made = await order();
    desk.change(made.ORDER, strayed);
    const { replies } = await follow(await page('refund'), { ...made, BACK: EVM_ADDRESS }, overHttp);
    assert.deepEqual(statuses(replies), [200, 200]);
    assert.equal(stateIn(replies[0])?.action, 'refund_address');
    assert.equal((replies[1]?.body.refundRecovery as Known | undefined)?.phase, 'checking');
  },
  'other-destination': async (t) => {
    const { page, order, desk } = await reading(t);
    const made = await order();
    desk.change(made.ORDER, payoutRefused);
    const { replies } = await follow(await page('other-destination'), { ...made, TO: OTHER_MONERO_ADDRESS }, overHttp);
    assert.deepEqual(statuses(replies), [200, 200]);
    assert.equal(stateIn(replies[0])?.action, 'payout_address');
    assert.equal(replies[1]?.body.toAddress, OTHER_MONERO_ADDRESS);
  },
  bridge: async (t) => {
    const { page } = await reading(t);
    const { replies, known } = await follow(await page('bridge'), { TO: EVM_ADDRESS }, overHttp);
    assert.deepEqual(statuses(replies), [200, 201, 200]);
    assert.match(known.ORDER ?? '', /^dep_/);
  },
  refusals: async (t) => {
    const { page, post } = await reading(t);
    const html = await page('refusals');
    const { replies, known } = await follow(html, { TO: MONERO_ADDRESS, WISH: UUIDS[0] }, overHttp);
    assert.deepEqual(statuses(replies), [400, 201]);
    const { errors } = (replies[0]?.body.details ?? { errors: [] }) as { errors: { field: string }[] };
    assert.deepEqual(errors.map(({ field }) => field).toSorted(), ['fromAmount', 'toAddress']);
    const again = readCurl(boxesIn(html)[2] ?? '', known);
    assert.equal((await post('/v2/swaps', JSON.parse(again.body ?? ''), again.headers)).json().orderId, known.ORDER);
  },
  earn: async (t) => {
    const { page } = await reading(t);
    const { serverKey } = await partners.partner();
    const brings = { KEY: serverKey, TO: MONERO_ADDRESS, WISH: UUIDS[0] };
    const { replies, known } = await follow(await page('earn'), brings, within);
    assert.deepEqual(statuses(replies), [201, 200]);
    const orders = (replies[1]?.body.orders ?? []) as { orderId: string }[];
    assert.deepEqual(
      orders.map(({ orderId }) => orderId),
      [known.ORDER],
    );
  },
  webhooks: async (t) => {
    const { page } = await reading(t);
    const { serverKey } = await partners.partner();
    const { replies, known, programs } = await follow(await page('webhooks'), { KEY: serverKey }, within);
    assert.deepEqual(statuses(replies), [201, 202]);
    const [sent] = await partners.deliver(() => TAKEN);
    t.mock.timers.enable({ apis: ['Date'], now: partners.now() });
    const { taken } = (await runProgram(programs[0] ?? '', known)) as {
      taken(headers: Known, body: string): Promise<string>;
    };
    assert.equal(await taken(sent?.headers ?? {}, sent?.body ?? ''), 'webhook.test');
    await assert.rejects(taken(sent?.headers ?? {}, `${sent?.body} `), /No signature fits/);
  },
};

let partners: PartnerBench;
before(async () => {
  partners = await partnerBench();
});
after(() => partners.close());

/** To the desk of partners, which has a database of its own. */
const within: Send = async ({ method, url, headers, body }) => {
  const { pathname, search } = new URL(url);
  const reply = await partners.call({
    ...{ method: method as 'GET', url: pathname + search, headers },
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: reply.statusCode, text: reply.body };
};

for (const { name, title } of GUIDES) {
  test(`the guide “${title}” can be carried out as it is shown`, async (t) => {
    const story = STORIES[name];
    assert.ok(story, `nobody tries ${name}`);
    await story(t);
  });
}

test('the list of guides leads to each, and an onion’s reader is told the onion’s address', async (t) => {
  const address = `${'a'.repeat(56)}.onion`;
  const onion = { host: '127.0.0.1', port: 2, address };
  const { get, api } = await stagedDesk({}, {}, { host: '127.0.0.1', port: 1, onion });
  t.after(() => api.close());
  const { body } = await get('/v2/docs');
  const listed = [...body.matchAll(/href="\/docs\/guide\/([\w-]+)"/g)].map(([, name]) => name);
  assert.deepEqual(
    listed,
    GUIDES.map(({ name }) => name),
  );
  assert.match((await get('/docs/guide/swap', { host: address })).body, new RegExp(`DESK=http://${address}\n`));
});

test('a step that no shell would take, or that names what nobody said, is noticed', () => {
  assert.throws(() => readCurl('curl -s "$DESK/v2"', {}), /nobody said what DESK is/);
  assert.throws(() => readCurl('wget "$DESK"', { DESK: 'http://x' }), /curl/);
  assert.throws(() => readCurl('curl --insecure "$DESK"', { DESK: 'http://x' }), /--insecure/);
});
