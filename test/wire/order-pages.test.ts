import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LANGUAGES, WORDS } from '../../web/server/language.ts';
import { fixtureDesk } from '../browser/fixture-desk.ts';
import { FIXTURES } from '../browser/fixtures.ts';
import { ORDERS, PAPERS, PATHS } from '../browser/paths.ts';
import { EVM_ADDRESS, MONERO_ADDRESS, USDC } from './assets.ts';

let desk: Awaited<ReturnType<typeof fixtureDesk>>;
before(async () => {
  desk = await fixtureDesk();
});
after(() => desk.close());

/** The state of a fixture's page: its HTML, and what a person reads. */
async function shown(name: string, headers: Readonly<Record<string, string>> = {}) {
  const { body } = await desk.get(`/order/${name}`, { cookie: 'wherry_proof=x', ...headers });
  const html = body.split('<div id="state"')[1]?.split('<details class="card"')[0] ?? '';
  const text = html
    .replaceAll(/<bdi class="address code">.*?<\/bdi>/g, (one) => one.replaceAll(/<[^>]*>/g, ''))
    .replaceAll(/^[^>]*>|<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
  const has = (...wanted: readonly string[]) => {
    for (const one of wanted) assert.ok(text.includes(one), `${name} does not say “${one}”: ${text}`);
  };
  const hasNot = (...unwanted: readonly string[]) => {
    for (const one of unwanted) assert.ok(!text.includes(one), `${name} says “${one}”: ${text}`);
  };
  return { html, has, hasNot };
}

test('every page is there in every language, with one headline, and says nothing that is not known', async () => {
  for (const language of LANGUAGES)
    for (const path of [...PATHS, ...PAPERS, ...ORDERS]) {
      const { statusCode, body } = await desk.get(path, { cookie: 'wherry_proof=x', 'accept-language': language });
      assert.ok(statusCode < 500, `${statusCode} ${language} ${path}`);
      assert.equal(body.split('<h1').length, 2, `${language} ${path}`);
      assert.ok(!/undefined|\[object|NaN/.test(body), `${language} ${path}`);
    }
});

/** The words of the code's description, which are read to those who do not see it. */
const altOf = (html: string): string => /<img[^>]* alt="([^"]*)"/.exec(html)?.[1] ?? '';

