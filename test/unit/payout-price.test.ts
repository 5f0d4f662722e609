import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { type Instant, instant } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import type { Address, AssetId } from '../../src/kernel/ids.ts';
import { askedPrice } from '../../src/life/quote/asked-price.ts';
import { type PayoutPrice, payoutPrice } from '../../src/life/quote/payout-price.ts';
import { answerPrices } from '../../src/life/transfer/payout-prices.ts';
import type { Chain, Transfer } from '../../src/world/chains/chain.ts';
import { buy, quoted, room, SOL_USDT, sell, XMR } from './quote-room.ts';

const KNOWN = 'known' as Address;
const FRESH = 'fresh' as Address;
const FROZEN = 'frozen' as Address;

/** Paying costs 10, and 90 more where it opens an account. `asked` is what the chain was asked for. */
function chainOf(held: bigint) {
  const asked: Transfer[] = [];
  const chain = {
    ...{ facts: { id: 3 }, hotAddress: 'hot' as Address, stranger: 'stranger' as Address },
    balance: async () => ({ spendable: atoms(held), locked: atoms(0n) }),
    async terms(transfer: Transfer) {
      asked.push(transfer);
      if (transfer.to === FROZEN) return { refused: 'frozen' };
      const opening = transfer.to === FRESH || transfer.to === chain.stranger ? 90n : 0n;
      return { nonce: undefined, fee: {}, cost: atoms(500n), usual: atoms(10n + opening), opening: atoms(opening) };
    },
  };
  return { chain: chain as unknown as Chain, asked };
}

describe('9.6: costs priced as a transfer of nothing to ourselves', () => {
  test('the real payment to the real destination is priced, apart from opening its account', async () => {
    const { chain, asked } = chainOf(7n);
    assert.deepEqual(await payoutPrice(chain, SOL_USDT, KNOWN), { usual: 10n, opening: 0n });
    assert.deepEqual(await payoutPrice(chain, SOL_USDT, FRESH), { usual: 10n, opening: 90n });
    assert.deepEqual(
      asked.map(({ to, atoms: value }) => [to, value]),
      [
        [KNOWN, 1n],
        [FRESH, 1n],
      ],
      'something is paid, and not to ourselves',
    );
  });

  test('where nobody is named, or nobody can be paid there, it is the dearer ordinary case', async () => {
    const { chain } = chainOf(0n);
    assert.deepEqual(await payoutPrice(chain, SOL_USDT, undefined), { usual: 10n, opening: 90n });
    assert.deepEqual(await payoutPrice(chain, SOL_USDT, FROZEN), { usual: 10n, opening: 90n });
  });

  test('9.6: priced to ourselves, as it was, a fresh account costs nothing and can be farmed: so it was won', async () => {
    const { chain } = chainOf(7n);
    assert.deepEqual(await payoutPrice(chain, SOL_USDT, chain.hotAddress), { usual: 10n, opening: 0n });
  });

  test('an account that is opened is a fee line of the quote, which bears it', async () => {
    const opening = atoms(10n ** 10n);
    const quotes = room({
      payoutPrice: async (_, to) => ({ usual: atoms(10n ** 8n), opening: to === KNOWN ? atoms(0n) : opening }),
    });
    const known = await quoted(quotes, buy(100_000_000n, { payTo: KNOWN }));
    const fresh = await quoted(quotes, buy(100_000_000n, { payTo: FRESH }));
    const anybody = await quoted(quotes, buy(100_000_000n));
    assert.equal(
      known.fees.find(({ type }) => type === 'activation'),
      undefined,
    );
    const line = fresh.fees.find(({ type }) => type === 'activation');
    assert.deepEqual(line?.amount, { asset: XMR.id, atoms: opening });
    assert.equal(known.toAmount.atoms - fresh.toAmount.atoms, opening);
    assert.deepEqual(anybody.toAmount, fresh.toAmount);
    assert.ok(fresh.minDepositUsd >= known.minDepositUsd);
    const sold = await quoted(quotes, sell(10n ** 12n, { payTo: KNOWN }));
    assert.ok(sold.toAmount.atoms > 0n);
  });
});

describe('a price that only an engine can tell', () => {
  const CHEAP: PayoutPrice = { usual: atoms(1n), opening: atoms(0n) };
  const DEAR: PayoutPrice = { usual: atoms(1n), opening: atoms(90n) };
  /** An engine that answers after so many looks, or never. */
  function desk(answersAfter: number) {
    let now = 1_000_000;
    let looks = 0;
    let answered: (PayoutPrice & { at: Instant }) | undefined;
    const asked: Address[] = [];
    const price = askedPrice({
      clock: { now: () => instant(now) },
      pause: async (ms) => {
        now += ms;
        looks += 1;
        if (looks === answersAfter) answered = { ...CHEAP, at: instant(now) };
      },
      questions: {
        find: async (_, to) => (to === undefined ? { ...DEAR, at: instant(0) } : answered),
        ask: async (_, to) => void asked.push(to),
      },
    });
    return { asked, ask: (to: Address | undefined) => price(SOL_USDT.id, to), wait: (ms: number) => (now += ms) };
  }

  test('is asked for, waited for, and remembered for as long as a quote is good', async () => {
    const { ask, asked, wait } = desk(3);
    const { usual, opening } = await ask(KNOWN);
    assert.deepEqual([{ usual, opening }, asked], [CHEAP, [KNOWN]]);
    await ask(KNOWN);
    assert.equal(asked.length, 1);
    wait(61_000);
    await ask(KNOWN);
    assert.equal(asked.length, 2);
  });

  test('is that of the dearer case where nobody answers, and where nobody is named', async () => {
    const { ask, asked } = desk(Number.POSITIVE_INFINITY);
    assert.equal((await ask(KNOWN)).opening, 90n);
    assert.equal((await ask(undefined)).opening, 90n);
    assert.deepEqual(asked, [KNOWN]);
  });
});

test('what a chain that is down cannot answer is not looked at again at once: whoever asks of it makes no round spin', async () => {
  const { chain } = chainOf(7n);
  const up = { ...chain, facts: { ...chain.facts, assets: [SOL_USDT] } };
  const down = { ...up, terms: () => Promise.reject(new Fault('transient', 'chain:3', 'no answer')) };
  const answered: (Address | undefined)[] = [];
  const books = {
    asked: async () => [KNOWN, FRESH].map((to) => ({ asset: SOL_USDT.id, to })),
    answer: async (_asset: AssetId, to: Address | undefined) => void answered.push(to),
    forget: async () => {},
  };
  const round = (on: Chain) => answerPrices(on, { books, clock: { now: () => instant(5_000) } });
  assert.deepEqual([await round(down), answered], [false, []]);
  assert.deepEqual([await round(up), answered], [true, [KNOWN, FRESH]]);
});
