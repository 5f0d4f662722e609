import assert from 'node:assert/strict';
import { USDC, XMR } from '../e2e/shopper.ts';
import type { Stage } from './stage.ts';
import type { Visitor } from './visitor.ts';

const MARKUP = '"><img src=x onerror=alert(1)><script>alert(1)</script>';
const AMOUNTS = ['1e99', '-5', '0x1f', 'NaN', '9'.repeat(60), '\u202e001', MARKUP];
const ADDRESSES = [
  MARKUP,
  'javascript:alert(1)',
  `${'4'.repeat(90)}\u202eabc`,
  'monero:?tx_amount=1',
  'x'.repeat(1_500),
];

/** Whatever is typed is text: it is shown as it was typed, refused with a reason, and nothing runs. */
export async function hostileInput({ page, go }: Visitor, { shopper }: Stage): Promise<void> {
  page.on('dialog', (dialog) => assert.fail(`a dialog: ${dialog.message()}`));
  const good = await shopper.addressOn(XMR.chainId);
  const attempts = [
    ...AMOUNTS.map((send) => ({ send, address: good })),
    ...ADDRESSES.map((address) => ({ send: '100', address })),
  ];
  await go('/');
  for (const { send, address } of attempts) {
    await page.locator('#send').fill(send);
    await page.locator('#address').fill(address);
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Create order' }).click()]);
    assert.ok((await page.locator('#troubles a').count()) > 0, `${send} ${address}`);
    assert.match(page.url(), /\/$/);
    assert.equal(await page.locator('main img, main script').count(), 0);
  }
  const bill = { to: '0:XMR', amount: '0.5', address: good, name: `\u202e${MARKUP}`, ref: 'int_x"><b>' };
  await go(`/pay?${new URLSearchParams(bill)}`);
  const title = (await page.locator('h1').textContent()) ?? '';
  assert.ok(title.startsWith('Pay "><img src=x') && !title.includes('\u202e'), title);
  assert.equal(await page.locator('main img, main b').count(), 0);
  await go(`/?from=${encodeURIComponent(MARKUP)}&to=42161:${USDC.token}&send=1`);
  assert.equal(await page.locator('main img').count(), 0);
}
