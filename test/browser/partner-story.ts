import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Received } from '../../sandbox/control/webhook-receiver.ts';
import type { Box } from '../e2e/box.ts';
import { type Shopper, USDC, XMR } from '../e2e/shopper.ts';
import { patiently } from '../run/patience.ts';
import type { Visitor } from './visitor.ts';

const WITHIN_MS = 60_000;
const FEE_PERCENT = 1n;

/** A wallet that announces itself as those of browsers do (EIP-6963); it signs in this process. */
const WALLET = `(() => {
  const provider = { request: ({ method, params }) => window.testWallet(method, params ?? []) };
  const info = { uuid: '350670db-19fa-4704-a166-e52e178b59d2', name: 'Test wallet', icon: 'data:image/png;base64,iVBORw0KGgo=', rdns: 'org.example.wallet' };
  const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }));
  window.addEventListener('eip6963:requestProvider', announce);
  announce();
})()`;

/** With script by the wallet of the browser, without it by a signature that is pasted. */
async function signIn({ page, context, script, go }: Visitor): Promise<void> {
  const account = privateKeyToAccount(generatePrivateKey());
  if (script === 'on') {
    await context.exposeFunction('testWallet', async (method: string, params: readonly [`0x${string}`]) =>
      method === 'eth_requestAccounts' ? [account.address] : account.signMessage({ message: { raw: params[0] } }),
    );
    await context.addInitScript(WALLET);
  }
  await go('/partners');
  if (script === 'on') await page.getByRole('button', { name: 'Test wallet' }).click();
  else {
    await page.locator('#account').fill(account.address);
    await page.getByRole('button', { name: 'Show the text to sign' }).click();
    const message = await page.locator('#message').inputValue();
    await page.locator('#signature').fill(await account.signMessage({ message }));
    await page.getByRole('button', { name: 'Sign in' }).click();
  }
  await page.getByRole('heading', { name: 'Your integrations' }).waitFor();
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Signs in, makes an integration with a fee, a key and an endpoint, is paid by a link, and finds the fee on the chain. */
export async function earnsByALink(visitor: Visitor, box: Box, shopper: Shopper): Promise<void> {
  const { page, script } = visitor;
  await signIn(visitor);
  // Nobody ever paid this address: what arrives there is the fee and nothing else.
  const feeAddress = `0x${randomBytes(20).toString('hex')}`;
  await page.getByRole('link', { name: 'New integration' }).click();
  await page.locator('#name').fill(`Shop ${script}`);
  await page.locator('#feePercent').fill(`${FEE_PERCENT}`);
  await page.locator('#feeAddress').fill(feeAddress);
  await press(page, 'Create');
  await page.waitForURL(/\/partners\/int_\w+$/);
  const room = page.url();

  await page.goto(`${room}/keys`);
  await press(page, 'Create key');
  const key = (await page.locator('.secret .code').textContent()) ?? '';
  assert.match(key, /^wh_s_/);

  await page.goto(`${room}/webhooks`);
  await page.locator('#url').fill(box.info.webhookUrl);
  await press(page, 'Add endpoint');
  assert.match((await page.locator('.secret .code').textContent()) ?? '', /^whsec_/);
  await page.getByRole('link', { name: 'I have kept it' }).click();
  const hook = page.url();
  await press(page, 'Send a test event');
  await page.getByText('The test event is on its way').waitFor();
  const id = hook.split('/').at(-1) ?? '';
  const isTest = ({ body, signatureValid }: Received) => {
    const { type, data } = JSON.parse(body);
    return type === 'webhook.test' && data.webhookId === id && signatureValid;
  };
  await until('the test event', async () => (await received(box)).some(isTest));

  const address = await shopper.addressOn(XMR.chainId);
  await page.goto(`${room}/links`);
  await page.locator('#to').selectOption({ label: 'XMR · Monero' });
  await page.locator('#amount').fill('0.5');
  await page.locator('#address').fill(address);
  await page.locator('#name').fill('Ana');
  await press(page, 'Make the link');
  await page.getByRole('link', { name: 'Open the link' }).click();
  await page.getByRole('heading', { name: 'Pay Ana' }).waitFor();
  await press(page, 'Show quote');
  await press(page, 'Create order');
  await page.waitForURL(/\/order\//);
  const orderId = page.url().split('/').at(-1) ?? '';
  const [amount = ''] = ((await page.locator('.deposit .amount').first().textContent()) ?? '').trim().split(' ');
  const [whole = '', fraction = ''] = amount.split('.');
  const atoms = BigInt(whole + fraction.padEnd(6, '0'));
  await shopper.send(USDC, await visitor.depositAddress(), atoms);
  await visitor.sees('Done');
  assert.equal((await shopper.received(XMR, address)).transfers.length, 1);

  const rows = async () =>
    (await box.api('GET', '/v2/integrator/orders', undefined, { 'x-integrator-key': key })).body.orders as {
      readonly orderId: string;
      readonly feeStatus: string;
    }[];
  await until('the fee', async () => (await rows()).some((row) => row.orderId === orderId && row.feeStatus === 'paid'));
  const got = await shopper.received(USDC, feeAddress);
  assert.equal(got.total, `${(atoms * FEE_PERCENT) / 100n}`);
  const isPaid = ({ body }: Received) => {
    const { type, data } = JSON.parse(body);
    return type === 'fee.paid' && data.orderId === orderId;
  };
  await until('fee.paid', async () => (await received(box)).some(isPaid));

  await page.goto(`${room}/orders?feeStatus=paid`);
  await page.locator('.entries li', { hasText: orderId }).getByText('payment link').waitFor();
  await page.goto(room);
  await page.getByRole('heading', { name: 'Fees by coin' }).waitFor();
  await page.goto(hook);
  await page.locator('.entries li', { hasText: 'fee.paid' }).getByText('delivered').first().waitFor();
}

const received = async (box: Box): Promise<readonly Received[]> =>
  (await box.control('GET', '/sandbox/webhooks')).body.received as Received[];

const until = (what: string, isTrue: () => Promise<boolean>): Promise<void> =>
  patiently(what, WITHIN_MS, async (bound) => {
    while (!(await isTrue())) {
      assert.ok(!bound.isOver(), `${what} does not come`);
      await pause(200);
    }
  });
