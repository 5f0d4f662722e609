import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, chainId } from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { showUsd } from '../../src/kernel/usd.ts';
import { outsideBounds } from '../../src/life/quote/deposit-bounds.ts';
import type { Quote } from '../../src/life/quote/quote.ts';
import {
  BOOK,
  buy,
  catalogOf,
  ETH,
  integrator,
  MARKET,
  quoted,
  room,
  sell,
  USDC,
  VENUE_USDC,
  XMR,
  XMR1,
} from './quote-room.ts';

const dollars = (n: bigint) => n * 10n ** 6n;
const coins = (n: bigint) => n * 10n ** 12n;
const fee = (quote: Quote, type: string) => quote.fees.filter((one) => one.type === type).map((one) => one.amount);
const leg = (quote: Quote) => {
  const [first] = quote.route.legs;
  return first?.leg === 'venue' ? first : assert.fail('no trade');
};

test('buying takes the service fee and the collection from the deposit, the venue fee and the payout from the coins', async () => {
  const quote = await quoted(room(), buy(dollars(1_000n)));
  // 1000 - 3 service - 0.06 collection = 996.94; at 301, less 0.07 %, less 0.0001 XMR.
  assert.deepEqual(fee(quote, 'service'), [amount(USDC.id, 3_000_000n)]);
  assert.deepEqual(fee(quote, 'network'), [amount(USDC.id, 60_000n), amount(XMR.id, 100_000_000n)]);
  const bought = 99_694_000_000n / 301n;
  assert.equal(quote.toAmount.atoms, ((bought * 9_993n) / 10_000n) * 10_000n - 100_000_000n);
  assert.equal(quote.minReceived.atoms, (quote.toAmount.atoms * 97n) / 100n);
  assert.equal(showUsd(quote.fromUsd), '1000.00');
  assert.equal(leg(quote).side, 'buy');
  assert.deepEqual([leg(quote).spend, leg(quote).receive], [VENUE_USDC.id, XMR1.id]);
});

test('selling walks down the bids and takes every fee from the dollars', async () => {
  const quote = await quoted(room(), sell(coins(12n)));
  // 10 at 300 and 2 at 299 = 3598; less 0.07 % = 3595.4814; less 0.3 % and 0.03 gas.
  const yielded = 3_595_481_400n;
  const service = (yielded * 3n) / 1_000n;
  assert.equal(quote.toAmount.atoms, yielded - service - 30_000n);
  assert.deepEqual(fee(quote, 'service'), [amount(USDC.id, service)]);
  const { worstPrice } = leg(quote);
  assert.equal(worstPrice.num * 12n * 100n, worstPrice.den * 3_598n * 97n);
});

test('the worst price of a purchase lowers its output by exactly the slippage', async () => {
  const quote = await quoted(room(), buy(dollars(5_000n)));
  const { worstPrice, chunks } = leg(quote);
  const atWorst = (chunks.each.atoms * worstPrice.den) / worstPrice.num;
  const gross = (quote.toAmount.atoms + 100_000_000n) / 10_000n;
  const expected = (gross * 10_000n * 97n) / (9_993n * 100n);
  assert.ok(atWorst - expected <= 2n && expected - atWorst <= 2n, `${atWorst} and ${expected}`);
});

test('the integrator is paid from the deposit when buying and in dollars after the sale when selling', async () => {
  const bought = await quoted(room(), buy(dollars(1_000n), { integrator: integrator(1) }));
  assert.equal(bought.integratorFee?.amount.atoms, dollars(10n));
  assert.equal(bought.integratorFee?.payoutAddress, 'partner');
  assert.deepEqual(
    bought.route.fees.filter((term) => term.type === 'integrator').map((term) => [term.at, term.asset]),
    [[0, USDC.id]],
  );
  const plain = await quoted(room(), sell(coins(1n)));
  const sold = await quoted(room(), sell(coins(1n), { integrator: integrator(1) }));
  assert.deepEqual(sold.integratorFee?.amount, amount(XMR.id, coins(1n) / 100n));
  assert.deepEqual(
    sold.route.fees.filter((term) => term.type === 'integrator').map((term) => [term.at, term.asset]),
    [[1, USDC.id]],
  );
  // 1 % of 299.79.
  assert.equal(plain.toAmount.atoms - sold.toAmount.atoms, 2_997_900n);
});

