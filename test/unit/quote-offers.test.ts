import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guardDestinations, guardProviders, guardQuotes } from '../../src/app/gates.ts';
import type { Desk } from '../../src/engine/desk.ts';
import { amount } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { percent, ratio } from '../../src/kernel/ratio.ts';
import { type Ask, type BestOffer, bestOffer, type NoOffer, throttled } from '../../src/life/quote/provider-offers.ts';
import type { Provider } from '../../src/world/providers/provider.ts';
import { fakeProvider } from './quote-provider.ts';
import { BTC, buy, room, SOL, STANDS, swap, USDC } from './quote-room.ts';

/** $1,000 of bitcoin. */
const ASK: Ask = {
  input: amount(BTC.id, 1_000_000n),
  output: USDC.id,
  recipient: 'hot' as Address,
  refundTo: 'back' as Address,
  deadline: instant(1_000),
};
const SLIPPAGE = { perLeg: percent('1'), full: percent('3') };
/** Dollars with six decimals for each satoshi, of a thousand dollars in all. */
const dollarsOf = (whole: bigint) => ratio(whole * 1_000_000n, 1_000_000n);
/** At most a tenth above the market. */
const bounds = (least?: bigint) => ({
  least: least === undefined ? undefined : dollarsOf(least),
  most: dollarsOf(1_100n),
});
const chosen = (offer: BestOffer | NoOffer) => (typeof offer === 'string' ? assert.fail(offer) : offer);

test('a provider that fails, declines or does not know the pair is left out', async () => {
  const down = fakeProvider({ name: 'down' });
  down.mood = 'down';
  const stranger = { ...fakeProvider({ name: 'stranger' }), supports: () => false };
  const declining = fakeProvider({ name: 'declining', least: 10n ** 12n });
  const good = fakeProvider({ name: 'good' });
  const offer = chosen(await bestOffer([down, stranger, declining, good], ASK, SLIPPAGE, bounds()));
  assert.equal(offer.provider, good);
  assert.deepEqual(offer.swap, { ...ASK, slippage: SLIPPAGE.perLeg });
  assert.equal(stranger.asked.length, 0);
  assert.equal(await bestOffer([down, declining], ASK, SLIPPAGE, bounds()), 'declined');
  assert.equal(await bestOffer([down, stranger], ASK, SLIPPAGE, bounds()), 'unreachable');
  assert.equal(await bestOffer([], ASK, SLIPPAGE, bounds()), 'unreachable');
});

test('who cannot keep to the tight slippage is asked again for the full one', async () => {
  const loose = fakeProvider({ tightest: percent('2') });
  const offer = chosen(await bestOffer([loose], ASK, SLIPPAGE, bounds(960n)));
  assert.deepEqual(offer.swap.slippage, SLIPPAGE.full);
  assert.ok(offer.quote.least.atoms >= 960_000_000n);
});

test('the worst rate is kept: what is left of the slippage shrinks with the price', async () => {
  // It gives 985 where at least 980 is needed: one percent is too much.
  const worse = fakeProvider({ spread: percent('1.5') });
  const offer = chosen(await bestOffer([worse], ASK, SLIPPAGE, bounds(980n)));
  assert.ok(offer.quote.least.atoms >= 980_000_000n);
  assert.ok(offer.swap.slippage.num * 100n < offer.swap.slippage.den);
  assert.equal(await bestOffer([worse], ASK, SLIPPAGE, bounds(990n)), 'declined');
  // The best output is of no use where its promise falls short and another's does not.
  const firm = fakeProvider({ name: 'firm', spread: percent('0.6') });
  const lax: Provider = {
    ...fakeProvider({ name: 'lax' }),
    quote: async () => ({ output: amount(USDC.id, 999_000_000n), least: amount(USDC.id, 900_000_000n), seconds: 1 }),
  };
  assert.equal(chosen(await bestOffer([lax, firm], ASK, SLIPPAGE, bounds(980n))).provider, firm);
});

test('who promises clearly more than the market gives is left out: nobody has that to give away', async () => {
  const gives = (name: string, dollars: bigint): Provider => ({
    ...fakeProvider({ name }),
    quote: async () => {
      const output = amount(USDC.id, dollars * 1_000_000n);
      return { output, least: output, seconds: 1 };
    },
  });
  const [honest, generous, liar] = [fakeProvider({ name: 'honest' }), gives('generous', 1_100n), gives('liar', 1_101n)];
  assert.equal(chosen(await bestOffer([honest, liar], ASK, SLIPPAGE, bounds(980n))).provider, honest);
  assert.equal(chosen(await bestOffer([honest, liar, generous], ASK, SLIPPAGE, bounds())).provider, generous);
  assert.equal(await bestOffer([liar], ASK, SLIPPAGE, bounds()), 'declined');
  // Asked again for less slippage, it promises more.
  let asks = 0;
  const lax = { output: amount(USDC.id, 1_000_000_000n), least: amount(USDC.id, 900_000_000n), seconds: 1 };
  const turning: Provider = {
    ...fakeProvider(),
    quote: async (swap) => {
      asks += 1;
      return asks <= 2 ? lax : liar.quote(swap);
    },
  };
  assert.equal(await bestOffer([turning], ASK, SLIPPAGE, bounds(980n)), 'declined');
  assert.equal(asks, 3);
});

