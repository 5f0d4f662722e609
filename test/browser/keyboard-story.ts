import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { USDC, XMR } from '../e2e/shopper.ts';
import { paid, type Stage } from './stage.ts';
import type { Visitor } from './visitor.ts';

/** No page of ours has so many stops. */
const MOST_STOPS = 120;

const FOCUSED = `(() => {
  const one = document.activeElement;
  const style = getComputedStyle(one);
  const outlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
  return { id: one.id, name: (one.getAttribute('aria-label') ?? one.textContent ?? '').trim(), outlined };
})()`;

interface Focused {
  readonly id: string;
  readonly name: string;
  readonly outlined: boolean;
}

/** Goes on by the tabulator until there; every stop on the way can be seen. */
export async function tabTo(page: Page, isThere: (at: Focused) => boolean): Promise<void> {
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    await page.keyboard.press('Tab');
    const at = (await page.evaluate(FOCUSED)) as Focused;
    assert.ok(at.outlined || at.id === '', `${at.id} ${at.name} has no visible focus`);
    if (isThere(at)) return;
  }
  assert.fail('it cannot be reached by keyboard');
}

/** From the first page to the end of an order without a mouse: coins, amount, address, order, and a button of its page. */
export async function byKeyboard(visitor: Visitor, stage: Stage): Promise<void> {
  const { page } = visitor;
  const { keyboard } = page;
  const address = await stage.shopper.addressOn(XMR.chainId);
  await visitor.go('/');
  await tabTo(page, ({ id }) => id === 'send');
  await keyboard.type('100');
  await tabTo(page, ({ id }) => id === 'address');
  await keyboard.type(address);
  // The return key shows the quote, as the first button of the form does.
  await Promise.all([page.waitForEvent('load'), keyboard.press('Enter')]);
  await page.locator('#quote dl').waitFor();
  await tabTo(page, ({ name }) => name === 'Create order');
  await keyboard.press('Enter');
  await visitor.created();
  await stage.shopper.send(USDC, await visitor.depositAddress(), 50_000_000n);
  await visitor.sees('Part of it has arrived');
  await tabTo(page, ({ name }) => name === 'Go on with what arrived');
  await keyboard.press('Enter');
  await visitor.sees('Done');
  assert.equal(await paid(stage, address), 1);
}
