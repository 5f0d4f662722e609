import assert from 'node:assert/strict';
import { assertAlmostAll, USDC, XMR } from '../e2e/shopper.ts';
import { BASE_USDC, buying, paid, type Stage, selling } from './stage.ts';
import { openVisitor, pressPay, type Visitor } from './visitor.ts';

/** Each of these is told by somebody without script and by somebody with, and judged on the chain. */
type Tell = (visitor: Visitor, stage: Stage) => Promise<void>;

const HUNDRED = 100_000_000n;
const HALF_A_COIN = 500_000_000_000n;

const buysMonero: Tell = async (visitor, stage) => {
  const { address, url } = await buying(visitor, stage);
  await visitor.sees('Send your payment');
  await pressPay(visitor.context, stage.box, url, 'pay all');
  await visitor.sees('Done');
  assert.equal(await paid(stage, address), 1);
};

const sellsMonero: Tell = async (visitor, stage) => {
  const { address, refund, deposit } = await selling(visitor, stage);
  assert.ok(((await visitor.page.locator('#state').textContent()) ?? '').includes(refund));
  await stage.shopper.send(XMR, deposit, HALF_A_COIN);
  await visitor.sees('Done');
  assert.equal(await paid(stage, address, USDC), 1);
};

export const wantsExactly: Tell = async (visitor, stage) => {
  const address = await stage.shopper.addressOn(XMR.chainId);
  const url = await visitor.create({ from: 'USDC · Arbitrum', to: 'XMR · Monero', receive: '0.5', address });
  await pressPay(visitor.context, stage.box, url, 'pay all');
  await visitor.sees('Done');
  const { total, transfers } = await stage.shopper.received(XMR, address);
  assert.equal(transfers.length, 1);
  const over = BigInt(total) - HALF_A_COIN;
  assert.ok(over >= 0n && over * 1_000n <= HALF_A_COIN, `${total} arrived`);
};

const halfThenRest: Tell = async (visitor, stage) => {
  const { address, url } = await buying(visitor, stage);
  await pressPay(visitor.context, stage.box, url, 'pay half');
  await visitor.sees('Part of it has arrived');
  assert.match((await visitor.page.locator('.headline p').textContent()) ?? '', /the rest of 50 USDC/);
  await pressPay(visitor.context, stage.box, url, 'pay the rest');
  await visitor.sees('Done');
  assert.equal(await paid(stage, address), 1);
};

const halfThenOn: Tell = async (visitor, stage) => {
  const { address, deposit } = await buying(visitor, stage);
  await stage.shopper.send(USDC, deposit, HUNDRED / 2n);
  await visitor.sees('Part of it has arrived');
  await visitor.page.getByRole('button', { name: 'Go on with what arrived' }).click();
  await visitor.sees('Done');
  assert.equal(await paid(stage, address), 1);
};

const wrongChain: Tell = async (visitor, stage) => {
  const { deposit } = await buying(visitor, stage);
  await stage.shopper.send(BASE_USDC, deposit, HUNDRED);
  await visitor.sees('Where shall your money go?');
  const back = await stage.shopper.addressOn(BASE_USDC.chainId);
  await visitor.giveAddress('refund-address', back);
  await visitor.sees('Returned to you');
  assert.equal(await paid(stage, back, BASE_USDC), 1);
};

const recovers: Tell = async (visitor, stage) => {
  const { url } = await buying(visitor, stage);
  await visitor.page.getByRole('link', { name: 'Recovery code' }).click();
  await visitor.page.getByRole('link', { name: 'Show the code' }).click();
  const code = (await visitor.page.locator('.chosen .code').textContent()) ?? '';
  const other = await openVisitor(stage.browser, stage.box, visitor.script);
  await other.go(new URL(url).pathname);
  await other.page.locator('#code').fill(code.slice(0, -2));
  await other.page.getByRole('button', { name: 'Open the order' }).click();
  await other.page.getByText('This code opens no order here').waitFor();
  await other.page.locator('#code').fill(code);
  await other.page.getByRole('button', { name: 'Open the order' }).click();
  await other.page.waitForURL(url);
  await other.sees('Send your payment');
  await other.close();
};

