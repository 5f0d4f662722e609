import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Instant, instant } from '../../src/kernel/clock.ts';
import { Fault, type FaultKind } from '../../src/kernel/fault.ts';
import { type Address, assetId, chainId, type TokenId } from '../../src/kernel/ids.ts';
import { ratioFromDecimal } from '../../src/kernel/ratio.ts';
import type { Outbound, OutboundCall } from '../../src/world/outbound/http.ts';
import { hyperliquid } from '../../src/world/venues/hyperliquid/family.ts';
import { openHyperliquid } from '../../src/world/venues/hyperliquid/hyperliquid.ts';
import { readAll } from '../../src/world/venues/hyperliquid/paging.ts';
import { priceText } from '../../src/world/venues/hyperliquid/price.ts';

const ACCOUNT = '0x52908400098527886E0F7030069857D2E4169EE7' as Address;
const STRANGER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D' as Address;
const XMR1 = '0xbb2057659bd378d17e2e151bb04bdcaa';
const NAMESAKE = '0x11111111111111111111111111111111';
const USDC = '0x6d1e7cde53ba9467b783cb7c530ce054';
const HASH = `0x${'ab'.repeat(32)}`;
const ARBITRUM = chainId(42161);

const token = (name: string, tokenId: string, index: number, szDecimals = 2) => ({
  name,
  tokenId,
  index,
  szDecimals,
  weiDecimals: 8,
});
const pairOf = (index: number, base: number) => ({ tokens: [base, 0], name: `@${index}`, index });
const META = {
  tokens: [token('USDC', USDC, 0, 8), token('XMR1', XMR1, 411)],
  universe: [pairOf(259, 999), pairOf(260, 411)],
};
const WITH_NAMESAKE = { ...META, tokens: [...META.tokens, token('XMR1', NAMESAKE, 12)] };
const TRX1 = token('TRX1', NAMESAKE, 13);
const BOOK = { coin: '@260', time: 1_000, levels: [[{ px: '319.9', sz: '2.5' }], [{ px: '320.1', sz: '1.25' }]] };

type Reply = { readonly status?: number; readonly body: unknown };

/** Our venue on a script: each kind of question has its answer. */
async function scripted(answers: Record<string, unknown | (() => Reply)>) {
  let now = 1_000_000;
  const calls: OutboundCall[] = [];
  const outbound: Outbound = async (call) => {
    calls.push(call);
    const kind = call.label.slice(call.label.indexOf(':') + 1);
    const answer = answers[kind] ?? (kind === 'spotMeta' ? META : undefined);
    const reply: Reply = typeof answer === 'function' ? answer() : { body: answer };
    const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    return { status: reply.status ?? 200, body };
  };
  const funding = { chainId: ARBITRUM, asset: assetId(ARBITRUM, '0xaf' as TokenId), address: STRANGER };
  const clock = { now: () => instant(now) };
  const venue = await openHyperliquid({ url: 'http://venue', account: ACCOUNT, funding }, outbound, clock);
  const advance = (ms: number): void => {
    now += ms;
  };
  return { venue, calls, advance, asked: (label: string) => calls.filter((call) => call.label === label).length };
}

const isFault = (kind: FaultKind) => (error: unknown) =>
  error instanceof Fault && error.kind === kind && error.at === 'venue';

test('prices follow five significant figures and six decimals, to our side', () => {
  const rules = { baseDecimals: 8, quoteDecimals: 8, sizeDecimals: 2 };
  const cases = [
    ['312.456', '312.45', '312.46'],
    ['312.4', '312.4', '312.4'],
    ['99999.5', '99999', '100000'],
    ['1234567.8', '1234567', '1234568'],
    ['9.99996', '9.9999', '10'],
    ['0.123456', '0.12345', '0.12346'],
    ['0.00123456', '0.001234', '0.001235'],
    ['0.0000015', '0.000001', '0.000002'],
  ] as const;
  for (const [price, buy, sell] of cases) {
    assert.equal(priceText(ratioFromDecimal(price), 'buy', rules), buy);
    assert.equal(priceText(ratioFromDecimal(price), 'sell', rules), sell);
  }
});

test('the market is found by token id, whatever else bears the name', async () => {
  const { venue } = await scripted({ spotMeta: { ...WITH_NAMESAKE, tokens: WITH_NAMESAKE.tokens.toReversed() } });
  assert.equal(venue.market.base, `1337:${XMR1}`);
  assert.equal(venue.market.quote, `1337:${USDC}`);
  assert.deepEqual(venue.market.wire, { asset: '10260', decimals: '8' });
  assert.equal(venue.market.lot, 1_000_000n);
  assert.deepEqual(venue.tokenWire(venue.market.base), { token: `XMR1:${XMR1}`, decimals: '8' });
  await assert.rejects(scripted({ spotMeta: { ...META, universe: [] } }), isFault('permanent'));
});

