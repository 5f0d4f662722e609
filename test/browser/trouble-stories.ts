import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Locator, WebSocketRoute } from 'playwright-core';
import { assertAlmostAll, USDC, XMR } from '../e2e/shopper.ts';
import { patiently } from '../run/patience.ts';
import { buying, paid, type Stage, selling } from './stage.ts';
import { pressPay, type Visitor } from './visitor.ts';

const WITHIN_MS = 60_000;

/** What a page says and does while a part of the desk, or of the world, is away. */
type Tell = (visitor: Visitor, stage: Stage) => Promise<void>;

/** The order waits for the engine and goes on with it; the page never says anything else than what is true. */
const engineKilled: Tell = async (visitor, stage) => {
  const { address, deposit } = await buying(visitor, stage);
  // No order is done before somebody has looked: its payout waits for a block.
  const blocks = (intervalMs: number) => () =>
    stage.box.control('POST', '/sandbox/automine', { chainId: 0, intervalMs });
  await stage.meeting.once('no blocks', blocks(0));
  await stage.shopper.send(USDC, deposit, 100_000_000n);
  await visitor.sees(/Your (?:payment|swap|payout) is/);
  await stage.meeting.once('kill', () =>
    stage.box.control('POST', '/sandbox/kill', { role: 'engine', signal: 'SIGKILL' }),
  );
  await stage.meeting.once('blocks', blocks(1000));
  await visitor.sees('Done');
  assert.equal(await paid(stage, address), 1);
};

/** With script the page says that nobody answers, keeps what it shows and recovers; without, it is there again when it is loaded again. */
const deskRestarts: Tell = async (visitor, stage) => {
  const { page, script } = visitor;
  const { address, deposit } = await buying(visitor, stage);
  await stage.meeting.once('kill', () =>
    stage.box.control('POST', '/sandbox/kill', { role: 'api', signal: 'SIGKILL' }),
  );
  if (script === 'on') {
    await page.locator('#lost:visible').waitFor();
    assert.match((await page.locator('#lost').textContent()) ?? '', /Not reached since \d\d:\d\d/);
    assert.equal(await page.locator('h1').textContent(), 'Send your payment');
    await page.locator('#lost').waitFor({ state: 'hidden' });
  } else await shown(page.locator('.deposit .address').first(), () => page.reload().catch(() => undefined));
  await stage.shopper.send(USDC, deposit, 100_000_000n);
  await visitor.sees('Done');
  assert.equal(await paid(stage, address), 1);
};

/** Without its socket the page reads by itself; nothing is told as lost, since the desk answers. */
export const socketCut: Tell = async (visitor, stage) => {
  const sockets: WebSocketRoute[] = [];
  let isCut = false;
  await visitor.page.routeWebSocket(/\/live$/, (socket) => {
    if (isCut) return void socket.close({ code: 1011 });
    socket.connectToServer();
    sockets.push(socket);
  });
  const { address, deposit } = await buying(visitor, stage);
  await visitor.sees('Send your payment');
  assert.equal(sockets.length, 1);
  isCut = true;
  await sockets[0]?.close({ code: 1011 });
  await stage.shopper.send(USDC, deposit, 100_000_000n);
  await visitor.sees('Done');
  assert.equal(await visitor.page.locator('#lost:visible').count(), 0);
  assert.equal(await paid(stage, address), 1);
};

/** Both providers are away: the page says that this pair cannot be had, keeps what was typed, and has a quote again afterwards. */
const providersAway: Tell = async ({ page, go }, { box, meeting }) => {
  const pair = { from: `42161:0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f`, to: `42161:0x${'0'.repeat(40)}` };
  const at = `/?${new URLSearchParams({ ...pair, send: '0.002' })}`;
  await meeting.once('down', () =>
    Promise.all(
      ['oneclick', 'relay'].map((name) =>
        box.control('POST', '/sandbox/fault', { target: `provider:${name}`, mode: 'down' }),
      ),
    ),
  );
  // What a provider offered a moment ago may still be good; somebody who loads the page again is told.
  await shown(page.locator('#troubles', { hasText: 'Nobody offers this swap right now' }), () => go(at));
  assert.equal(await page.locator('#send').inputValue(), '0.002');
  await meeting.once('up', () => box.control('DELETE', '/sandbox/faults'));
  await shown(page.locator('#quote dl'), () => go(at));
};