/** Two presses, a way back and a second tab: one order, which is paid once. */
const sentTwice: Tell = async (visitor, stage) => {
  const { page, context } = visitor;
  const address = await stage.shopper.addressOn(XMR.chainId);
  await visitor.fill({ from: 'USDC · Arbitrum', to: 'XMR · Monero', send: '100', address });
  await page.getByRole('button', { name: 'Create order' }).dblclick({ noWaitAfter: true });
  const url = await visitor.created();
  await page.goBack();
  await page.getByRole('button', { name: 'Create order' }).click();
  assert.equal(await visitor.created(), url);
  // The browser has the key to one order, and no other.
  assert.equal((await context.cookies()).filter(({ name }) => name === 'wherry_proof').length, 1);
  const second = await context.newPage();
  await second.goto(url);
  await stage.shopper.send(USDC, await visitor.depositAddress(), HUNDRED / 2n);
  await visitor.sees('Part of it has arrived');
  await second.reload();
  const goOn = { name: 'Go on with what arrived' };
  await second.getByRole('button', goOn).waitFor();
  await page.getByRole('button', goOn).click();
  // With script the second tab is told. Without, its button is still there, is pressed too late, and what is true is shown.
  if (visitor.script === 'off') await second.getByRole('button', goOn).click();
  await second.locator('h1', { hasText: /Your (?:payment|swap|payout) is|Done/ }).waitFor();
  await visitor.sees('Done');
  assert.equal(await paid(stage, address), 1);
};

const belowMinimum: Tell = async (visitor, stage) => {
  const { address, deposit } = await selling(visitor, stage);
  await stage.shopper.send(XMR, deposit, 20_000_000_000n);
  await visitor.sees(/Not enough to start yet|Below the minimum/);
  await stage.shopper.send(XMR, deposit, 480_000_000_000n);
  await visitor.sees('Done');
  assert.equal(await paid(stage, address, USDC), 1);
};

/** A tenth too much is swapped with the rest; what comes after the end goes back by the form beside it. */
const paidTwice: Tell = async (visitor, stage) => {
  const { address, deposit } = await buying(visitor, stage);
  const about =
    (await visitor.page
      .locator('dd', { hasText: /about [\d.]+ XMR/ })
      .first()
      .textContent()) ?? '';
  const [, whole = '', fraction = ''] = /about (\d+)\.(\d+) XMR/.exec(about) ?? [];
  const expected = BigInt(whole + fraction.padEnd(12, '0'));
  await stage.shopper.send(USDC, deposit, HUNDRED + HUNDRED / 10n);
  await visitor.sees('Done');
  const { total, transfers } = await stage.shopper.received(XMR, address);
  assert.equal(transfers.length, 1);
  assert.ok(BigInt(total) * 100n > expected * 108n, `${total} for a tenth more than ${expected}`);
  await stage.shopper.send(USDC, deposit, HUNDRED);
  await visitor.finds('#refund-address');
  const back = await stage.shopper.addressOn(USDC.chainId);
  await visitor.giveAddress('refund-address', back);
  await visitor.finds('.beside bdi:text("Returned")');
  const returned = await stage.shopper.received(USDC, back);
  assert.equal(returned.transfers.length, 1);
  assertAlmostAll(returned.total, HUNDRED);
  assert.equal(await paid(stage, address), 1);
};

const inParts: Tell = async (visitor, stage) => {
  const address = await stage.shopper.addressOn(XMR.chainId);
  await visitor.fill({ from: 'USDC · Arbitrum', to: 'XMR · Monero', send: '26000', address });
  await visitor.page.locator('#quote', { hasText: /traded in \d parts of about \$5000/ }).waitFor();
  await visitor.page.getByRole('button', { name: 'Create order' }).click();
  await visitor.created();
  await stage.shopper.send(USDC, await visitor.depositAddress(), 26_000_000_000n);
  await visitor.sees('Your swap is being made');
  await visitor.finds('text=/\\d of \\d parts/');
  await visitor.sees('Done');
  assert.equal(await paid(stage, address), 1);
};

export const SWAP_STORIES: Readonly<Record<string, Tell>> = {
  // Those that take longest are begun first.
  'a large order is traded in parts, and the page counts them': inParts,
  'sent twice, sent again after going back, or acted on in two tabs it is one order, which is paid once': sentTwice,
  'too much is swapped in full, and what is paid a second time goes back beside the finished order': paidTwice,
  'XMR below the minimum is topped up': belowMinimum,
  'somebody buys XMR with USDC and pays by the buttons of the sandbox': buysMonero,
  'somebody sells XMR and names a refund address': sellsMonero,
  'half arrives, then the rest': halfThenRest,
  'half arrives, and it goes on with that': halfThenOn,
  'what is sent on the wrong chain is asked for and returned': wrongChain,
  'an order is opened in another browser by its recovery code': recovers,
};