test('callers at the same time share one question for the book, and half a second’s callers its answer', async () => {
  const { venue, asked, advance } = await scripted({
    l2Book: BOOK,
    allMids: { ETH: '3500.5', '@260': '320', '@1': '9' },
  });
  const books = await Promise.all([venue.book(), venue.book(), venue.book()]);
  assert.equal(books[0], books[2]);
  advance(499);
  await venue.book();
  assert.equal(asked('info:l2Book'), 1);
  advance(1);
  await venue.book();
  assert.equal(asked('info:l2Book'), 2);
  assert.deepEqual([...(await venue.prices()).keys()], ['ETH', 'XMR']);
});

test('a failed question is not remembered', async () => {
  let isUp = false;
  const { venue } = await scripted({ l2Book: () => (isUp ? { body: BOOK } : { status: 503, body: 'busy' }) });
  await assert.rejects(venue.book(), isFault('transient'));
  isUp = true;
  assert.equal((await venue.book()).asks[0]?.size, 125_000_000n);
});

test('a reply that is not as documented is an ambiguous fault', async () => {
  const broken = [
    { l2Book: null },
    { l2Book: { ...BOOK, levels: [[{ px: '0x10', sz: '1' }], []] } },
    { l2Book: { ...BOOK, levels: [[{ px: '1', sz: '0.123456789' }], []] } },
    { l2Book: () => ({ body: '{"coin":' }) },
    { l2Book: () => ({ status: 404, body: 'no' }) },
  ];
  for (const answers of broken) {
    const { venue } = await scripted(answers);
    await assert.rejects(venue.book(), isFault('ambiguous'), JSON.stringify(answers));
  }
  const { venue } = await scripted({ orderStatus: { status: 'order', order: { status: 'filled', order: {} } } });
  await assert.rejects(venue.ticket('0x01'), isFault('ambiguous'));
});

test('a posted action was answered, whatever the answer; too many requests did nothing; the rest is unknown', async () => {
  let reply: Reply = { body: { status: 'err', response: 'no' } };
  const { venue, calls } = await scripted({ order: () => reply });
  const signed = { nonce: 1, body: '{"action":{"type":"order"}}' };
  await venue.post(signed);
  assert.equal(calls.at(-1)?.label, 'exchange:order');
  assert.equal(calls.at(-1)?.body, signed.body);
  reply = { status: 429, body: '' };
  await assert.rejects(venue.post(signed), isFault('transient'));
  reply = { status: 502, body: '' };
  await assert.rejects(venue.post(signed), isFault('ambiguous'));
});

test('an order’s state is told by the venue’s word for it and what is left', async () => {
  const entry = (status: string, sz: string) => ({
    status: 'order',
    order: { status, order: { origSz: '2.5', sz, timestamp: 7 }, statusTimestamp: 9 },
  });
  const done = { state: 'done', placedAt: 7 };
  let reply: unknown = entry('open', '2.5');
  const { venue } = await scripted({ orderStatus: () => ({ body: reply }) });
  assert.deepEqual(await venue.ticket('0x1'), { state: 'open' });
  reply = entry('canceled', '1.0');
  assert.deepEqual(await venue.ticket('0x1'), { ...done, filled: 150_000_000n, reason: 'canceled' });
  reply = entry('iocCancelRejected', '2.5');
  assert.deepEqual(await venue.ticket('0x1'), { ...done, filled: 0n, reason: 'iocCancelRejected' });
});

const transfer = (more: object) => ({
  time: 2_000,
  hash: HASH,
  delta: {
    type: 'spotTransfer',
    token: 'XMR1',
    amount: '1.5',
    user: STRANGER.toLowerCase(),
    destination: ACCOUNT.toLowerCase(),
    fee: '0.0',
    nativeTokenFee: '0.0',
    nonce: null,
    feeToken: '',
    ...more,
  },
});

