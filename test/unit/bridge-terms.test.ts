import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Amount, amount, rescale } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { assetId, chainId, type TokenId } from '../../src/kernel/ids.ts';
import { percent, ratio } from '../../src/kernel/ratio.ts';
import { usdPrice } from '../../src/kernel/usd.ts';
import {
  type BridgeAsset,
  type BridgeDirection,
  type BridgeSettings,
  bridgeQuote,
} from '../../src/life/quote/bridge-quote.ts';
import type { Quote } from '../../src/life/quote/quote.ts';
import type { Asset } from '../../src/world/chains/chain.ts';
import { EVM_ADDRESS } from '../wire/assets.ts';
import { bench, NO_LIMITS } from '../wire/bench.ts';

const DIRECTIONS: readonly BridgeDirection[] = ['deposit', 'withdraw'];
const NOW = instant(1_700_000_000_000);
const PRICE = ratio(300n, 1n);
const WRAPPED_DECIMALS = 8;

function asset(chain: number, token: string, decimals: number): Asset {
  const id = chainId(chain);
  const named = { token: token as TokenId, symbol: token, name: token };
  return { ...named, id: assetId(id, token as TokenId), chainId: id, decimals, native: chain !== 1337 };
}

function coin(name: string, decimals: number, minimum: bigint, flat: bigint): BridgeAsset {
  const native = asset(1, name, decimals);
  const wrapped = asset(1337, `${name}1`, WRAPPED_DECIMALS);
  return { name, native, wrapped, minimum: amount(native.id, minimum), withdrawalFlat: amount(native.id, flat) };
}

const XMR = coin('xmr', 12, 50_000_000_000n, 1_000_000_000n);
const TRX = coin('trx', 6, 50_000_000n, 2_000_000n);
const ZEC = coin('zec', 8, 5_000_000n, 100_000n);
const settings = (depositRate = percent('0.1'), withdrawalRate = percent('0.1')): BridgeSettings => ({
  ...{ depositRate, withdrawalRate, assets: [XMR, TRX, ZEC] },
});
const quoteOf = (one: BridgeAsset, direction: BridgeDirection, terms = settings()): Quote =>
  bridgeQuote(terms, one, direction, usdPrice(PRICE, one.native.decimals), NOW);

/** A sum in the finer of two units, so that both ends can be compared without loss. */
const fine = ({ atoms }: Amount, { decimals }: Asset): bigint => rescale(atoms, decimals, 18, 'down');

test('what the minimum becomes, coin by coin and to the atom', () => {
  const told = [XMR, TRX, ZEC].flatMap((one) =>
    DIRECTIONS.map((direction) => {
      const { fromAmount, toAmount } = quoteOf(one, direction);
      return `${one.name} ${direction}: ${fromAmount.atoms} to ${toAmount.atoms}`;
    }),
  );
  assert.deepEqual(told, [
    'xmr deposit: 50000000000 to 4995000',
    'xmr withdraw: 5000000 to 48950000000',
    'trx deposit: 50000000 to 4995000000',
    'trx withdraw: 5000000000 to 47950000',
    'zec deposit: 5000000 to 4995000',
    'zec withdraw: 5000000 to 4895000',
  ]);
});

test('one leg and its fees: a rate of what came, and of withdrawals something flat of what goes out', () => {
  const deposit = quoteOf(XMR, 'deposit').route;
  assert.deepEqual(deposit.legs, [
    {
      leg: 'bridge',
      input: { asset: XMR.native.id, decimals: 12 },
      output: { asset: XMR.wrapped.id, decimals: WRAPPED_DECIMALS },
    },
  ]);
  assert.deepEqual(
    deposit.fees.map(({ at, asset: taken, flat }) => [at, taken, flat]),
    [[0, XMR.native.id, undefined]],
  );
  assert.deepEqual(
    quoteOf(XMR, 'withdraw').route.fees.map(({ at, asset: taken, flat }) => [at, taken, flat]),
    [
      [0, XMR.wrapped.id, undefined],
      [1, XMR.native.id, XMR.withdrawalFlat],
    ],
  );
});

test('a minimum that the wrapped form cannot write is rounded up, never down', () => {
  const odd = coin('odd', 12, 50_000_000_001n, 0n);
  assert.equal(quoteOf(odd, 'withdraw').minFrom.atoms, 5_000_001n);
  assert.equal(quoteOf(odd, 'deposit').minFrom.atoms, 50_000_000_001n);
});

test('a coin and its wrapped form are worth the same', () => {
  const { fromUsd, toUsd } = quoteOf(XMR, 'withdraw', settings(ratio(0n, 1n), ratio(0n, 1n)));
  assert.equal(fromUsd, 15_000_000n);
  assert.equal(toUsd, 14_700_000n, 'less the flat fee of 0.001');
});

test('where nobody names a price, terms do not offer what creation would refuse', async () => {
  const { quotes } = await bench();
  const { get, post } = await bench({ quota: NO_LIMITS, quotes: { ...quotes, price: async () => undefined } });
  const { assets } = (await get('/v2/bridges/terms')).json();
  assert.deepEqual([assets[0].deposit, assets[0].withdraw], [false, false]);
  const refused = await post('/v2/bridges', { asset: 'xmr', direction: 'deposit', toAddress: EVM_ADDRESS });
  assert.deepEqual([refused.statusCode, refused.json().code], [503, 'unavailable']);
});

test('nothing comes out that did not come in, and every sensible minimum yields something', () => {
  const sums = fc.record({
    decimals: fc.constantFrom(6, 8, 12),
    milli: fc.bigInt(1n, 10n ** 9n),
    flatPart: fc.bigInt(0n, 900n),
    depositRate: fc.bigInt(0n, 50n),
    withdrawalRate: fc.bigInt(0n, 50n),
    direction: fc.constantFrom<BridgeDirection>('deposit', 'withdraw'),
  });
  fc.assert(
    fc.property(sums, ({ decimals, milli, flatPart, depositRate, withdrawalRate, direction }) => {
      const minimum = milli * 10n ** BigInt(decimals - 3);
      const one = coin('any', decimals, minimum, (minimum * flatPart) / 1_000n);
      const terms = settings(ratio(depositRate, 1_000n), ratio(withdrawalRate, 1_000n));
      const { from, to, fromAmount, toAmount, minFrom, minReceived } = quoteOf(one, direction, terms);
      assert.deepEqual([minFrom, minReceived], [fromAmount, toAmount]);
      assert.ok(toAmount.atoms > 0n);
      assert.ok(fine(toAmount, to) <= fine(fromAmount, from));
    }),
  );
});
