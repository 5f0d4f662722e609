import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Amount, add, amount, isZero, scale, subtract } from '../../kernel/amount.ts';
import { type Clock, type Instant, later } from '../../kernel/clock.ts';
import { Fault, type FaultKind } from '../../kernel/fault.ts';
import { type Address, type AssetId, type ChainId, chainOf, type TxHash } from '../../kernel/ids.ts';
import { ratio } from '../../kernel/ratio.ts';
import type { Provider, ProviderOrder, ProviderStatus, Swap } from './provider.ts';

export type Misbehaviour = 'down' | 'error_after_effect' | 'reject' | 'short_delivery' | 'other_asset';

/** A provider to try, on chains whose coins are really moved. */
export interface ProviderBench {
  readonly provider: Provider;
  readonly clock: Clock;
  /** A sum worth swapping, and what for; the output's chain has another asset too. */
  readonly input: Amount;
  readonly output: AssetId;
  /** A deposit that is too small waits for the rest, or goes back at once. */
  readonly shortDeposit: 'waits' | 'goes_back';
  parseAddress(chain: ChainId, text: string): Address | undefined;
  freshAddress(chain: ChainId): Address;
  /** A customer pays. */
  pay(to: Address, sum: Amount): Promise<TxHash>;
  /** What the chain itself says that an address got. */
  received(address: Address, asset: AssetId): Promise<Amount>;
  /** Gives the provider all the looks that it needs to act on what is there now. */
  rest(): Promise<void>;
  passTo(at: Instant): void;
  /** The next request or fill goes wrong. */
  misbehave(how: Misbehaviour): void;
  close(): Promise<void>;
}

const SLIPPAGE = ratio(1n, 100n);
const HALF = ratio(1n, 2n);
const HOUR_MS = 60 * 60_000;

/** What every provider promises, whoever runs it. */
export function providerConformance(name: string, open: () => Promise<ProviderBench>): void {
  describe(`${name} keeps the promises of a provider`, () => {
    let bench: ProviderBench;
    before(async () => {
      bench = await open();
    });
    after(() => bench?.close());
    quotePromises(() => bench);
    openingPromises(() => bench);
    fundingPromises(() => bench);
    refundPromises(() => bench);
    faultPromises(() => bench);
  });
}

function quotePromises(bench: () => ProviderBench): void {
  test('it supports what it lists, in both directions, and nothing against itself', () => {
    const { provider, input, output } = bench();
    assert.ok(provider.supports(input.asset, output));
    assert.ok(provider.supports(output, input.asset));
    assert.ok(!provider.supports(output, output));
    assert.ok(!provider.supports(input.asset, '999:nothing' as AssetId));
  });

  test('a quote promises no less than the slippage leaves, moves nothing, and can be asked for again', async () => {
    const { provider, received } = bench();
    const swap = wanted(bench());
    const quote = await provider.quote(swap);
    assert.ok(quote && quote.output.asset === swap.output && quote.seconds > 0);
    assert.ok(quote.least.atoms <= quote.output.atoms);
    assert.ok(quote.least.atoms >= scale(quote.output, ratio(99n, 100n), 'down').atoms);
    assert.deepEqual(await provider.quote(swap), quote);
    assert.ok(isZero(await received(swap.recipient, swap.output)));
  });

  test('for dust it offers nothing, and will not open', async () => {
    const { provider, input } = bench();
    const dust = { ...wanted(bench()), input: amount(input.asset, 1n) };
    assert.equal(await provider.quote(dust), undefined);
    await assert.rejects(provider.open(dust), faultOf('permanent'));
  });
}

function openingPromises(bench: () => ProviderBench): void {
  test('opening gives an address of the input’s chain, and twice gives two', async () => {
    const { provider, parseAddress, input, clock } = bench();
    const swap = wanted(bench());
    const [first, second] = [await provider.open(swap), await provider.open(swap)];
    assert.notEqual(first.id, second.id);
    assert.notEqual(first.depositAddress, second.depositAddress);
    for (const order of [first, second]) {
      assert.equal(parseAddress(chainOf(input.asset), order.depositAddress), order.depositAddress);
      assert.deepEqual(order.input, input);
      assert.ok(order.deadline > clock.now() && order.deadline <= swap.deadline);
      assert.deepEqual(await provider.status(order), { state: 'awaiting_deposit' });
    }
  });

  test('an order that it never opened is unknown', async () => {
    const { provider, freshAddress, input } = bench();
    const depositAddress = freshAddress(chainOf(input.asset));
    const order = { ...(await provider.open(wanted(bench()))), id: depositAddress as string, depositAddress };
    assert.deepEqual(await provider.status(order), { state: 'unknown' });
  });
}