test('an integrator fee is skipped without an address, at nought, and where it would not cover its transfer', async () => {
  const nowhere = { integrationId: 'int_a', percent: 1, payoutAddress: undefined };
  assert.equal((await quoted(room(), buy(dollars(100n), { integrator: nowhere }))).integratorFee, undefined);
  assert.equal((await quoted(room(), buy(dollars(100n), { integrator: integrator(0) }))).integratorFee, undefined);
  // A transfer costs $0.03: 0.1 % of 29.999999 does not cover it, of 30 it does.
  const small = { integrator: integrator(0.1) };
  assert.equal((await quoted(room(), buy(29_999_999n, small))).integratorFee, undefined);
  assert.equal((await quoted(room(), buy(30_000_000n, small))).integratorFee?.amount.atoms, 30_000n);
});

test('a quote under the minimum is answered and an order is not accepted', async () => {
  const quote = await quoted(room(), buy(24_999_999n));
  assert.equal(quote.minDepositUsd, 25);
  assert.equal(quote.minFrom.atoms, dollars(25n));
  assert.equal(outsideBounds(quote)?.refusal, 'amount_below_minimum');
  assert.equal(outsideBounds(quote)?.message, 'The minimum for this swap is 25 USDC.');
  assert.equal(outsideBounds(await quoted(room(), buy(dollars(25n)))), undefined);
  const sale = await quoted(room(), sell(coins(1n)));
  // 25 / 300.5, rounded up.
  assert.equal(sale.minFrom.atoms, 83_194_675_541n);
});

test('dear networks raise the minimum', async () => {
  const quotes = room({ prices: [['ETH', ratio(3_000_000n, 1n)]] });
  const quote = await quoted(quotes, buy(dollars(400n)));
  // Collecting costs $60 and the payout three cents; both may take a fifth.
  assert.equal(quote.minDepositUsd, 300.16);
});

test('what leaves nothing, what is nothing and what the book cannot take are refused', async () => {
  const kind = async (request: Parameters<typeof quoted>[1]) => {
    const answer = await room().quote(request);
    return isRefusal(answer) ? answer.refusal : 'quoted';
  };
  assert.equal(await kind(buy(0n)), 'invalid_amount');
  assert.equal(await kind(buy(1n << 200n)), 'amount_above_maximum');
  assert.equal(await kind(buy(dollars(1_000_000n))), 'amount_above_maximum');
  assert.equal(await kind(sell(coins(1_000n))), 'amount_above_maximum');
  assert.equal(await kind(buy(coins(1_000n), { mode: 'exact_out' })), 'amount_above_maximum');
  assert.equal(await kind({ ...buy(1n), from: ETH, amount: amount(ETH.id, 10n ** 18n) }), 'unsupported_pair');
  assert.equal(await kind({ ...buy(1n), to: USDC }), 'unsupported_pair');
});

test('what its own costs eat up is quoted as nothing, with the minimum, and no order is made of it (D19)', async () => {
  for (const request of [buy(1n), sell(1n)]) {
    const quote = await quoted(room(), request);
    assert.equal(quote.toAmount.atoms, 0n);
    assert.equal(quote.minReceived.atoms, 0n);
    assert.ok(quote.minDepositUsd >= 25);
    assert.ok(quote.minFrom.atoms > 1n);
    assert.equal(outsideBounds(quote)?.refusal, 'amount_below_minimum');
  }
});

test('the maximum itself is quoted', async () => {
  const { maxFrom } = await quoted(room(), sell(coins(1n)));
  assert.equal(maxFrom.atoms, coins(448n));
  await quoted(room(), sell(maxFrom.atoms));
});

