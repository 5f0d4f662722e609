import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstTries, openChainLater, openVenueLater, type VenueKnown } from '../../src/app/wiring/open-later.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, type ChainId, chainId } from '../../src/kernel/ids.ts';
import type { Chain, ChainRules, Heads, ScanPage } from '../../src/world/chains/chain.ts';
import type { Book, Market, Venue } from '../../src/world/venues/venue.ts';

const HOT = 'hot' as Address;
const HEADS: Heads = { tip: 9, safe: 9, finalized: 9 };
const rulesOf = (id: ChainId) =>
  ({ facts: { id, name: `Chain ${id}` }, parseAddress: () => HOT }) as unknown as ChainRules;

/** A node that answers from the third time on, or hangs for ever. */
function node(id: ChainId) {
  let asked = 0;
  const page = { heads: HEADS } as unknown as ScanPage;
  const open = async (): Promise<Chain> => {
    asked += 1;
    if (asked < 3) throw new Fault('ambiguous', `chain:${id}`, 'eth_chainId: no answer in 15000 ms');
    return {
      ...rulesOf(id),
      ...{ hotAddress: HOT, stranger: HOT, scan: async () => page, depositDepth: () => ({ have: 1, need: 1 }) },
      close: async () => {},
    } as unknown as Chain;
  };
  return { open, page, asked: () => asked };
}

/** Timers of the opening keep no process alive; the story does. */
async function until(isTrue: () => boolean): Promise<void> {
  const alive = setInterval(() => {}, 1_000);
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1));
  clearInterval(alive);
}

test('a chain whose node hangs says so in words, keeps its pure half, and opens by itself', async (t) => {
  const id = chainId(42161);
  const { open, page, asked } = node(id);
  const { chain, tried, onOpen } = openChainLater(rulesOf(id), HOT, open, { askAgainMs: 1 });
  t.after(() => chain.close());
  await tried;
  const told: number[] = [];
  onOpen(() => told.push(asked()));
  assert.equal(chain.parseAddress('x'), HOT, 'addresses can be checked all the same');
  assert.deepEqual([chain.facts.id, chain.hotAddress], [id, HOT]);
  const away = { kind: 'transient', at: 'chain:42161', message: 'not open: eth_chainId: no answer in 15000 ms' };
  await assert.rejects(
    chain.scan(undefined, async () => new Set<Address>()),
    away,
  );
  assert.throws(() => chain.depositDepth(1, HEADS, 'small'), away);
  await until(() => asked() === 3);
  assert.equal(await chain.scan(undefined, async () => new Set<Address>()), page);
  assert.equal(chain.stranger, HOT);
  onOpen(() => told.push(0));
  assert.deepEqual(told, [3], 'who waited is told once, and nobody who came later');
  assert.deepEqual(await chain.rewards?.([]), [], 'a chain without miners has none');
});

test('a node of another network is refused at the start, and one that never answers keeps nobody waiting', async (t) => {
  const wrong = openChainLater(
    rulesOf(chainId(1)),
    HOT,
    () => Promise.reject(new Fault('permanent', 'chain:1', 'the node serves chain 5')),
    { askAgainMs: 60_000 },
  );
  await assert.rejects(wrong.tried, /serves chain 5/);
  await wrong.chain.close();
  const hung = openChainLater(rulesOf(chainId(10)), HOT, () => new Promise<Chain>(() => {}), { askAgainMs: 60_000 });
  t.after(() => hung.chain.close());
  await assert.rejects(hung.chain.status({} as never), /not open: it was not heard of yet/);
});

test('closed, its node is asked no more', async () => {
  const { open, asked } = node(chainId(1));
  const { chain, tried } = openChainLater(rulesOf(chainId(1)), HOT, open, { askAgainMs: 1 });
  await tried;
  await chain.close();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(asked(), 1);
});

test('a venue that is away at the start is asked again, and trades once it answers', async (t) => {
  const [book, market] = [{ at: 1 } as unknown as Book, { name: 'XMR1/USDC' } as unknown as Market];
  let isAway = true;
  const known = { account: HOT, rules: rulesOf(chainId(1337)) } as unknown as VenueKnown;
  const open = async () => {
    if (isAway) throw new Fault('transient', 'venue', 'spotMeta: HTTP 503');
    return { ...known, market, book: async () => book, close: async () => {} } as unknown as Venue;
  };
  const { venue, tried } = openVenueLater(known, open, 1);
  t.after(() => venue.close());
  await firstTries([{ tried }]);
  assert.deepEqual([venue.account, venue.rules.facts.id], [HOT, chainId(1337)]);
  const away = { kind: 'transient', at: 'venue', message: 'not open: spotMeta: HTTP 503' };
  assert.throws(() => venue.market, away);
  await assert.rejects(venue.book(), away);
  isAway = false;
  await until(() => {
    try {
      return venue.market === market;
    } catch {
      return false;
    }
  });
  assert.equal(await venue.book(), book);
});

test('a venue that is wrong for good is refused at the start', async () => {
  const wrong = openVenueLater(
    {} as unknown as VenueKnown,
    () => Promise.reject(new Fault('permanent', 'venue', 'no market of this token')),
    60_000,
  );
  await assert.rejects(firstTries([wrong]), /no market of this token/);
  await wrong.venue.close();
});
