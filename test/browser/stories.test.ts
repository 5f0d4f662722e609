import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { type Box, newDir, removeDir, startBox } from '../e2e/box.ts';
import { type Direction, PAIRS, type Pair } from '../e2e/bridger.ts';
import { openShopper, type Shopper, USDC } from '../e2e/shopper.ts';
import { leftOut, openChromium } from './chromium.ts';
import { hostileInput } from './hostile-story.ts';
import { byKeyboard } from './keyboard-story.ts';
import { meetingOf } from './meeting.ts';
import { earnsByALink } from './partner-story.ts';
import { everyCodeIsRead } from './scan-story.ts';
import { paid, type Stage } from './stage.ts';
import { SWAP_STORIES, wantsExactly } from './swap-stories.ts';
import { REFUSED_STORIES, socketCut, TRADELESS_STORIES, TROUBLE_STORIES } from './trouble-stories.ts';
import { openVisitor, type Script, type Visitor } from './visitor.ts';

const dir = newDir();
let browser: Browser;
let box: Box;
let shopper: Shopper;
/** What everybody asked for, kept in their browsers, and must have told nobody. */
const seen = { loaded: [] as string[], kept: [] as string[], sessions: [] as string[] };

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

type Tell = (visitor: Visitor, stage: Stage) => Promise<void>;
const BOTH: readonly Script[] = ['off', 'on'];

/** The story as somebody without script lives it, and as somebody with; what one of them does to the world waits for the other. */
function story(name: string, tell: Tell, scripts = BOTH): void {
  const meeting = meetingOf(scripts.length);
  for (const script of scripts) {
    test(`${name} (script ${script})`, { skip: leftOut }, async () => {
      const visitor = await openVisitor(browser, box, script);
      try {
        await tell(visitor, { browser, box, shopper, meeting });
      } catch (error) {
        meeting.leave(error);
        throw error;
      }
      assert.deepEqual(visitor.complaints, []);
      await noteAll(visitor);
      await visitor.close();
    });
  }
}

async function noteAll({ loaded, context, page, script }: Visitor): Promise<void> {
  seen.loaded.push(...loaded, page.url());
  const cookies = await context.cookies();
  const secrets = cookies.filter(({ name }) => /^wherry_(?:proof|partner)$/.test(name)).map(({ value }) => value);
  seen.sessions.push(...secrets);
  if (script === 'off') return;
  seen.kept.push(
    String(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')),
  );
}

const bridges =
  ({ name, native, wrapped, minimum }: Pair, direction: Direction): Tell =>
  async (visitor, stage) => {
    const { page } = visitor;
    const [from, to] = direction === 'deposit' ? [native, wrapped] : [wrapped, native];
    await visitor.go('/bridge');
    await page.locator(`a[href$="asset=${name}&direction=${direction}"]`).click();
    const address = await shopper.addressOn(direction === 'deposit' ? USDC.chainId : native.chainId);
    await page.locator('#address').fill(address);
    await page.getByRole('button', { name: 'Create order' }).click();
    assert.match(await visitor.created(), direction === 'deposit' ? /\/order\/dep_/ : /\/order\/wd_/);
    await shopper.send(from, await visitor.depositAddress(), minimum[direction] * 4n);
    await visitor.sees('Done');
    assert.equal(await paid(stage, address, to), 1);
  };

describe('while nobody else trades, since a large order moves the price', { concurrency: 6 }, () => {
  story('somebody wants exactly half a coin, and gets it, with a thousandth more at most', wantsExactly);
  for (const [name, tell] of Object.entries(TRADELESS_STORIES)) story(name, tell);
});

describe('side by side', { concurrency: 8 }, () => {
  // Those that take longest are begun first.
  story(
    'the code of every chain is read from the screen: of a coin its link, of a token the bare address',
    everyCodeIsRead,
    ['off'],
  );
  story('a partner signs in, makes a key, is told of what happens, and earns a fee by a payment link', (visitor) =>
    earnsByALink(visitor, box, shopper),
  );
  for (const [name, tell] of Object.entries(SWAP_STORIES)) story(name, tell);
  story('by keyboard alone an order is made, acted on and followed to its end', byKeyboard);
  for (const pair of PAIRS)
    for (const direction of ['deposit', 'withdraw'] as const)
      story(`${pair.name} is bridged by ${direction}`, bridges(pair, direction));
  story('without its socket the page reads by itself', socketCut, ['on']);
  story('names, amounts and addresses that mean harm are shown as text and refused', hostileInput);
});

describe('beside each other, since what is refused to one is not asked for by the other', { concurrency: 4 }, () => {
  for (const [name, tell] of Object.entries(REFUSED_STORIES)) story(name, tell);
});

describe('one after the other, since each disturbs the whole world', () => {
  for (const [name, tell] of Object.entries(TROUBLE_STORIES))
    describe(name, { concurrency: BOTH.length }, () => story(name, tell));
});

test('nobody else was asked for anything, and no session is in an address, a log or what a browser keeps', {
  skip: leftOut,
}, () => {
  const hosts = new Set(seen.loaded.filter((url) => !/^(?:data|blob):/.test(url)).map((url) => new URL(url).host));
  const ours = [box.info.apiUrl, box.info.controlUrl].map((url) => new URL(url).host);
  assert.deepEqual(
    [...hosts].filter((host) => !ours.includes(host)),
    [],
  );
  assert.ok(seen.sessions.length >= 30, `${seen.sessions.length} sessions`);
  assert.ok(seen.kept.some((text) => text.includes('wherry-orders')));
  const logs = readdirSync(join(dir, 'logs')).map((name) => readFileSync(join(dir, 'logs', name), 'utf8'));
  for (const session of seen.sessions) {
    for (const [where, texts] of Object.entries({ 'an address': seen.loaded, 'a log': logs, 'a browser': seen.kept }))
      assert.ok(!texts.some((text) => text.includes(session)), `a session in ${where}`);
  }
});
