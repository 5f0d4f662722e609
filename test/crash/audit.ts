import assert from 'node:assert/strict';
import type { AssetId } from '../../src/kernel/ids.ts';
import { sha256Hex } from '../../src/kernel/secret.ts';
import type { Row, Statement } from '../../src/store/db.ts';
import { openLedger } from '../../src/store/ledger.ts';
import { type Ending, isFromMonero, isToMonero, type Order, swapOf, TRIPS, usesVenue } from './customer.ts';
import type { Desk } from './desk.ts';
import { type Swapped, swappedOnce } from './provider-audit.ts';
import {
  coinPayment,
  ETHER,
  etherOf,
  type Look,
  look,
  onArbitrum,
  payment,
  paymentsSince,
  type Signed,
  signedSince,
  tradesSince,
  USDC_ON_VENUE,
  XMR,
  XMR_ON_VENUE,
  xmrFeeOf,
} from './sights.ts';
import { PARTNER } from './world.ts';

export interface Ended {
  readonly order: Order;
  readonly ending: Ending;
  /** Its payout was to be outbid: of several versions that exclude each other one was mined. */
  readonly isOutbid?: boolean;
}

/** An order with what its destination really got. */
interface Paid {
  readonly order: Order;
  readonly out: bigint;
  readonly txHash: string;
  readonly swapped: Swapped | undefined;
}

/**
 * Everything that must be true of orders that ended since `begin`, by what chains, venue and journal show. They must be
 * all that was done meanwhile, and nothing may run any more.
 */
export class Auditor {
  readonly #desk: Desk;
  #before: Look;
  /** Coins that earlier orders left on their deposit addresses. */
  #gas = 0n;

  private constructor(desk: Desk, before: Look) {
    this.#desk = desk;
    this.#before = before;
  }

  static async begin(desk: Desk): Promise<Auditor> {
    return new Auditor(desk, await look(desk.world));
  }