test('a token’s namesake is never credited as the real one, even if it appears while we run', async () => {
  let meta = META;
  const rows = [transfer({})];
  const { venue, asked } = await scripted({
    spotMeta: () => ({ body: meta }),
    userNonFundingLedgerUpdates: () => ({ body: rows }),
  });
  const seen = async () => (await venue.ledger(instant(0))).rows.map((row) => [row.kind, row.asset, row.atoms]);
  assert.deepEqual(await seen(), [['send_in', `1337:${XMR1}`, 150_000_000n]]);
  assert.deepEqual(await seen(), [['send_in', `1337:${XMR1}`, 150_000_000n]]);
  assert.equal(asked('info:spotMeta'), 2, 'once to open and once to read: an old row needs no newer list');
  meta = WITH_NAMESAKE;
  const ours = { user: ACCOUNT.toLowerCase(), destination: STRANGER.toLowerCase(), nonce: 5 };
  rows.push({ ...transfer({}), time: 1_000_000 }, { ...transfer(ours), time: 1_000_001 });
  assert.deepEqual(await seen(), [
    ['send_in', '1337:unidentified-XMR1', 0n],
    ['send_in', '1337:unidentified-XMR1', 0n],
    ['send_out', `1337:${XMR1}`, 150_000_000n],
  ]);
});

test('opening the recipient’s account is a row of its own, in USDC', async () => {
  const sent = transfer({
    user: ACCOUNT.toLowerCase(),
    destination: STRANGER.toLowerCase(),
    fee: '1.0',
    feeToken: 'USDC',
    nonce: 77,
  });
  const { venue } = await scripted({ userNonFundingLedgerUpdates: [sent] });
  const { rows } = await venue.ledger(instant(0));
  assert.deepEqual(
    rows.map((row) => [row.kind, row.asset, row.atoms, row.fee, row.nonce]),
    [
      ['send_out', `1337:${XMR1}`, 150_000_000n, 0n, 77],
      ['activation', `1337:${USDC}`, 100_000_000n, 0n, 77],
    ],
  );
  assert.notEqual(rows[0]?.key, rows[1]?.key);
});

test('a history longer than a page is read to its end, each row once', async () => {
  const all = Array.from({ length: 23 }, (_, index) => ({
    key: `k${index}`,
    at: instant(100 + Math.floor(index / 3)),
  }));
  const page = async (from: Instant) => all.filter((row) => row.at >= from).slice(0, 5);
  assert.deepEqual(await readAll('rows', instant(0), 5, page), all);
  assert.deepEqual(await readAll('rows', instant(104), 5, page), all.slice(12));
  const crowd = Array.from({ length: 6 }, (_, index) => ({ key: `c${index}`, at: instant(7) }));
  const crowded = async () => crowd.slice(0, 5);
  await assert.rejects(readAll('rows', instant(0), 5, crowded), isFault('ambiguous'));
});

test('addresses are checked when their case says something, and the venue’s own are refused', async () => {
  const { venue } = await scripted({});
  const { parseAddress, refusesDestination } = venue.rules;
  assert.equal(parseAddress(ACCOUNT), ACCOUNT);
  assert.equal(parseAddress(`0x${ACCOUNT.slice(2).toUpperCase()}`), ACCOUNT);
  assert.equal(parseAddress(ACCOUNT.replace('E0', 'e0')), undefined);
  for (const text of ['', '0x', ACCOUNT.slice(2), `${ACCOUNT}0`, ` ${ACCOUNT}`, '0xzz'])
    assert.equal(parseAddress(text), undefined);
  const refused = (text: string) => refusesDestination(parseAddress(text) as Address) !== undefined;
  assert.ok(refused(`0x${'00'.repeat(20)}`));
  assert.ok(refused('0x200000000000000000000000000000000000019b'));
  assert.ok(refused(`0x${'22'.repeat(20)}`));
  assert.ok(!refused(ACCOUNT));
});

test('decimals that the settings say wrongly are refused when the venue is opened', async () => {
  const outbound: Outbound = async () => ({
    status: 200,
    body: JSON.stringify({ ...META, tokens: [...META.tokens, TRX1] }),
  });
  const open = (decimals: number) => {
    const settings = {
      url: 'http://venue',
      baseTokenId: XMR1,
      market: 260,
      bridges: { trx: { tokenId: NAMESAKE, decimals } },
    };
    const around = { settings, keys: { hot: ACCOUNT }, outbound, clock: { now: () => instant(0) } };
    const tokens = [XMR1, NAMESAKE] as unknown as readonly TokenId[];
    assert.deepEqual(
      hyperliquid.rules(settings, tokens).facts.assets.map(({ symbol }) => symbol),
      ['USDC', 'XMR1', 'TRX1'],
    );
    return hyperliquid.open(around, tokens, { asset: assetId(ARBITRUM, '0xaf' as TokenId), address: STRANGER });
  };
  assert.equal((await open(8)).market.name, 'XMR1/USDC');
  await assert.rejects(open(6), { kind: 'permanent', message: `${NAMESAKE} has 8 decimals there, not 6` });
});
