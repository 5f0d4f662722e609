import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HDKey } from '@scure/bip32';
import { instant } from '../../src/kernel/clock.ts';
import type { Address } from '../../src/kernel/ids.ts';
import type { TakenDeposit } from '../../src/world/chains/family.ts';
import type { Outbound } from '../../src/world/outbound/http.ts';
import { openVenueChain } from '../../src/world/venues/hyperliquid/chain.ts';
import { dueBetween } from '../../src/world/venues/hyperliquid/watch.ts';

const START = 1_800_000_000_000;
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

const account = (index: number, since: number): TakenDeposit => ({
  index,
  address: `0x${index.toString(16).padStart(40, '0')}` as Address,
  since: instant(since),
  wasEmptied: false,
});

/** Looks at these accounts in a stretch of time that is read page by page. */
function looks(accounts: readonly TakenDeposit[], from: number, to: number, pageMs = 250): number {
  let count = 0;
  for (let at = from; at < to; at += pageMs) count += dueBetween(accounts, at, at + pageMs).length;
  return count;
}

test('a new account is looked at about every second, an old one every twentieth of its age', () => {
  const one = [account(0, START)];
  assert.equal(dueBetween(one, START - 5, START).length, 0);
  assert.equal(dueBetween(one, START, START + 1).length, 1, 'at once');
  const inFirst = looks(one, START, START + 10_000);
  assert.ok(inFirst >= 8 && inFirst <= 10, String(inFirst));
  const inAMinute = looks(one, START + 5 * MINUTE, START + 6 * MINUTE);
  assert.ok(inAMinute >= 3 && inAMinute <= 4, String(inAMinute));
  const inAnHour = looks(one, START + DAY, START + DAY + HOUR);
  assert.ok(inAnHour >= 0 && inAnHour <= 1, String(inAnHour));
  assert.ok(looks(one, START, START + 365 * DAY, 10 * MINUTE) < 290);
});

test('whose turn it is follows from the time alone: one page or many, each turn comes', () => {
  const accounts = Array.from({ length: 20 }, (_, index) => account(index, START - index * HOUR));
  const inOnePage = dueBetween(accounts, START, START + DAY).length;
  assert.equal(inOnePage, 20, 'after an outage everyone is looked at, once');
  assert.ok(looks(accounts, START, START + DAY, MINUTE) > inOnePage);
});

test('a rush is looked at by all accounts waiting alike, within the venue’s limits', () => {
  const rush = Array.from({ length: 200 }, (_, index) => account(index, START + index * 100));
  const count = looks(rush, START + MINUTE, START + 2 * MINUTE);
  assert.ok(count > 120 && count < 220, `${count} looks in a minute`);
});

const TOKENS = [
  { name: 'USDC', tokenId: `0x${'0'.repeat(32)}`, index: 0, szDecimals: 8, weiDecimals: 8 },
  { name: 'XMR1', tokenId: `0x${'b'.repeat(32)}`, index: 411, szDecimals: 2, weiDecimals: 8 },
];
const NAMESAKE = { name: 'XMR1', tokenId: `0x${'c'.repeat(32)}`, index: 12, szDecimals: 2, weiDecimals: 8 };
const SENDER = '0x52908400098527886e0f7030069857d2e4169ee7';

