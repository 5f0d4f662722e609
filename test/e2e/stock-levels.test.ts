import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { COLD_STORE } from '../../sandbox/config.ts';
import { places } from '../../sandbox/files.ts';
import { present } from '../../src/kernel/assert.ts';
import { openSigner, unixOutbound } from '../../src/signer/client.ts';
import type { Box } from './box.ts';
import { type Bridger, openBridger, PAIRS, type Pair } from './bridger.ts';
import { assertBalanced, type RouteEnd } from './routes.ts';
import { sharedBox } from './shared-box.ts';
import type { View } from './shopper.ts';

const [, TRX, ZEC] = PAIRS as [Pair, Pair, Pair];
const USDT: RouteEnd = { name: 'USDT', chainId: 42_161, token: '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9' };
const MILLION = 10n ** 12n;
/** Of five million TRX1 that the box starts with on the venue. */
const MUCH = 2n * MILLION;

let box: Box;
let bridger: Bridger;
before(async () => {
  box = await sharedBox();
  bridger = openBridger(box);
  await bridger.rhythm(TRX.native.chainId, 250);
});

const operator = async (path: string): Promise<View> => (await box.operator('GET', path)).body;
const isLow = ({ cases }: View): boolean =>
  (cases as readonly { case: string; reason: string }[]).some((one) => one.case === 'stock_low');
const ledgerOf = async (token: string): Promise<View> => {
  const { assets } = await operator('/operator/ledger');
  return present(
    (assets as readonly View[]).find(({ asset }) => String(asset).toLowerCase().endsWith(token.toLowerCase())),
    token,
  );
};

test('a stock that a large order leaves low is told before anybody waits, and closes when somebody brings more', async () => {
  // What lies on the chains when the desk starts is counted first.
  await bridger.until(
    () => operator('/operator/cases'),
    (seen) => !isLow(seen),
  );
  const order = await bridger.open(TRX, 'deposit');
  await bridger.pay(order, MUCH);
  await bridger.completed(order, MUCH);
  await bridger.until(() => operator('/operator/cases'), isLow);
  const { venue } = await openSigner(unixOutbound(places(box.dir).signer.apiSocket)).publicKeys();
  // The venue counts two decimals more.
  await bridger.send(TRX.wrapped, present(venue, 'keys').hot, MUCH * 100n);
  await bridger.until(
    () => operator('/operator/cases'),
    (seen) => !isLow(seen),
  );
});

test('what is too much goes to the cold store, down to the target, and is still ours', async () => {
  const { evm } = await openSigner(unixOutbound(places(box.dir).signer.apiSocket)).publicKeys();
  await bridger.send(USDT, present(evm, 'keys').hot, 60n * MILLION);
  const isThere = ({ total }: View) => BigInt(String(total)) > 0n;
  const put = async () => ({ ...(await bridger.received(USDT, COLD_STORE)) }) as View;
  const { total } = await bridger.until(put, isThere);
  const line = () => ledgerOf(USDT.token);
  await bridger.until(line, ({ cold, treasury }) => cold === total && treasury === `${3n * MILLION}`);
  await assertBalanced(box);
});

test('a coin that runs low is bridged from its wrapped form by itself, once, and the books agree', async () => {
  const { zcash } = await openSigner(unixOutbound(places(box.dir).signer.apiSocket)).publicKeys();
  const hot = present(zcash, 'keys').hot;
  const COIN = 10n ** 8n;
  const came = async () => BigInt((await bridger.received(ZEC.native, hot)).total);
  const before = await came();
  await bridger.rhythm(ZEC.native.chainId, 250);
  // Of 12,800 ZEC; below 11,000 the desk fills up to 12,500 from what it has of ZEC1 above 9,900.
  const order = await bridger.open(ZEC, 'withdraw');
  await bridger.pay(order, 2_000n * COIN);
  await bridger.completed(order, 2_000n * COIN);
  const levelled = async (): Promise<View> => ({ came: `${(await came()) - before}` });
  const { came: got } = await bridger.until(levelled, (seen) => BigInt(String(seen.came)) > 1_000n * COIN);
  const open = async () => operator('/operator/cases');
  await bridger.until(open, (seen) => !isLow(seen));
  const free = async () => ({ zec: (await ledgerOf('zec')).treasury }) as View;
  // A thousandth and a flat fee stay with the bridge.
  await bridger.until(free, ({ zec }) => BigInt(String(zec)) > 12_490n * COIN && BigInt(String(zec)) <= 12_500n * COIN);
  assert.ok(BigInt(String(got)) < 2_000n * COIN);
  assert.equal(`${(await came()) - before}`, got, 'once');
  await assertBalanced(box);
});