test('a defect is not taken for an answer', async () => {
  const broken: Provider = { ...fakeProvider(), quote: () => Promise.reject(new TypeError('a bug')) };
  await assert.rejects(bestOffer([broken, fakeProvider()], ASK, SLIPPAGE, bounds()), TypeError);
});

const FULL = { ...ASK, slippage: SLIPPAGE.full };

test('equal asks share an answer for some seconds, and a failure is not kept', async () => {
  let now = 0;
  const provider = fakeProvider();
  const spared = throttled(provider, { now: () => instant(now) });
  const asks = Array.from({ length: 20 }, (_, n) => spared.quote({ ...FULL, deadline: instant(n) }));
  assert.equal(new Set((await Promise.all(asks)).map((quote) => quote?.output.atoms)).size, 1);
  assert.equal(provider.asked.length, 1);
  now = 5_000;
  provider.mood = 'down';
  await assert.rejects(spared.quote(FULL), Fault);
  provider.mood = 'well';
  assert.ok(await spared.quote(FULL));
  assert.equal(provider.asked.length, 3);
});

test('a burst of different asks stays within the limit and is answered in proportion', async () => {
  let now = 0;
  const provider = fakeProvider();
  const spared = throttled(provider, { now: () => instant(now) });
  const sum = (n: bigint) => ({ ...FULL, input: amount(BTC.id, 1_000_000n + n) });
  const burst = Array.from({ length: 200 }, (_, n) => spared.quote(sum(BigInt(n))));
  const outputs = (await Promise.all(burst)).map((quote) => quote?.output.atoms ?? 0n);
  assert.equal(provider.asked.length, 40);
  assert.ok(outputs.every((output) => output > 998_000_000n && output < 1_000_000_000n));
  await assert.rejects(spared.quote({ ...FULL, input: amount(BTC.id, 100n) }), Fault);
  await assert.rejects(spared.quote({ ...FULL, output: SOL.id }), Fault);
  now = 60_000;
  assert.ok(await spared.quote({ ...FULL, output: SOL.id }));
});

const breakers = (...open: string[]) => ({
  isOpen: async (scope: string) => (open.includes(scope) ? 'stopped' : undefined),
});

test('a stopped provider gets nothing new, a slow one is left out, and what runs is followed', async () => {
  const status = async () => ({ state: 'processing' }) as const;
  const stopped = { ...fakeProvider({ name: 'stopped', spread: ratio(0n, 1n) }), status };
  const silent = fakeProvider({ name: 'silent' });
  silent.mood = 'silent';
  const good = fakeProvider({ name: 'good' });
  const guarded = guardProviders([stopped, silent, good], breakers('provider:stopped'), 10);
  const offer = chosen(await bestOffer(guarded, ASK, SLIPPAGE, bounds()));
  assert.equal(offer.provider.name, 'good');
  assert.equal(stopped.asked.length, 0);
  const [first] = guarded;
  await assert.rejects(async () => first?.open(FULL), Fault);
  assert.deepEqual(await first?.status({} as Parameters<Provider['status']>[0]), { state: 'processing' });
  assert.equal(await bestOffer(guarded.slice(0, 2), ASK, SLIPPAGE, bounds()), 'unreachable');
});

test('stopping the venue stops what is traded there; a chain stops whatever passes it', async () => {
  const open = room({ providers: [fakeProvider()] });
  const kind = async (scope: string, request: Parameters<typeof open.quote>[0]) => {
    const answer = await guardQuotes(open, breakers(scope), STANDS).quote(request);
    return 'refusal' in answer ? answer.refusal : 'quoted';
  };
  const [bought, swapped] = [buy(100_000_000n), swap(BTC, SOL, 1_000_000n)];
  const both = swap(BTC, { ...SOL, ...bought.to }, 1_000_000n);
  assert.deepEqual(await Promise.all([bought, swapped, both].map((one) => kind('venue', one))), [
    'unavailable',
    'quoted',
    'unavailable',
  ]);
  assert.deepEqual(await Promise.all([bought, swapped, both].map((one) => kind('chain:42161', one))), [
    'unavailable',
    'quoted',
    'unavailable',
  ]);
  assert.equal(await kind('quotes', swapped), 'unavailable');
});

test('our own deposit addresses are no destination, at creation or later', async () => {
  const reached: string[] = [];
  const desk = {
    create: async () => reached.push('create'),
    command: async () => reached.push('command'),
  } as unknown as Desk;
  const guarded = guardDestinations(desk, async (_, address) => address === 'ours');
  const to = (address: string) => ({ asset: USDC.id, address: address as Address, binding: '' });
  const create = (destination: string, refundTo?: string) =>
    guarded.create({ destination: to(destination), refundTo: refundTo && to(refundTo) } as never, {} as never);
  const refused = { refusal: 'address_refused', message: 'This address belongs to this desk.' };
  assert.deepEqual(await create('ours'), refused);
  assert.deepEqual(await create('theirs', 'ours'), refused);
  const give = (address: string) =>
    guarded.command('sw_a' as never, { command: 'give_refund_address', to: to(address) });
  assert.deepEqual(await give('ours'), refused);
  assert.deepEqual(reached, []);
  await create('theirs', 'others');
  await give('theirs');
  await guarded.command('sw_a' as never, { command: 'close_wait' });
  assert.deepEqual(reached, ['create', 'command', 'command']);
});
