import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Amount, amount, atoms } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import { type Clock, type Instant, instant, later } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Address, AssetId } from '../../kernel/ids.ts';
import { compare, inverse, type Ratio, ratio, ratioFromDecimal, scaleInt, times } from '../../kernel/ratio.ts';
import type { Fill, SignedAction, Ticket, Venue, VenueMove } from './venue.ts';

/** A venue to try, whose account holds at least 5,000 of the quote and 10 of the base, on a book that can fill them. */
export interface VenueBench {
  readonly venue: Venue;
  readonly clock: Clock;
  /** Another account that the venue knows. */
  readonly friend: Address;
  signTrade(ticket: Ticket): SignedAction;
  signMove(move: VenueMove): SignedAction;
  /** The next post takes effect, and its answer is lost. */
  loseNextAnswer(): void;
  close(): Promise<void>;
}

const WORSE = ratio(102n, 100n);
const WELL_BELOW = ratio(50n, 100n);

/** What every venue promises, whoever runs it. */
export function venueConformance(name: string, open: () => Promise<VenueBench>): void {
  describe(`${name} keeps the promises of a venue`, () => {
    let bench: VenueBench;
    before(async () => {
      bench = await open();
    });
    after(() => bench.close());
    bookPromises(() => bench);
    tradePromises(() => bench);
    repetitionPromises(() => bench);
    refusalPromises(() => bench);
    movePromises(() => bench);
  });
}

function bookPromises(bench: () => VenueBench): void {
  test('the book is sorted best first and is not crossed', async () => {
    const { bids, asks } = await bench().venue.book();
    const [bid, ask] = [present(bids[0], 'a bid'), present(asks[0], 'an ask')];
    assert.equal(compare(bid.price, ask.price), -1);
    for (const [index, level] of bids.entries())
      if (index > 0) assert.equal(compare(level.price, present(bids[index - 1], 'bid').price), -1);
    for (const [index, level] of asks.entries())
      if (index > 0) assert.equal(compare(level.price, present(asks[index - 1], 'ask').price), 1);
    for (const level of [...bids, ...asks]) assert.ok(level.size > 0n);
  });

  test('a price in the venue’s spelling is never worse than asked, and is its own spelling', () => {
    const { venue } = bench();
    for (let step = 1n; step < 400n; step += 1n) {
      const price = ratio(step * step * 7919n, 1009n * (1n + (step % 13n)));
      const buy = unitPrice(venue, venue.priceText(price, 'buy'));
      const sell = unitPrice(venue, venue.priceText(price, 'sell'));
      assert.ok(compare(buy, price) <= 0, `buying at ${venue.priceText(price, 'buy')}`);
      assert.ok(compare(sell, price) >= 0, `selling at ${venue.priceText(price, 'sell')}`);
      assert.equal(venue.priceText(buy, 'sell'), venue.priceText(price, 'buy'));
      assert.equal(venue.priceText(sell, 'buy'), venue.priceText(price, 'sell'));
    }
  });

  test('dollar prices are positive and cover the traded coin', async () => {
    const prices = await bench().venue.prices();
    assert.ok(prices.has('XMR'));
    for (const price of prices.values()) assert.ok(price.num > 0n);
  });

  test('addresses and tokens are known by their canonical spelling, tokens never by symbol', () => {
    const { venue } = bench();
    assert.equal(venue.rules.parseAddress(venue.account.toLowerCase()), venue.account);
    for (const asset of venue.rules.facts.assets) {
      assert.equal(venue.rules.parseToken(asset.token.toUpperCase().replace('0X', '0x')), asset.token);
      assert.equal(venue.rules.parseToken(asset.symbol), undefined);
    }
  });
}

async function placedAndFilled(venue: Venue, { clientId, size }: Ticket): Promise<Instant> {
  const status = await venue.ticket(clientId);
  assert.ok(status.state === 'done');
  assert.deepEqual([status.filled, status.reason], [size, 'filled']);
  return status.placedAt;
}