test('who has to send is told how much, of what, on which network, where, until when, and where a refund would go', async () => {
  const token = await shown('awaiting_token');
  token.has('Send 300 USDC on Arbitrum to the address below', `Network Arbitrum Address ${EVM_ADDRESS}`);
  token.has(
    'This much must arrive: exchanges deduct their fee',
    'Send before 01:00 UTC',
    'You receive about 1 XMR · Monero',
    'A refund goes to the sender',
  );
  assert.match(token.html, /<count-down data-until="2030-01-01T01:00:00.000Z"/);
  assert.match(token.html, /<img[^>]* src="data:image\/png;base64,/);
  assert.equal(altOf(token.html), `QR code: address for USDC on Arbitrum: ${EVM_ADDRESS}`);
  // The full link of a token is a second choice with a name of its own.
  assert.match(token.html, new RegExp(`href="ethereum:${USDC.token}@42161/transfer[^"]*">Payment link for wallets<`));
  const coin = await shown('awaiting_coin');
  coin.has('Send 1.5 XMR on Monero', `A refund goes to ${MONERO_ADDRESS}`);
  assert.equal(altOf(coin.html), `QR code: 1.5 XMR on Monero to ${MONERO_ADDRESS}`);
  assert.match(coin.html, /href="monero:[^"]*tx_amount=1\.5">Open in wallet</);
});

test('a bridge takes any amount from its minimum on; a wrapped coin is sent on the venue, and has no link', async () => {
  const bridge = await shown('awaiting_bridge');
  bridge.has('Send any amount of XMR from 0.1 XMR on', 'A refund goes to you are asked for an address here');
  bridge.hasNot('This much must arrive', 'At least');
  for (const [name, token] of [
    ['awaiting_xmr1', 'XMR1'],
    ['awaiting_trx1', 'TRX1'],
  ] as const) {
    const wrapped = await shown(name);
    wrapped.has(`Send ${token} on Hyperliquid as a spot transfer`, 'Network Hyperliquid');
    assert.ok(!/class="pay-link"|href="\w+:/.test(wrapped.html), name);
  }
});

test('ZEC is asked for at the unified address; the transparent one is behind a choice that warns miners', async () => {
  const { html, has } = await shown('awaiting_zec');
  const { unified = '', transparent = '' } = FIXTURES.awaiting_zec?.depositAddressForms ?? {};
  has(`Network Zcash Address ${unified}`);
  const [open = '', folded = ''] = html.replaceAll(/<\/?(?:span|bdi)[^>]*>/g, '').split('<details>');
  assert.ok(!open.includes(transparent) && folded.includes(transparent));
  has('My wallet cannot send to this address', 'Not for miners');
});

test('what is missing of a deposit is told as the rest, to the same address, until when, and what happens then', async () => {
  const part = await shown('below_expected');
  part.has('Arrived 100 USDC', 'Asked for 300 USDC', 'Still to send 200 USDC', EVM_ADDRESS, 'before 01:00 UTC');
  part.has(
    'After that the order goes on with what arrived. Less than $10 is set aside and returned',
    'Go on with what',
  );
  assert.match(part.html, /href="ethereum:[^"]*uint256=200000000"/);
  const small = await shown('below_minimum');
  small.has('Send at least 0.07 XMR more to the same address. It joins what you sent', 'Arrived 0.01 XMR');
  small.has('Minimum 0.08 XMR', 'Still to send 0.07 XMR');
  assert.match(small.html, /href="monero:[^"]*tx_amount=0\.07"/);
  assert.ok(altOf(small.html).startsWith('QR code: 0.07 XMR on Monero'));
  (await shown('paused_small')).has('Send 0.07 XMR more to the same address and the order goes on');
  const unknown = await shown('paused_unknown');
  unknown.has('Please reach a person', 'Reach a person');
  unknown.hasNot('Arrived');
  (await shown('checking')).has('came late and is being looked at Nothing to do', 'Arrived 300 USDC');
});

test('of an order at work five steps are shown with the current one, confirmations, and what is expected', async () => {
  const seen = await shown('seen');
  seen.has('Seen, but not confirmed yet', 'Confirmations 0 of 12', 'Expected about 1 XMR');
  assert.equal((seen.html.match(/<ol class="steps".*?<\/ol>/)?.[0].match(/<li/g) ?? []).length, 5);
  const confirming = await shown('confirming');
  confirming.has('Confirmations 5 of 12');
  assert.match(confirming.html, /<li class="now" aria-current="step"><span>Confirmed/);
  const rescaled = await shown('executing');
  rescaled.has('Arrived 310 USDC', 'so about 1.033333333333 XMR is expected');
  rescaled.hasNot('Expected about');
  const bridging = await shown('bridging');
  bridging.has('Arrived 3 XMR', 'Expected about 2.997 XMR1');
  bridging.hasNot('differs from what was asked');
  (await shown('needs_review')).has('Your swap is being made Nothing to do');
  const chunks = await shown('chunks');
  chunks.has('2 of 6 parts · $10,000.00 of $30,000.00', 'Time left, about 32 s');
  const german = await shown('chunks', { 'accept-language': 'de' });
  german.has('2 von 6 Teilen · 10.000,00 $ von 30.000,00 $');
  // What is put into a sentence from right to left keeps its own direction (U+2068 … U+2069).
  const arabic = await shown('awaiting_token', { 'accept-language': 'ar' });
  arabic.has('أرسل \u2068300 USDC\u2069 على \u2068Arbitrum\u2069');
});

test('who waits for money back is told what, how much, on which chain and why, and gives one address', async () => {
  (await shown('preparing_refund')).has('Your money is being returned', 'Nothing to do', 'no route');
  const strayed = await shown('refund_same_coin');
  strayed.has('300 USDC on Base is yours', 'It was sent on Base, but asked for on Arbitrum', 'Your address on Base');
  assert.equal((strayed.html.match(/<input(?![^>]*type="hidden")/g) ?? []).length, 1);
  const suggested = await shown('refund_suggested');
  assert.match(suggested.html, new RegExp(`<input[^>]* value="${EVM_ADDRESS}"`));
  suggested.has('Exchanges often cannot credit a refund to it');
  const own = await shown('refund_own');
  assert.match(own.html, new RegExp(`<input[^>]* value="${EVM_ADDRESS}"`));
  own.has('This is the refund address that you gave');
  own.hasNot('came from', 'Exchanges often cannot credit');
  const payout = await shown('payout_wanted');
  payout.has('Your address cannot be paid', 'frozen by the token', 'Another address on Monero', 'take the money back');
});

test('who waits for stock is told that the order goes on by itself, and may have the money back instead', async () => {
  const waiting = await shown('refund_or_wait');
  waiting.has('Your swap is waiting for stock', 'You may wait: the order goes on by itself', 'have 300 USDC back');
  assert.match(waiting.html, /<input id="refund-address"/);
  for (const language of LANGUAGES) {
    const { refund } = WORDS[language];
    const page = await shown('refund_or_wait', { 'accept-language': language });
    page.has(refund.stockTitle);
    page.hasNot(refund.title, refund.source);
  }
});

test('a refund beside any state says how far it is, and what the state itself tells is not told twice', async () => {
  for (const [phase, says] of Object.entries({
    wanted: 'An address is needed',
    checking: 'Being checked',
    queued: 'Queued',
    sending: 'On its way',
    done: 'Returned',
    blocked: 'A person looks at it',
  })) {
    const beside = await shown(`completed_refund_${phase}`);
    beside.has('Done', 'A refund beside this order Amount 0.1 ETH Network Base', `Status ${says}`);
  }
  const failed = await shown('failed_kept');
  failed.has('Refund Amount 0.1 ETH Network Base Status A person looks at it');
  failed.hasNot('A refund beside this order');
  const refunded = await shown('refunded');
  refunded.has('0.1 ETH was returned on Base', `Returned to ${EVM_ADDRESS}`, `Refund 0x${'ef'.repeat(32)}`);
  refunded.hasNot('A refund beside this order');
});

test('the end is told plainly: what was delivered against what was asked, in how long, by which transaction', async () => {
  const done = await shown('completed');
  done.has('Delivered 0.998 XMR', 'Asked for 1 XMR', 'Took 4 min', `Our payment ${'cd'.repeat(32)}`);
  (await shown('completed_other')).has('Delivered in USDC, because', 'Delivered 299 USDC', 'Asked for 1 XMR');
  (await shown('completed_bridge')).has('Came in 1.5 XMR', 'Fee 0.0015 XMR', 'Went out 1.4985 XMR1');
  const lost = await shown('completed_coinflip_lost');
  lost.has('The coin flip was lost: nothing was paid out');
  lost.hasNot('Paid out to');
  const failed = await shown('failed');
  failed.has('This order needs a person', 'execution_failed', 'Reach a person');
  failed.hasNot('Nothing is lost');
  (await shown('failed_kept')).has('Nothing is lost: 0.1 ETH is recorded as yours');
  (await shown('expired')).has('Did you send?', 'the address stays watched, and this page will ask where to return it');
});