  /** What the world shows now is where the next orders begin, also where something is wrong. */
  async check(ended: readonly Ended[], isSignerKilled = false): Promise<void> {
    const desk = this.#desk;
    const before = this.#before;
    const after = await look(desk.world);
    this.#before = after;
    const signed = signedSince(desk.world, before.journalBytes);
    const left = ended.filter(collects).map(({ order }) => etherOf(desk.world, order.depositAddress));
    this.#gas += sum(await Promise.all(left));

    assert.deepEqual(desk.watchman.unsaved.splice(0), [], 'signed bytes left before they were saved');
    const paid: Paid[] = [];
    for (const one of ended) paid.push(await paidOnce(desk, one, signed));
    await nothingElseLeft(desk, before, after, paid);
    await tradedAsRecorded(desk, before, after, paid);
    await booksAreTrue(desk, after, this.#gas);
    signedOnce(outbidOnce(signed, ended), paid, desk.world.sweeper.isPlaced() ? [] : ['gas_sweep']);
    const cases = await desk.world.db.query(CASES);
    assert.deepEqual(isSignerKilled ? cases.filter(isOfElse) : cases, [], 'somebody was called');
  }
}

const CASES: Statement = { name: 'crash_cases', text: 'SELECT owner, doc FROM attention WHERE closed_at IS NULL' };
/** A minute is a second and a half here, and a killed signer may be away for as long: that nobody can read its journal is rightly told. */
const isOfElse = ({ doc }: Row): boolean => {
  const { case: kind, round } = doc as { readonly case: string; readonly round?: string };
  return !(kind === 'round_failed' && round === 'journal');
};
const CREDITS: Statement = {
  name: 'crash_credits',
  text: `SELECT atoms FROM posting WHERE from_account = 'world' AND to_account = $1 AND asset = $2`,
};
const RECORDED: Statement = { name: 'crash_fills', text: 'SELECT trade_id FROM fill WHERE order_id = ANY($1)' };

const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
/** Deposits on Arbitrum lie on an address of their own until they are collected. */
const collects = ({ order }: Pick<Paid, 'order'>): boolean => !isFromMonero(order.direction);
const comesInMonero = ({ order }: Paid): boolean => isFromMonero(order.direction);
const goesToMonero = ({ order }: Paid): boolean => isToMonero(order.direction);
const goesToArbitrum = (one: Paid): boolean => !goesToMonero(one);

/** The destination got exactly one transfer of exactly what the order says, and the deposit was credited once. */
async function paidOnce(desk: Desk, { order, ending }: Ended, signed: readonly Signed[]): Promise<Paid> {
  const { world } = desk;
  assert.equal(ending.status, 'completed', JSON.stringify(ending));
  const out = BigInt(String(ending.actualOutput));
  const { fromToken, toToken } = TRIPS[order.direction];
  const { transfers } = isToMonero(order.direction)
    ? await world.monero.received(order.destination)
    : await world.arbitrum.received(toToken, order.destination);
  const amounts = transfers.map(({ amount }) => amount);
  assert.deepEqual(amounts, [out], `${order.id} was to be paid ${out} once`);
  const deposited = isFromMonero(order.direction) ? XMR : onArbitrum(fromToken);
  const lies = collects({ order }) ? 'deposit' : 'order';
  const credits = await world.db.query(CREDITS, [`${lies}:${order.id}`, deposited]);
  const once = [{ atoms: String(order.deposit) }];
  assert.deepEqual(credits, once, `the deposit of ${order.id} was to be credited once`);
  return { order, out, txHash: transfers[0]?.txHash ?? '', swapped: await swappedOnce(desk, order, signed) };
}

async function nothingElseLeft({ world }: Desk, before: Look, after: Look, paid: readonly Paid[]): Promise<void> {
  const hot = world.hot.evm;
  const collected = paid.filter(collects).map(({ order }) => order);
  const expected = [
    ...collected.flatMap(({ direction, depositAddress, deposit }) => [
      ...(world.sweeper.isPlaced() ? [] : [coinPayment(hot, depositAddress)]),
      payment(onArbitrum(TRIPS[direction].fromToken), depositAddress, hot, deposit),
    ]),
    ...paid.flatMap(({ order, swapped }) => (swapped ? [fundingOf(order, swapped, hot)] : [])),
    ...paid
      .filter(({ order }) => order.fee > 0n)
      .map(({ order }) => payment(onArbitrum(TRIPS[order.direction].fromToken), hot, PARTNER, order.fee)),
    ...paid
      .filter(goesToArbitrum)
      .map(({ order, out }) => payment(onArbitrum(TRIPS[order.direction].toToken), hot, order.destination, out)),
  ];
  const ours = [hot, ...collected.map(({ depositAddress }) => depositAddress)];
  assert.deepEqual(await paymentsSince(world, before.height, ours), expected.sort(), 'payments on Arbitrum');

  const received = sum(paid.filter(comesInMonero).map(({ order }) => order.deposit));
  const fees = await Promise.all(paid.filter(goesToMonero).map(({ txHash }) => xmrFeeOf(world, txHash)));
  const sent = sum(paid.filter(goesToMonero).map(({ out }) => out)) + sum(fees);
  assert.equal(change(before, after, XMR), received - sent, 'the Monero wallet changed by more than these orders');
}

const fundingOf = ({ direction }: Order, { depositAddress, amountIn }: Swapped, hot: string): string =>
  payment(onArbitrum(swapOf(direction)?.from ?? ''), hot, depositAddress, amountIn);

const change = (before: Look, after: Look, asset: AssetId): bigint =>
  (after.held.get(asset) ?? 0n) - (before.held.get(asset) ?? 0n);

/** The venue's balances moved by the trades that were written down for these orders, and by no others. */
async function tradedAsRecorded({ world }: Desk, before: Look, after: Look, paid: readonly Paid[]): Promise<void> {
  const trades = await tradesSince(world, before.at);
  const recorded = await world.db.query(RECORDED, [paid.map(({ order }) => order.id)]);
  const ids = recorded.map((row) => String(row['trade_id']));
  assert.deepEqual(trades.map(({ id }) => id).sort(), ids.sort(), 'trades on the venue, and trades written down');
  assert.equal(change(before, after, USDC_ON_VENUE), sum(trades.map(({ usdc }) => usdc)), 'USDC on the venue');
  assert.equal(change(before, after, XMR_ON_VENUE), sum(trades.map(({ xmr }) => xmr)), 'XMR1 on the venue');
}

/** The ledger says of every account what the world says of it. */
async function booksAreTrue({ world }: Desk, after: Look, gas: bigint): Promise<void> {
  const ledger = openLedger(world.db, world.clock);
  for (const [asset, held] of after.held)
    assert.equal(await ledger.expectedOnHot(asset), held, `the ledger and the world disagree about ${asset}`);
  assert.equal(await ledger.balance('gas', ETHER), gas, 'coins that lie on deposit addresses');
}

/** Versions of a payout that was outbid count as one, and there must be several. */
function outbidOnce(signed: readonly Signed[], ended: readonly Ended[]): readonly Signed[] {
  return ended.reduce((rest, { order, isOutbid }) => {
    if (!isOutbid) return rest;
    const isVersion = ({ name }: Signed) => name === `${order.id}:payout:0`;
    const versions = rest.filter(isVersion);
    assert.ok(versions.length > 1, `the payout of ${order.id} was to be outbid`);
    return [...rest.filter((one) => !isVersion(one)), ...versions.slice(0, 1)];
  }, signed);
}

/** One artefact for each payment and each trade, and none for anything else; gas goes ahead where the hot account cannot collect. */
function signedOnce(signed: readonly Signed[], paid: readonly Paid[], ahead: readonly string[]): void {
  const expected = paid.flatMap(({ order: { id, direction, fee }, swapped }) => [
    ...(isFromMonero(direction) ? [] : [...ahead, 'sweep'].map((kind) => `${id}:${kind}:0`)),
    ...(swapped ? [`${id}:fund:0`] : []),
    ...(usesVenue(direction) ? [`0x${sha256Hex(`ticket:${id}:0:0`).slice(0, 32)}`] : []),
    `${id}:payout:0`,
    ...(fee > 0n ? [`${id}:fee:0`] : []),
  ]);
  assert.deepEqual(signed.map(({ name }) => name).sort(), expected.sort(), 'what the signer has signed');
}