function tradePromises(bench: () => VenueBench): void {
  for (const side of ['buy', 'sell'] as const)
    test(`a ${side} fills at once, and its fills say exactly what the balances say`, async () => {
      const { venue, signTrade } = bench();
      const { market } = venue;
      const before = await venue.balances();
      const ticket = await marketable(bench(), side, 150n);
      await venue.post(signTrade(ticket));
      const placedAt = await placedAndFilled(venue, ticket);
      const fills = await fillsOf(venue, ticket);
      assert.ok(
        fills.every(({ at }) => at >= placedAt),
        'fills are found by when the venue says it was placed',
      );
      assert.equal(sum(fills, 'size'), ticket.size);
      for (const fill of fills) {
        assert.equal(fill.side, side);
        assert.equal(fill.fee.asset, side === 'buy' ? market.base : market.quote);
        const worst = unitPrice(venue, ticket.limit);
        assert.ok(compare(unitPrice(venue, fill.price), worst) * (side === 'buy' ? 1 : -1) <= 0);
        assert.equal(fill.quote, scaleInt(fill.size, unitPrice(venue, fill.price), 'down'));
      }
      const after = await venue.balances();
      const fee = fills.reduce((total, fill) => total + fill.fee.atoms, 0n);
      const sign = side === 'buy' ? 1n : -1n;
      const change = (asset: AssetId): bigint => of(after, asset) - of(before, asset);
      assert.equal(change(market.base), sign * sum(fills, 'size') - (side === 'buy' ? fee : 0n));
      assert.equal(change(market.quote), -sign * sum(fills, 'quote') - (side === 'buy' ? 0n : fee));
    });

  test('an order that nobody meets is done, with nothing filled', async () => {
    const { venue, signTrade } = bench();
    const { bids } = await venue.book();
    const limit = venue.priceText(times(present(bids[0], 'a bid').price, WELL_BELOW), 'buy');
    const ticket = { ...(await marketable(bench(), 'buy', 150n)), limit };
    await venue.post(signTrade(ticket));
    const status = await venue.ticket(ticket.clientId);
    assert.equal(status.state === 'done' && status.filled, 0n);
    assert.deepEqual(await fillsOf(venue, ticket), []);
  });

  test('every fill comes once, oldest first', async () => {
    const { venue } = bench();
    const fills = await venue.fills(instant(0));
    assert.ok(fills.length > 0);
    assert.equal(new Set(fills.map((fill) => fill.tradeId)).size, fills.length);
    assert.deepEqual(
      fills.map((fill) => fill.at),
      fills.map((fill) => fill.at).sort((a, b) => a - b),
    );
  });
}

function repetitionPromises(bench: () => VenueBench): void {
  test('posting identical bytes again does not trade again', async () => {
    const { venue, signTrade } = bench();
    const ticket = await marketable(bench(), 'buy', 60n);
    const signed = signTrade(ticket);
    await venue.post(signed);
    await venue.post(signed);
    assert.equal(sum(await fillsOf(venue, ticket), 'size'), ticket.size);
  });

  test('other bytes under a used nonce do nothing', async () => {
    const { venue, signTrade } = bench();
    const first = await marketable(bench(), 'buy', 60n);
    const second = { ...(await marketable(bench(), 'buy', 60n)), nonce: first.nonce };
    await venue.post(signTrade(first));
    await venue.post(signTrade(second));
    assert.deepEqual(await venue.ticket(second.clientId), { state: 'unknown' });
  });

  test('a used client id under a new nonce does not trade again', async () => {
    const { venue, signTrade } = bench();
    const first = await marketable(bench(), 'sell', 60n);
    await venue.post(signTrade(first));
    await venue.post(signTrade({ ...first, nonce: freshNonce(bench()) }));
    assert.equal(sum(await fillsOf(venue, first), 'size'), first.size);
  });

  test('an answer that was lost is an ambiguous fault, and the order is found by its client id', async () => {
    const { venue, signTrade, loseNextAnswer } = bench();
    const ticket = await marketable(bench(), 'sell', 60n);
    const signed = signTrade(ticket);
    loseNextAnswer();
    await assert.rejects(venue.post(signed), (error) => error instanceof Fault && error.kind === 'ambiguous');
    await placedAndFilled(venue, ticket);
    await venue.post(signed);
    assert.equal(sum(await fillsOf(venue, ticket), 'size'), ticket.size);
  });
}

function refusalPromises(bench: () => VenueBench): void {
  test('an order posted after its expiry is unknown for ever', async () => {
    const { venue, signTrade, clock } = bench();
    const ticket = { ...(await marketable(bench(), 'buy', 60n)), expiresAfter: later(clock.now(), -1_000) };
    const signed = signTrade(ticket);
    await venue.post(signed);
    assert.deepEqual(await venue.ticket(ticket.clientId), { state: 'unknown' });
    await venue.post(signed);
    assert.deepEqual(await venue.ticket(ticket.clientId), { state: 'unknown' });
  });

  test('an order below the minimum, off the lot, or beyond the balance fills nothing', async () => {
    const { venue, signTrade } = bench();
    const ticket = await marketable(bench(), 'buy', 60n);
    const sizes = [venue.market.lot, atoms(ticket.size + 1n), atoms(ticket.size * 1_000_000n)];
    for (const size of sizes) {
      const refused = { ...(await marketable(bench(), 'buy', 60n)), size };
      await venue.post(signTrade(refused));
      const status = await venue.ticket(refused.clientId);
      assert.ok(status.state === 'unknown' || (status.state === 'done' && status.filled === 0n), status.state);
      assert.deepEqual(await fillsOf(venue, refused), []);
    }
  });

  test('a client id that was never used is unknown', async () => {
    const { clientId } = await marketable(bench(), 'buy', 60n);
    assert.deepEqual(await bench().venue.ticket(clientId), { state: 'unknown' });
  });
}

