import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import decodeQR from 'qr/decode.js';
import { USDC, XMR } from '../e2e/shopper.ts';
import { patiently } from '../run/patience.ts';
import type { Stage } from './stage.ts';
import type { Visitor } from './visitor.ts';

const PIXELS = `async (png) => {
  const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height);
  const pen = canvas.getContext('2d');
  pen.drawImage(image, 0, 0);
  let bytes = '';
  for (const one of pen.getImageData(0, 0, image.width, image.height).data) bytes += String.fromCharCode(one);
  return { width: image.width, height: image.height, bytes: btoa(bytes) };
}`;

/** What a camera would read from the screen. The reader is a page without our policy, which has a decoder of pictures. */
export async function scanned(code: Locator, reader: Page): Promise<string> {
  const png = (await code.screenshot()).toString('base64');
  const { width, height, bytes } = (await reader.evaluate(`(${PIXELS})(${JSON.stringify(png)})`)) as {
    readonly width: number;
    readonly height: number;
    readonly bytes: string;
  };
  return decodeQR({ width, height, data: Buffer.from(bytes, 'base64') });
}

interface Token {
  readonly chainId: number;
  readonly token: string;
  readonly symbol: string;
  readonly native: boolean;
  readonly deposit: boolean;
}

interface Placed {
  readonly orderId: string;
  readonly sessionId: string;
  readonly depositAddress: string;
  readonly depositUri: string;
}

const TRON = 728_126_428;
/** How a coin of each chain is asked for: address and exact amount, in the words of the chain's wallets. */
const LINK = /^(?:bitcoin|litecoin|monero|zcash|solana|ethereum):/;
const PRICES_WITHIN_MS = 60_000;

/** Everything that can be sent is asked for by an order of its own, and read from the screen as a wallet reads it. */
export async function everyCodeIsRead(visitor: Visitor, { box, shopper, browser }: Stage): Promise<void> {
  const { page, context } = visitor;
  const reader = await browser.newPage();
  const key = { 'x-integrator-key': box.info.demo.serverKey };
  const { body } = await box.api('GET', '/v2/swaps/assets/tokens?limit=100', undefined, key);
  const tokens = (body.tokens as readonly Token[]).filter(({ deposit }) => deposit);
  // Of each chain its own coin, and one token.
  const chosen = tokens.filter(
    (one, at) => one.native || tokens.findIndex(({ chainId, native }) => !native && chainId === one.chainId) === at,
  );
  const read: string[] = [];
  for (const one of chosen) {
    const to = one.chainId === XMR.chainId ? USDC : XMR;
    const wish = {
      ...{ fromChainId: one.chainId, fromToken: one.token, toChainId: to.chainId, toToken: to.token },
      ...{ toAddress: await shopper.addressOn(to.chainId), toAmount: to === XMR ? '400000000000' : '120000000' },
    };
    const order = await patiently('a price', PRICES_WITHIN_MS, async (bound) => {
      for (;;) {
        const reply = await box.api('POST', '/v2/swaps', wish, key);
        if (reply.status === 201) return reply.body as unknown as Placed;
        // Providers name so many prices a minute, and no more.
        assert.ok(reply.status === 503 && !bound.isOver(), `${one.symbol}: ${JSON.stringify(reply.body)}`);
        await pause(1_000);
      }
    });
    const url = `${box.info.apiUrl}/order/${order.orderId}`;
    await context.addCookies([{ name: 'wherry_proof', value: order.sessionId, url }]);
    await page.goto(url);
    const code = page.locator('.qr').first();
    const isLink = one.native && one.chainId !== TRON;
    const wanted = isLink ? order.depositUri : order.depositAddress;
    assert.equal(await scanned(code, reader), wanted, `${one.symbol} on ${one.chainId}`);
    assert.equal(LINK.test(wanted), isLink, wanted);
    assert.ok(((await code.getAttribute('alt')) ?? '').includes(order.depositAddress));
    read.push(`${one.chainId}`);
  }
  assert.deepEqual([...new Set(read)].toSorted(), [...new Set(tokens.map(({ chainId }) => `${chainId}`))].toSorted());
  await reader.close();
}
