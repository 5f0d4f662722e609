import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { type Box, newDir, removeDir, startBox } from '../e2e/box.ts';
import { PAIRS } from '../e2e/bridger.ts';
import { openShopper, type Shopper, USDC, XMR } from '../e2e/shopper.ts';
import { leftOut, openChromium } from './chromium.ts';
import { earnsByALink } from './partner-story.ts';
import { engineKilled, limitHit, providerDown, socketCut, type Trouble } from './trouble-stories.ts';
import { openVisitor, pressPay, type Script, type Visitor } from './visitor.ts';

const USDC_ARBITRUM = 'USDC · Arbitrum';
const MONERO = 'XMR · Monero';
const BASE_USDC = { name: 'USDC Base', chainId: 8453, token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };

const dir = newDir();
let browser: Browser;
let box: Box;
let shopper: Shopper;
const loaded: string[] = [];
const sessions: string[] = [];

before(async () => {
  if (leftOut) return;
  [browser, box] = await Promise.all([openChromium(), startBox(dir)]);
  shopper = openShopper(box);
});
after(async () => {
  await browser?.close();
  await box?.end('SIGTERM');
  removeDir(dir);
});

/** The story as somebody without script lives it, and as somebody with. */
function story(
  name: string,
  tell: (visitor: Visitor) => Promise<void>,
  scripts: readonly Script[] = ['off', 'on'],
): void {
  for (const script of scripts) {
    test(`${name} (script ${script})`, { skip: leftOut }, async () => {
      const visitor = await openVisitor(browser, box, script);
      await tell(visitor);
      assert.deepEqual(visitor.complaints, []);
      loaded.push(...visitor.loaded);
      sessions.push(
        ...(await visitor.context.cookies())
          .filter(({ name: one }) => /^wherry_(?:proof|partner)$/.test(one))
          .map(({ value }) => value),
      );
      await visitor.close();
    });
  }
}

const buying = async (visitor: Visitor, send = '100') => {
  const address = await shopper.addressOn(XMR.chainId);
  const url = await visitor.create({ from: USDC_ARBITRUM, to: MONERO, send, address });
  return { address, url, deposit: await visitor.depositAddress() };
};
/** What stories of trouble need of this file. */
const trouble = (): Trouble => ({ box, shopper, buying });
const paid = async (address: string, end = XMR) => (await shopper.received(end, address)).transfers.length;