/** Loads the page until it shows this. */
const shown = (wanted: Locator, load: () => Promise<unknown>): Promise<void> =>
  patiently(`${wanted}`, WITHIN_MS, async (bound) => {
    for (;;) {
      await load();
      if ((await wanted.count()) > 0) return;
      assert.ok(!bound.isOver(), `${wanted} is not shown`);
      await pause(1_000);
    }
  });

/** The sixth order of a minute is refused with the time to wait, keeps what was typed, and is made when that is over. */
const limitHit: Tell = async (visitor, stage) => {
  const { page, context } = visitor;
  const address = await stage.shopper.addressOn(XMR.chainId);
  const form = { do: 'create', from: `42161:${USDC.token}`, to: '0:XMR', send: '100', address };
  for (const key of ['1', '2', '3', '4', '5']) {
    const reply = await context.request.post(`${stage.box.info.apiUrl}/`, { form: { ...form, key }, maxRedirects: 0 });
    assert.equal(reply.status(), 303);
  }
  await visitor.fill({ from: 'USDC · Arbitrum', to: 'XMR · Monero', send: '100', address });
  await page.getByRole('button', { name: 'Create order' }).click();
  await page.locator('#troubles', { hasText: /Try again in \d+ seconds/ }).waitFor();
  assert.equal(await page.locator('#address').inputValue(), address);
  await stage.meeting.once('a minute', () => stage.shopper.passTime(61_000));
  await page.getByRole('button', { name: 'Create order' }).click();
  await page.waitForURL(/\/order\//);
};

const bridgeOff: Tell = async ({ page, go }, { box, meeting }) => {
  const turn = (enabled: boolean) => box.operator('PUT', '/operator/bridges/trx/withdraw', { enabled });
  await meeting.once('off', () => turn(false));
  await go('/bridge');
  const off = page.locator('.choice.off', { hasText: 'TRX1 to TRX' });
  assert.match((await off.textContent()) ?? '', /switched off right now/);
  assert.equal(await page.getByRole('link', { name: 'TRX1 to TRX' }).count(), 0);
  await go('/bridge?asset=trx&direction=withdraw');
  assert.equal(await page.locator('main form').count(), 0);
  await meeting.once('on', () => turn(true));
};

/** Both are refused once: how many are paid there is told by the chain. */
const destinationRefused: Tell = async (visitor, stage) => {
  const { shopper, meeting } = stage;
  const { address: first, deposit } = await selling(visitor, stage);
  const second = await shopper.addressOn(USDC.chainId);
  await meeting.once('refuse', () => shopper.fault('payout:42161', 'refuse_destination', 2));
  await shopper.send(XMR, deposit, 500_000_000_000n);
  await visitor.sees('Your address cannot be paid');
  await meeting.once('both are refused', async () => {});
  await visitor.giveAddress('payout-address', second);
  await visitor.sees('Done');
  assert.deepEqual([await paid(stage, first, USDC), await paid(stage, second, USDC)], [0, 1]);
};

const paidTooLate: Tell = async (visitor, stage) => {
  const { shopper, meeting } = stage;
  const { url } = await buying(visitor, stage);
  await meeting.once('an hour', () => shopper.passTime(61 * 60_000));
  await visitor.sees('The time to send is over');
  await pressPay(visitor.context, stage.box, url, 'pay late');
  await visitor.sees('Where shall your money go?');
  assert.match(await visitor.page.locator('main').innerText(), /came after the time to send was over/);
  const back = await shopper.addressOn(USDC.chainId);
  await visitor.giveAddress('refund-address', back);
  await visitor.sees('Returned to you');
  const { total, transfers } = await shopper.received(USDC, back);
  assert.equal(transfers.length, 1);
  assertAlmostAll(total, 100_000_000n);
};

type Stories = Readonly<Record<string, Tell>>;

/** Nothing is traded in these, and nobody who trades feels what they disturb. */
export const TRADELESS_STORIES: Stories = {
  'a bridge that is off is shown with its reason and cannot be sent': bridgeOff,
  'while providers are away the page says so, and has a quote again afterwards': providersAway,
};

/** Nobody pays for what is told beside a refused payout. */
export const REFUSED_STORIES: Stories = {
  'a destination that is refused is replaced': destinationRefused,
  'one order too many is refused with the time to wait, and made afterwards': limitHit,
};

/** Each disturbs the whole world, once for those who live through it together. */
export const TROUBLE_STORIES: Stories = {
  'the engine is killed in the middle, and the page follows the order to its end': engineKilled,
  'while the desk restarts the page says so, keeps what it shows and recovers': deskRestarts,
  'an order expires, is paid all the same, and the money is returned by the form': paidTooLate,
};
