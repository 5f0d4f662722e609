import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Locator, WebSocketRoute } from 'playwright-core';
import type { Box } from '../e2e/box.ts';
import { type Shopper, USDC, XMR } from '../e2e/shopper.ts';
import type { Visitor } from './visitor.ts';

const WITHIN_MS = 60_000;

/** What a page says and does while a part of the desk, or of the world, is away. */
export interface Trouble {
  readonly box: Box;
  readonly shopper: Shopper;
  buying(visitor: Visitor): Promise<{ readonly address: string; readonly deposit: string }>;
}

const paid = async ({ shopper }: Trouble, address: string) => (await shopper.received(XMR, address)).transfers.length;

/** The order waits for the engine and goes on with it; the page never says anything else than what is true. */
export async function engineKilled(visitor: Visitor, trouble: Trouble): Promise<void> {
  const { address, deposit } = await trouble.buying(visitor);
  await trouble.shopper.send(USDC, deposit, 100_000_000n);
  await visitor.sees(/Your (?:payment|swap|payout) is/);
  await trouble.box.control('POST', '/sandbox/kill', { role: 'engine', signal: 'SIGKILL' });
  await visitor.sees('Done');
  assert.equal(await paid(trouble, address), 1);
}

/** Without its socket the page reads by itself; nothing is told as lost, since the desk answers. */
export async function socketCut(visitor: Visitor, trouble: Trouble): Promise<void> {
  const sockets: WebSocketRoute[] = [];
  let isCut = false;
  await visitor.page.routeWebSocket(/\/live$/, (socket) => {
    if (isCut) return void socket.close({ code: 1011 });
    socket.connectToServer();
    sockets.push(socket);
  });
  const { address, deposit } = await trouble.buying(visitor);
  await visitor.sees('Send your payment');
  assert.equal(sockets.length, 1);
  isCut = true;
  await sockets[0]?.close({ code: 1011 });
  await trouble.shopper.send(USDC, deposit, 100_000_000n);
  await visitor.sees('Done');
  assert.equal(await visitor.page.locator('#lost:visible').count(), 0);
  assert.equal(await paid(trouble, address), 1);
}

/** Both providers are away: the page says that this pair cannot be had, keeps what was typed, and has a quote again afterwards. */
export async function providerDown({ page, go }: Visitor, { box }: Trouble): Promise<void> {
  const pair = { from: `42161:0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f`, to: `42161:0x${'0'.repeat(40)}` };
  const at = `/?${new URLSearchParams({ ...pair, send: '0.002' })}`;
  for (const name of ['oneclick', 'relay'])
    await box.control('POST', '/sandbox/fault', { target: `provider:${name}`, mode: 'down' });
  // What a provider offered a moment ago may still be good; somebody who loads the page again is told.
  await shown(page.locator('#troubles', { hasText: /cannot be swapped right now|not possible right now/ }), () =>
    go(at),
  );
  assert.equal(await page.locator('#send').inputValue(), '0.002');
  await box.control('DELETE', '/sandbox/faults');
  await shown(page.locator('#quote dl'), () => go(at));
}

/** Loads the page until it shows this. */
async function shown(wanted: Locator, load: () => Promise<unknown>): Promise<void> {
  const until = performance.now() + WITHIN_MS;
  for (;;) {
    await load();
    if ((await wanted.count()) > 0) return;
    assert.ok(performance.now() < until, `${wanted} is not shown`);
    await pause(1_000);
  }
}

/** The sixth order of a minute is refused with the time to wait, keeps what was typed, and is made when that is over. */
export async function limitHit(visitor: Visitor, trouble: Trouble): Promise<void> {
  const { page, context } = visitor;
  const address = await trouble.shopper.addressOn(XMR.chainId);
  const form = { do: 'create', from: `42161:${USDC.token}`, to: '0:XMR', send: '100', address };
  for (const key of ['1', '2', '3', '4', '5']) {
    const reply = await context.request.post(`${trouble.box.info.apiUrl}/`, {
      form: { ...form, key },
      maxRedirects: 0,
    });
    assert.equal(reply.status(), 303);
  }
  await visitor.fill({ from: 'USDC · Arbitrum', to: 'XMR · Monero', send: '100', address });
  await page.getByRole('button', { name: 'Create order' }).click();
  await page.locator('#troubles', { hasText: /Try again in \d+ seconds/ }).waitFor();
  assert.equal(await page.locator('#address').inputValue(), address);
  await trouble.shopper.passTime(61_000);
  await page.getByRole('button', { name: 'Create order' }).click();
  await page.waitForURL(/\/order\//);
}