function fundingPromises(bench: () => ProviderBench): void {
  test('exact funding is delivered as promised, once, and is told the same way again', async () => {
    const { provider, pay, received, rest } = bench();
    const { order, swap } = await opened(bench());
    const hash = await pay(order.depositAddress, order.input);
    await provider.funded(order, hash);
    await provider.funded(order, hash);
    await rest();
    const status = await provider.status(order);
    assert.ok(status.state === 'delivered', status.state);
    assert.ok(status.output.atoms >= order.least.atoms && status.txHash);
    assert.deepEqual(await received(swap.recipient, order.output.asset), status.output);
    assert.ok(isZero(await received(swap.refundTo, order.input.asset)));
    await rest();
    assert.deepEqual(await provider.status(order), status);
    assert.deepEqual(await received(swap.recipient, order.output.asset), status.output);
  });

  test('an overpayment delivers what was quoted and comes back as to the rest', async () => {
    const { provider, pay, received, rest } = bench();
    const { order, swap } = await opened(bench());
    const excess = scale(order.input, HALF, 'down');
    await pay(order.depositAddress, add(order.input, excess));
    await rest();
    const status = await provider.status(order);
    assert.ok(status.state === 'delivered' && status.output.atoms <= order.output.atoms);
    assert.deepEqual(await received(swap.refundTo, order.input.asset), excess);
  });

  test('what comes after the end goes back', async () => {
    const { provider, pay, received, rest } = bench();
    const { order, swap } = await opened(bench());
    await pay(order.depositAddress, order.input);
    await rest();
    const before = await received(swap.recipient, order.output.asset);
    await pay(order.depositAddress, order.input);
    await rest();
    assert.equal((await provider.status(order)).state, 'delivered');
    assert.deepEqual(await received(swap.recipient, order.output.asset), before);
    assert.deepEqual(await received(swap.refundTo, order.input.asset), order.input);
  });
}

function refundPromises(bench: () => ProviderBench): void {
  test('short funding is never filled: it goes back whole, at the deadline at the latest', async () => {
    const { provider, pay, rest, passTo, shortDeposit } = bench();
    const { order, swap } = await opened(bench());
    const short = scale(order.input, HALF, 'down');
    await pay(order.depositAddress, short);
    await rest();
    if (shortDeposit === 'waits')
      assert.deepEqual(await provider.status(order), { state: 'incomplete', received: short.atoms });
    passTo(later(order.deadline, 1));
    await rest();
    await assertRefunded(bench(), order, swap, short);
  });

  test('a top-up completes short funding where it waits', async () => {
    const { provider, pay, rest, shortDeposit } = bench();
    if (shortDeposit !== 'waits') return;
    const { order } = await opened(bench());
    const short = scale(order.input, HALF, 'down');
    await pay(order.depositAddress, short);
    await rest();
    await pay(order.depositAddress, subtract(order.input, short));
    await rest();
    assert.equal((await provider.status(order)).state, 'delivered');
  });

  test('late funding goes back whole', async () => {
    const { pay, rest, passTo } = bench();
    const { order, swap } = await opened(bench());
    passTo(later(order.deadline, 1));
    await pay(order.depositAddress, order.input);
    await rest();
    await assertRefunded(bench(), order, swap, order.input);
  });
}

function faultPromises(bench: () => ProviderBench): void {
  test('an answer lost while opening is an ambiguous fault; opening again is safe', async () => {
    const { provider, misbehave } = bench();
    misbehave('error_after_effect');
    await assert.rejects(provider.open(wanted(bench())), faultOf('ambiguous'));
    await opened(bench());
  });

  test('a refusal is no offer, and no order', async () => {
    const { provider, misbehave } = bench();
    misbehave('reject');
    assert.equal(await provider.quote(wanted(bench())), undefined);
    misbehave('reject');
    await assert.rejects(provider.open(wanted(bench())), faultOf('permanent'));
  });

  test('a provider that is down is a fault, and knows its orders afterwards', async () => {
    const { provider, misbehave } = bench();
    const { order } = await opened(bench());
    misbehave('down');
    await assert.rejects(provider.status(order), Fault);
    assert.deepEqual(await provider.status(order), { state: 'awaiting_deposit' });
  });

  test('less than promised is told as it is', async () => {
    const { order, swap, status } = await misfilled(bench(), 'short_delivery');
    assert.ok(status.state === 'delivered' && status.output.asset === order.output.asset);
    assert.ok(status.output.atoms < order.least.atoms);
    assert.deepEqual(await bench().received(swap.recipient, order.output.asset), status.output);
  });

  test('another asset than asked for is told as such', async () => {
    const { order, swap, status } = await misfilled(bench(), 'other_asset');
    assert.ok(status.state === 'delivered' && status.output.asset !== order.output.asset);
    assert.deepEqual(await bench().received(swap.recipient, status.output.asset), status.output);
    assert.ok(isZero(await bench().received(swap.recipient, order.output.asset)));
  });
}

/** With addresses of its own, so that what they got is this story's. */
function wanted({ input, output, freshAddress, clock }: ProviderBench): Swap {
  return {
    input,
    output,
    slippage: SLIPPAGE,
    recipient: freshAddress(chainOf(output)),
    refundTo: freshAddress(chainOf(input.asset)),
    deadline: later(clock.now(), HOUR_MS),
  };
}

async function opened(bench: ProviderBench): Promise<{ order: ProviderOrder; swap: Swap }> {
  const swap = wanted(bench);
  return { order: await bench.provider.open(swap), swap };
}

async function misfilled(
  bench: ProviderBench,
  how: Misbehaviour,
): Promise<{ order: ProviderOrder; swap: Swap; status: ProviderStatus }> {
  const story = await opened(bench);
  bench.misbehave(how);
  await bench.pay(story.order.depositAddress, story.order.input);
  await bench.rest();
  return { ...story, status: await bench.provider.status(story.order) };
}

async function assertRefunded(bench: ProviderBench, order: ProviderOrder, swap: Swap, sum: Amount): Promise<void> {
  const status = await bench.provider.status(order);
  assert.ok(status.state === 'refunded', status.state);
  assert.deepEqual(status.amount, sum);
  assert.deepEqual(await bench.received(swap.refundTo, order.input.asset), sum);
  assert.ok(isZero(await bench.received(swap.recipient, order.output.asset)));
}

const faultOf =
  (kind: FaultKind) =>
  (error: unknown): boolean =>
    error instanceof Fault && error.kind === kind;