test('large sales go in chunks of six coins, large purchases in chunks of 5,000 dollars', async () => {
  const chunks = async (request: Parameters<typeof quoted>[1]) => leg(await quoted(room(), request)).chunks;
  // 16.6 coins are worth just under $5,000 at the middle price of 300.5.
  assert.equal((await chunks(sell(16_600_000_000_000n))).count, 1);
  const sale = await chunks(sell(coins(20n)));
  assert.deepEqual(sale, {
    count: 4,
    each: amount(XMR1.id, 6n * 10n ** 8n),
    total: amount(XMR1.id, 20n * 10n ** 8n),
    intervalMs: 8_000,
    chunkSizeUsd: 1_803,
  });
  assert.equal((await chunks(buy(dollars(25_000n)))).count, 1);
  const purchase = await chunks(buy(dollars(30_000n)));
  assert.deepEqual(purchase, {
    count: 6,
    each: amount(VENUE_USDC.id, 5_000n * 10n ** 8n),
    // After the service fee and what the payout costs.
    total: amount(VENUE_USDC.id, 2_990_994_000_000n),
    intervalMs: 8_000,
    chunkSizeUsd: 5_000,
  });
});

test('a client may choose the chunk, the interval, or none of it', async () => {
  const wish = (twap: { disabled?: boolean; chunkSizeUsd?: number; intervalMs?: number }) => ({
    twap: { disabled: false, chunkSizeUsd: undefined, intervalMs: undefined, ...twap },
  });
  const chunks = async (request: Parameters<typeof quoted>[1]) => leg(await quoted(room(), request)).chunks;
  assert.equal((await chunks(buy(dollars(30_000n), wish({ disabled: true })))).count, 1);
  assert.equal((await chunks(buy(dollars(30_000n), wish({ chunkSizeUsd: 1_000_000 })))).count, 1);
  const chosen = await chunks(sell(coins(20n), wish({ chunkSizeUsd: 1_000, intervalMs: 2_000 })));
  assert.equal(chosen.intervalMs, 2_000);
  assert.equal(chosen.count, 6); // $6,010 in thousands: the last ten dollars join the sixth.
});

test('the estimate adds deposit, collection, execution, pauses and payout', async () => {
  assert.equal((await quoted(room(), buy(dollars(100n)))).estimatedSeconds, 100 + 2 * 10 + 15 + 10);
  assert.equal((await quoted(room(), sell(coins(20n)))).estimatedSeconds, 100 + 15 + 3 * 8 + 10);
});

test('prices and costs are asked once while they are fresh', async () => {
  const quotes = room();
  await Promise.all([quoted(quotes, buy(dollars(100n))), quoted(quotes, sell(coins(1n)))]);
  await quoted(quotes, buy(dollars(100n)));
  assert.deepEqual(quotes.asked, { book: 3, prices: 1, cost: 4 });
  quotes.wait(15_000);
  await quoted(quotes, buy(dollars(100n)));
  assert.deepEqual(quotes.asked, { book: 4, prices: 2, cost: 6 });
});

test('whoever waited for what his payout costs is quoted from the book of then', async () => {
  let [date, wait] = [0, (_: number) => {}];
  const usual = { usual: atoms(1n), opening: atoms(0n) };
  const quotes = room({
    venue: {
      market: MARKET,
      book: async () => ({ ...BOOK, at: instant(date) }),
      prices: async () => new Map([['ETH', ratio(3_000n, 1n)]]),
    },
    payoutPrice: async (_, to) => {
      if (to === undefined) return usual;
      // Somebody else is quoted from the book of now; a minute later there is another one.
      await quoted(quotes, buy(dollars(100n)));
      wait(60_000);
      date += 1;
      return usual;
    },
  });
  wait = quotes.wait;
  await quoted(quotes, buy(dollars(100n), { payTo: 'slow' as Address }));
});