/** A chain on a script, with as many accounts as wanted; notes whom it asks about. */
async function scripted(
  issued: number,
  {
    tokens = TOKENS,
    held = 411,
    wasEmptied = false,
  }: { tokens?: typeof TOKENS; held?: number; wasEmptied?: boolean } = {},
) {
  let now = START;
  let rowAt = START;
  let hasCome = false;
  // An address without letters has one spelling.
  const hot = account(0x111111, START).address;
  const looked: string[] = [];
  const answers: Record<string, (user: string) => unknown> = {
    spotMeta: () => ({ tokens, universe: [] }),
    spotClearinghouseState: (user) => {
      looked.push(user);
      return { balances: [{ coin: 'XMR1', token: held, total: '2.0', hold: '0.0' }] };
    },
    clearinghouseState: () => ({ withdrawable: '0.0' }),
    userNonFundingLedgerUpdates: (user) => {
      const delta = { type: 'spotTransfer', token: 'XMR1', amount: '2.0', user: SENDER, destination: user };
      return [
        { time: rowAt, hash: `0x${'ab'.repeat(32)}`, delta: { ...delta, fee: '0.0', nonce: 7, feeToken: 'USDC' } },
      ];
    },
  };
  const outbound: Outbound = async ({ body }) => {
    const {
      type,
      user,
      startTime = 0,
    } = JSON.parse(body ?? '{}') as { type: string; user: string; startTime?: number };
    const isNone = startTime > rowAt || (user === hot && !hasCome);
    const answer = isNone ? [] : answers[type]?.(user);
    return { status: 200, body: JSON.stringify(answer) };
  };
  const accounts = async (below: number, most: number) =>
    Array.from({ length: issued }, (_, index) => ({ ...account(index, START - DAY), wasEmptied }))
      .filter(({ index }) => index < below)
      .reverse()
      .slice(0, most);
  const xpub = HDKey.fromMasterSeed(new Uint8Array(64).fill(5)).publicExtendedKey;
  const config = { url: 'http://venue', account: hot, xpub, accounts, tokenIds: [`0x${'b'.repeat(32)}`] };
  const chain = await openVenueChain(config, outbound, { now: () => instant(now) });
  const pass = (ms: number): void => {
    now += ms;
  };
  /** Something comes to the hot account now, by a clock of the venue that is so much behind ours. */
  const comes = (behindMs: number): void => {
    rowAt = now - behindMs;
    hasCome = true;
  };
  return { chain, pass, looked, comes };
}

const all = async (candidates: readonly Address[]) => new Set(candidates);

test('accounts behind the newest are walked through to the last and from the start again, though we restart', async () => {
  const { chain, pass, looked } = await scripted(260);
  let { cursor } = await chain.scan(undefined, all);
  for (let page = 0; page < 70; page += 1) {
    pass(2_000);
    ({ cursor } = await chain.scan(JSON.parse(JSON.stringify(cursor)), all));
  }
  const walked = looked.filter((user) => BigInt(user) < 60n).map(Number);
  assert.deepEqual(
    walked.slice(0, 60),
    Array.from({ length: 60 }, (_, step) => 59 - step),
  );
  assert.equal(walked[60], 59);
});

test('a token of the same name and another id is ignored, and while both exist neither is taken for the other', async () => {
  const real = await scripted(1);
  const { cursor } = await real.chain.scan(undefined, all);
  const later = async ({ chain, pass }: typeof real) => {
    pass(DAY);
    const found = [];
    let at = cursor;
    for (let more = true; more; ) {
      const page = await chain.scan(at, all);
      found.push(...page.sightings);
      ({ cursor: at, more } = page);
    }
    return new Set(found.map(({ key }) => key)).size;
  };
  assert.equal(await later(real), 1);
  assert.equal(await later(await scripted(1, { held: NAMESAKE.index })), 0, 'only the other token is held');
  assert.equal(await later(await scripted(1, { tokens: [...TOKENS, NAMESAKE] })), 0, 'the row may mean either');
});

test('what comes to the hot account is seen by a desk whose clock is minutes ahead of the venue’s', async () => {
  for (const behindMs of [0, 10 * MINUTE, 20 * MINUTE]) {
    const { chain, pass, comes } = await scripted(0);
    let { cursor } = await chain.scan(undefined, all);
    const catchUp = async () => {
      const sightings = [];
      for (let more = true; more; ) {
        const page = await chain.scan(cursor, all);
        sightings.push(...page.sightings);
        ({ cursor, more } = page);
      }
      return sightings;
    };
    pass(HOUR);
    await catchUp();
    comes(behindMs);
    pass(10_000);
    const sightings = await catchUp();
    assert.ok(sightings.length > 0, `${behindMs / MINUTE} minutes`);
  }
});

test('an empty account has no news, unless it was emptied after what the books know: then its history tells what came', async () => {
  const seen = async (wasEmptied: boolean) => {
    const { chain, pass } = await scripted(1, { held: NAMESAKE.index, wasEmptied });
    const { cursor } = await chain.scan(undefined, all);
    pass(DAY);
    return (await chain.scan(cursor, all)).sightings.map(({ atoms }) => atoms);
  };
  assert.deepEqual(await seen(false), []);
  assert.deepEqual(await seen(true), [200_000_000n]);
});