describe('side by side', { concurrency: 6 }, () => {
  story('somebody buys XMR with USDC and pays by the buttons of the sandbox', async (visitor) => {
    const { address, url } = await buying(visitor);
    await visitor.sees('Send your payment');
    await pressPay(visitor.context, box, url, 'pay all');
    await visitor.sees('Done');
    assert.equal(await paid(address), 1);
  });

  story('somebody sells XMR and names a refund address', async (visitor) => {
    const [address, refund] = [await shopper.addressOn(USDC.chainId), await shopper.addressOn(XMR.chainId)];
    await visitor.create({ from: MONERO, to: USDC_ARBITRUM, send: '0.5', address, refund });
    assert.ok(((await visitor.page.locator('#state').textContent()) ?? '').includes(refund));
    await shopper.send(XMR, await visitor.depositAddress(), 500_000_000_000n);
    await visitor.sees('Done');
    assert.equal(await paid(address, USDC), 1);
  });

  story('somebody wants exactly half a coin', async (visitor) => {
    const address = await shopper.addressOn(XMR.chainId);
    const url = await visitor.create({ from: USDC_ARBITRUM, to: MONERO, receive: '0.5', address });
    await pressPay(visitor.context, box, url, 'pay all');
    await visitor.sees('Done');
    assert.equal(await paid(address), 1);
  });

  story('half arrives, then the rest', async (visitor) => {
    const { address, deposit } = await buying(visitor);
    await shopper.send(USDC, deposit, 50_000_000n);
    await visitor.sees('Part of it has arrived');
    assert.match((await visitor.page.locator('.headline p').textContent()) ?? '', /the rest of 50 USDC/);
    await shopper.send(USDC, deposit, 50_000_000n);
    await visitor.sees('Done');
    assert.equal(await paid(address), 1);
  });

  story('half arrives, and it goes on with that', async (visitor) => {
    const { address, deposit } = await buying(visitor);
    await shopper.send(USDC, deposit, 50_000_000n);
    await visitor.sees('Part of it has arrived');
    await visitor.page.getByRole('button', { name: 'Go on with what arrived' }).click();
    await visitor.sees('Done');
    assert.equal(await paid(address), 1);
  });

  story('what is sent on the wrong chain is asked for and returned', async (visitor) => {
    const { deposit } = await buying(visitor);
    await shopper.send(BASE_USDC, deposit, 100_000_000n);
    await visitor.sees('Where shall your money go?');
    const back = await shopper.addressOn(BASE_USDC.chainId);
    await visitor.giveAddress('refund-address', back);
    await visitor.sees('Returned to you');
    assert.equal(await paid(back, BASE_USDC), 1);
  });

  story('an order is opened in another browser by its recovery code', async (visitor) => {
    const { url } = await buying(visitor);
    const path = new URL(url).pathname;
    await visitor.page.getByRole('link', { name: 'Recovery code' }).click();
    await visitor.page.getByRole('link', { name: 'Show the code' }).click();
    const code = (await visitor.page.locator('.chosen .code').textContent()) ?? '';
    const other = await openVisitor(browser, box, visitor.script);
    await other.go(path);
    await other.page.locator('#code').fill(code.slice(0, -2));
    await other.page.getByRole('button', { name: 'Open the order' }).click();
    await other.page.getByText('This code opens no order here').waitFor();
    await other.page.locator('#code').fill(code);
    await other.page.getByRole('button', { name: 'Open the order' }).click();
    await other.page.waitForURL(url);
    await other.sees('Send your payment');
    await other.close();
  });

  story('the same form sent twice, or after going back, makes one order', async (visitor) => {
    const { url } = await buying(visitor);
    await visitor.page.goBack();
    await visitor.page.getByRole('button', { name: 'Create order' }).click();
    await visitor.page.waitForURL(/\/order\//);
    assert.equal(visitor.page.url(), url);
  });

  story('XMR below the minimum is topped up', async (visitor) => {
    const [address, refund] = [await shopper.addressOn(USDC.chainId), await shopper.addressOn(XMR.chainId)];
    await visitor.create({ from: MONERO, to: USDC_ARBITRUM, send: '0.5', address, refund });
    const deposit = await visitor.depositAddress();
    await shopper.send(XMR, deposit, 20_000_000_000n);
    await visitor.sees(/Not enough to start yet|Below the minimum/);
    await shopper.send(XMR, deposit, 480_000_000_000n);
    await visitor.sees('Done');
    assert.equal(await paid(address, USDC), 1);
  });

  story('what is paid a second time is owed back beside the finished order', async (visitor) => {
    const { address, deposit } = await buying(visitor);
    await shopper.send(USDC, deposit, 100_000_000n);
    await visitor.sees('Done');
    await shopper.send(USDC, deposit, 100_000_000n);
    await visitor.sees(/Done|Where shall your money go/);
    await visitor.finds('.beside, #refund-address');
    assert.equal(await paid(address), 1);
  });

  story(
    'a large order is traded in parts, and the page counts them',
    async (visitor) => {
      const { address, deposit } = await buying(visitor, '26000');
      await shopper.send(USDC, deposit, 26_000_000_000n);
      await visitor.sees('Your swap is being made');
      await visitor.page.getByText(/\d of \d parts/).waitFor();
      await visitor.sees('Done');
      assert.equal(await paid(address), 1);
    },
    ['on'],
  );

  story('a partner signs in, makes a key, is told of what happens, and earns a fee by a payment link', (visitor) =>
    earnsByALink(visitor, box, shopper),
  );

  story('without its socket the page reads by itself', (visitor) => socketCut(visitor, trouble()), ['on']);

  for (const { name, native, wrapped, minimum } of PAIRS) {
    for (const direction of ['deposit', 'withdraw'] as const) {
      const [from, to] = direction === 'deposit' ? [native, wrapped] : [wrapped, native];
      // Each of the six ways is gone once, by turns without script and with it.
      const script = (direction === 'deposit') === (name === 'trx') ? 'on' : 'off';
      story(
        `${name} is bridged by ${direction}`,
        async (visitor) => {
          const { page } = visitor;
          await visitor.go('/bridge');
          await page.locator(`a[href$="asset=${name}&direction=${direction}"]`).click();
          const address = await shopper.addressOn(direction === 'deposit' ? USDC.chainId : native.chainId);
          await page.locator('#address').fill(address);
          await page.getByRole('button', { name: 'Create order' }).click();
          await page.waitForURL(direction === 'deposit' ? /\/order\/dep_/ : /\/order\/wd_/);
          await shopper.send(from, await visitor.depositAddress(), minimum[direction] * 4n);
          await visitor.sees('Done');
          assert.equal(await paid(address, to), 1);
        },
        [script],
      );
    }
  }
});

describe('one after the other, since the desk is killed, time is moved and a bridge is switched', () => {
  story(
    'while the desk restarts the page says so, keeps what it shows and recovers',
    async (visitor) => {
      const { deposit } = await buying(visitor);
      await box.control('POST', '/sandbox/kill', { role: 'api', signal: 'SIGKILL' });
      await visitor.page.locator('#lost:visible').waitFor();
      await visitor.page.locator('#lost').waitFor({ state: 'hidden' });
      await shopper.send(USDC, deposit, 100_000_000n);
      await visitor.sees('Done');
    },
    ['on'],
  );

  story('the engine is killed in the middle, and the page follows the order to its end', (visitor) =>
    engineKilled(visitor, trouble()),
  );

  story('while providers are away the page says so, and has a quote again afterwards', (visitor) =>
    providerDown(visitor, trouble()),
  );

  story('one order too many is refused with the time to wait, and made afterwards', (visitor) =>
    limitHit(visitor, trouble()),
  );

  story('a bridge that is off is shown with its reason and cannot be sent', async (visitor) => {
    await box.operator('PUT', '/operator/bridges/trx/withdraw', { enabled: false });
    await visitor.go('/bridge');
    const off = visitor.page.locator('.choice.off', { hasText: 'TRX1 to TRX' });
    assert.match((await off.textContent()) ?? '', /switched off right now/);
    assert.equal(await visitor.page.getByRole('link', { name: 'TRX1 to TRX' }).count(), 0);
    await box.operator('PUT', '/operator/bridges/trx/withdraw', { enabled: true });
  });

  story('a destination that is refused is replaced', async (visitor) => {
    const [first, second] = [await shopper.addressOn(USDC.chainId), await shopper.addressOn(USDC.chainId)];
    const refund = await shopper.addressOn(XMR.chainId);
    await visitor.create({ from: MONERO, to: USDC_ARBITRUM, send: '0.5', address: first, refund });
    await shopper.fault('payout:42161', 'refuse_destination', 1);
    await shopper.send(XMR, await visitor.depositAddress(), 500_000_000_000n);
    await visitor.sees('Your address cannot be paid');
    await visitor.giveAddress('payout-address', second);
    await visitor.sees('Done');
    assert.deepEqual([await paid(first, USDC), await paid(second, USDC)], [0, 1]);
  });

  story('an order expires, is paid all the same, and the money is returned by the form', async (visitor) => {
    const { deposit } = await buying(visitor);
    await shopper.passTime(61 * 60_000);
    await visitor.sees('The time to send is over');
    await shopper.send(USDC, deposit, 100_000_000n);
    await visitor.sees(/Where shall your money go|Your money is being returned|Returned to you/);
    const back = await shopper.addressOn(USDC.chainId);
    if ((await visitor.page.locator('#refund-address').count()) > 0) await visitor.giveAddress('refund-address', back);
    await visitor.sees('Returned to you');
  });
});

test('nobody else was asked for anything, and no session is in an address or a log', { skip: leftOut }, () => {
  const hosts = new Set(loaded.filter((url) => !/^(?:data|blob):/.test(url)).map((url) => new URL(url).host));
  const ours = [box.info.apiUrl, box.info.controlUrl].map((url) => new URL(url).host);
  assert.deepEqual(
    [...hosts].filter((host) => !ours.includes(host)),
    [],
  );
  assert.ok(sessions.length >= 10, `${sessions.length} sessions`);
  const logs = readdirSync(join(dir, 'logs')).map((name) => readFileSync(join(dir, 'logs', name), 'utf8'));
  for (const session of sessions) {
    assert.ok(!loaded.some((url) => url.includes(session)), 'a session in an address');
    assert.ok(!logs.some((log) => log.includes(session)), 'a session in a log');
  }
});