test('a venue that fails, an empty book and a missing price make the pair unavailable, and only for as long', async () => {
  let isDown = true;
  const venue = {
    market: MARKET,
    book: async () => BOOK,
    prices: async () => {
      if (isDown) throw new Fault('transient', 'venue', 'down');
      return new Map([['ETH', ratio(3_000n, 1n)]]);
    },
  };
  const quotes = room({ venue });
  const refusal = async (answer: ReturnType<typeof quotes.quote>) => ((await answer) as { refusal?: string }).refusal;
  assert.equal(await refusal(quotes.quote(buy(dollars(100n)))), 'unavailable');
  assert.equal(await quotes.price(XMR.id), undefined);
  isDown = false;
  await quoted(quotes, buy(dollars(100n)));
  assert.equal(await refusal(room({ book: { ...BOOK, bids: [] } }).quote(buy(dollars(100n)))), 'unavailable');
  assert.equal(await refusal(room({ prices: [] }).quote(buy(dollars(100n)))), 'unavailable');
});

test('the catalog parses only what its chains know, and lists no venue', () => {
  const catalog = catalogOf((address) => address === 'ours');
  const kind = (value: unknown) => (isRefusal(value) ? value.refusal : value);
  assert.equal(kind(catalog.parseAsset(0, 'XMR')), XMR);
  assert.equal(kind(catalog.parseAsset(5, 'XMR')), 'unsupported_chain');
  assert.equal(kind(catalog.parseAsset(1337, '0xb')), 'unsupported_chain');
  assert.equal(kind(catalog.parseAsset(42161, 'USDC')), 'unsupported_token');
  assert.equal(kind(catalog.parseAsset(42161, 'x'.repeat(100_000))), 'unsupported_token');
  assert.equal(catalog.asset(XMR1.id), XMR1);
  const to = (text: string) => kind(catalog.parseDestination(chainId(0), text));
  assert.deepEqual(['abc', 'ABC', 'zero', 'ours', 'x'.repeat(100_000)].map(to), [
    'abc',
    'invalid_address',
    'address_refused',
    'address_refused',
    'invalid_address',
  ]);
  assert.deepEqual(
    catalog.chains().map((rules) => rules.facts.name),
    ['Arbitrum', 'Monero', 'Bitcoin', 'Solana'],
  );
});

test('tokens are found literally and paged', () => {
  const catalog = catalogOf();
  const find = (query: object) => catalog.tokens({ offset: 0, limit: 10, ...query });
  assert.deepEqual(find({}).tokens, [USDC, XMR]);
  assert.deepEqual(find({ q: 'usd', direction: 'from' }).tokens, [USDC]);
  assert.deepEqual(find({ q: '.*' }), { tokens: [], total: 0 });
  assert.deepEqual(find({ chainId: 0 }).tokens, [XMR]);
  assert.deepEqual(find({ offset: 1, limit: 1 }), { tokens: [XMR], total: 2 });
  assert.equal(catalog.supports('to', ETH), false);
});

test('a first payment to the integrator’s account must cover what opening it costs, by input and by output', async () => {
  const opened = room({
    payoutPrice: async (asset, to) => ({
      usual: atoms(0n),
      opening: atoms(to === 'partner' && asset === VENUE_USDC.id ? 100_000_000n : 0n),
    }),
  });
  const one = { integrator: integrator(1) };
  assert.ok((await quoted(opened, sell(coins(1n), one))).integratorFee, '2.99 dollars cover one');
  const small = coins(1n) / 4n;
  const skipped = await quoted(opened, sell(small, one));
  const plain = await quoted(opened, sell(small));
  assert.deepEqual([skipped.integratorFee, skipped.toAmount], [undefined, plain.toAmount], '0.75 dollars do not');
  const byOutput = { ...one, mode: 'exact_out' } as const;
  const asked = await quoted(opened, sell(dollars(70n), byOutput));
  assert.deepEqual(asked.fromAmount, (await quoted(opened, sell(dollars(70n), { mode: 'exact_out' }))).fromAmount);
  const [term] = (await quoted(opened, sell(dollars(200n), byOutput))).route.fees;
  assert.deepEqual([term?.type, term?.least], ['integrator', amount(USDC.id, dollars(1n))]);
});