function movePromises(bench: () => VenueBench): void {
  test('a send is one row in the sender’s ledger and one in the recipient’s, and repeats do not pay twice', async () => {
    const { venue, signMove, friend } = bench();
    const sent = amount(venue.market.base, 12_345_678n);
    const nonce = freshNonce(bench());
    const signed = signMove({ move: 'send', ...sent, to: friend, nonce });
    await venue.post(signed);
    await venue.post(signed);
    const out = (await venue.ledger(instant(0))).rows.filter((row) => row.nonce === nonce);
    const [received, ...more] = (await venue.ledger(instant(0), friend)).rows.filter((row) => row.nonce === nonce);
    assert.equal(out.length, 1);
    assert.equal(more.length, 0);
    assert.deepEqual(out[0] && [out[0].kind, out[0].asset, out[0].atoms, out[0].counterparty], [
      'send_out',
      sent.asset,
      sent.atoms,
      friend,
    ]);
    assert.deepEqual(received && [received.kind, received.asset, received.atoms, received.counterparty], [
      'send_in',
      sent.asset,
      sent.atoms,
      venue.account,
    ]);
    assert.equal(out[0]?.txHash, received?.txHash);
  });

  test('money goes from trading to where it can be withdrawn, and the withdrawal has its row with its fee', async () => {
    const { venue, signMove, friend } = bench();
    const twenty = atoms(20n * venue.withdrawalFee);
    const leave = freshNonce(bench());
    const before = await venue.unmovedDeposit();
    await venue.post(signMove({ move: 'to_transit', atoms: twenty, nonce: freshNonce(bench()) }));
    assert.equal((await venue.unmovedDeposit()) - before, twenty);
    const half = atoms(twenty / 2n);
    await venue.post(signMove({ move: 'withdraw', atoms: half, to: friend, nonce: leave }));
    const row = (await venue.ledger(instant(0))).rows.find(({ kind, nonce }) => kind === 'withdraw' && nonce === leave);
    assert.equal(row?.fee, venue.withdrawalFee);
    assert.equal((row?.atoms ?? 0n) + venue.withdrawalFee, half);
    await venue.post(signMove({ move: 'to_trading', atoms: half, nonce: freshNonce(bench()) }));
    assert.equal(await venue.unmovedDeposit(), before);
    assert.ok((await venue.ledger(instant(0))).rows.some(({ kind, atoms }) => kind === 'to_trading' && atoms === half));
  });

  test('every row of the ledger has a key of its own, oldest first', async () => {
    const { rows } = await bench().venue.ledger(instant(0));
    assert.equal(new Set(rows.map((row) => row.key)).size, rows.length);
    for (const [index, row] of rows.entries()) assert.ok(index === 0 || row.at >= present(rows[index - 1], 'row').at);
  });
}

let nonces = 0;

/** A nonce is the time, moved so that no two are the same. */
function freshNonce({ clock }: VenueBench): number {
  nonces += 1;
  return clock.now() + nonces;
}

/** An order worth about so many dollars, at a limit that the book meets. */
async function marketable(bench: VenueBench, side: Ticket['side'], dollars: bigint): Promise<Ticket> {
  const { venue, clock } = bench;
  const { bids, asks } = await venue.book();
  const best = present(side === 'buy' ? asks[0] : bids[0], 'a level').price;
  const limit = times(best, side === 'buy' ? WORSE : inverse(WORSE));
  const wanted = scaleInt(dollars * 10n ** BigInt(venue.market.quoteDecimals), inverse(best), 'up');
  const nonce = freshNonce(bench);
  return {
    clientId: `0x${nonce.toString(16).padStart(32, '0')}`,
    side,
    size: atoms((wanted / venue.market.lot) * venue.market.lot),
    limit: venue.priceText(limit, side),
    nonce,
    expiresAfter: later(clock.now(), 60_000),
  };
}

const unitPrice = ({ market: { quoteDecimals, baseDecimals } }: Venue, text: string): Ratio =>
  times(ratioFromDecimal(text), { num: 10n ** BigInt(quoteDecimals), den: 10n ** BigInt(baseDecimals) });

const fillsOf = async (venue: Venue, ticket: Ticket): Promise<readonly Fill[]> =>
  (await venue.fills(instant(0))).filter((fill) => fill.clientId === ticket.clientId);

const sum = (fills: readonly Fill[], part: 'size' | 'quote'): bigint =>
  fills.reduce((total, fill) => total + fill[part], 0n);

const of = (held: readonly Amount[], asset: AssetId): bigint => held.find((one) => one.asset === asset)?.atoms ?? 0n;
