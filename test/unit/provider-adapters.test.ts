import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import { type Clock, instant, isoTime } from '../../src/kernel/clock.ts';
import { Fault, type FaultKind } from '../../src/kernel/fault.ts';
import { type Address, txHash } from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { evmNetwork } from '../../src/world/chains/evm/networks.ts';
import { evmRules } from '../../src/world/chains/evm/rules.ts';
import type { OutboundCall } from '../../src/world/outbound/http.ts';
import { openOneClick } from '../../src/world/providers/oneclick/oneclick.ts';
import type { ProviderOrder, Swap } from '../../src/world/providers/provider.ts';
import { openRelay } from '../../src/world/providers/relay/relay.ts';

const ARBITRUM = evmRules(evmNetwork(42161));
const ETHEREUM = evmRules(evmNetwork(1));
const ASSETS = [...ARBITRUM.facts.assets, ...ETHEREUM.facts.assets];
const find = (chain: number, symbol: string) => {
  const asset = ASSETS.find((one) => one.chainId === chain && one.symbol === symbol);
  assert.ok(asset);
  return asset;
};
const [USDC, ETH] = [find(42161, 'USDC'), find(1, 'ETH')];
const DEPOSIT = '0x52908400098527886E0F7030069857D2E4169EE7' as Address;
const NOW = instant(1_800_000_000_000);
const clock: Clock = { now: () => NOW };
const swap: Swap = {
  input: amount(USDC.id, 1_000_000_000n),
  output: ETH.id,
  slippage: ratio(129n, 10_000n * 10n),
  recipient: '0xde709f2102306220921060314715629080e2fb77' as Address,
  refundTo: '0x27b1fdb04752bbc536007a920d24acb045561c26' as Address,
  deadline: instant(NOW + 600_000),
};
const parseAddress = (_: number, text: string) => ETHEREUM.parseAddress(text);

type Canned = { readonly status?: number; readonly body: unknown } | undefined;

/** Answers by path, and keeps what was asked. */
function canned(answers: (path: string, call: OutboundCall) => Canned) {
  const calls: OutboundCall[] = [];
  const outbound = async (call: OutboundCall) => {
    calls.push(call);
    const { status = 200, body } = answers(call.url.slice('http://p'.length), call) ?? { status: 404, body: {} };
    return { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
  };
  return { outbound, calls, lastBody: () => JSON.parse(calls.at(-1)?.body ?? 'null') as Record<string, unknown> };
}

const faultOf = (kind: FaultKind) => (error: unknown) => error instanceof Fault && error.kind === kind;

const TOKENS = [
  { assetId: 'fake', blockchain: 'arb', symbol: 'USDC', decimals: 6, contractAddress: `0x${'ab'.repeat(20)}` },
  { assetId: 'wrong-chain', blockchain: 'base', symbol: 'USDC', decimals: 6, contractAddress: USDC.token },
  { assetId: 'arb-usdc', blockchain: 'arb', symbol: 'x', decimals: 6, contractAddress: USDC.token.toLowerCase() },
  { assetId: 'arb-usdt', blockchain: 'arb', symbol: 'x', decimals: 6, contractAddress: find(42161, 'USDT').token },
  { assetId: 'eth-usdt', blockchain: 'eth', symbol: 'x', decimals: 6, contractAddress: find(1, 'USDT').token },
  { assetId: 'other-eth', blockchain: 'base', symbol: 'ETH', decimals: 18 },
  { assetId: 'short-eth', blockchain: 'eth', symbol: 'ETH', decimals: 8 },
  { assetId: 'its-eth', blockchain: 'eth', symbol: 'ETH', decimals: 18 },
];
const OFFER = { amountIn: '1000000000', amountOut: '310000000000000000', minAmountOut: '309628000000000000' };

async function oneClick(quote: (request: Record<string, unknown>) => Canned, status?: Canned) {
  const wire = canned((path, call) => {
    if (path === '/v0/tokens') return { body: TOKENS };
    if (path === '/v0/quote') return quote(JSON.parse(call.body ?? '{}') as Record<string, unknown>);
    return status;
  });
  const config = { url: 'http://p', jwt: new Secret('token'), parseAddress };
  return { provider: await openOneClick(config, ASSETS, wire.outbound, clock), ...wire };
}

const quoted = (request: object, more: object = {}): Canned => ({
  status: 201,
  body: {
    quoteRequest: request,
    quote: { ...OFFER, depositAddress: DEPOSIT, deadline: isoTime(swap.deadline), timeEstimate: 40, ...more },
  },
});

describe('1Click', () => {
  test('knows its blockchains by our contracts, tokens by theirs, and coins as what has none', async () => {
    const { provider, calls, lastBody } = await oneClick((request) => quoted(request));
    assert.ok(provider.supports(USDC.id, ETH.id));
    assert.ok(!provider.supports(find(1, 'USDC').id, ETH.id));
    await provider.quote(swap);
    assert.equal(calls.at(-1)?.headers?.authorization, 'Bearer token');
    assert.deepEqual(lastBody(), {
      dry: true,
      depositMode: 'SIMPLE',
      swapType: 'EXACT_INPUT',
      slippageTolerance: 12,
      originAsset: 'arb-usdc',
      depositType: 'ORIGIN_CHAIN',
      destinationAsset: 'its-eth',
      amount: '1000000000',
      refundTo: swap.refundTo,
      refundType: 'ORIGIN_CHAIN',
      recipient: swap.recipient,
      recipientType: 'DESTINATION_CHAIN',
      deadline: isoTime(swap.deadline),
    });
  });

  test('reads an order, with the earlier of the two deadlines', async () => {
    const deadline = isoTime(instant(NOW + 1_000));
    const { provider } = await oneClick((request) => quoted(request, { deadline }));
    const order = await provider.open(swap);
    assert.deepEqual([order.id, order.depositAddress, order.deadline], [DEPOSIT, DEPOSIT, NOW + 1_000]);
    assert.deepEqual(order.least, amount(ETH.id, 309_628_000_000_000_000n));
  });

  test('takes no order that differs from what was asked for', async () => {
    const wrong: readonly [object, FaultKind][] = [
      [{ depositAddress: 'nonsense' }, 'ambiguous'],
      [{ amountIn: '999999999' }, 'ambiguous'],
      [{ amountOut: '0x1f' }, 'ambiguous'],
      [{ minAmountOut: '300000000000000000' }, 'permanent'],
      [{ depositMemo: '7' }, 'permanent'],
      [{ deadline: isoTime(NOW) }, 'permanent'],
    ];
    for (const [more, kind] of wrong) {
      const { provider } = await oneClick((request) => quoted(request, more));
      await assert.rejects(provider.open(swap), faultOf(kind), JSON.stringify(more));
    }
    const { provider } = await oneClick((request) => quoted({ ...request, recipient: DEPOSIT }));
    await assert.rejects(provider.open(swap), /quoteRequest\.recipient/);
  });

  test('tells a refusal from trouble', async () => {
    const kinds: readonly [number, FaultKind | undefined, FaultKind][] = [
      [400, undefined, 'permanent'],
      [401, 'permanent', 'permanent'],
      [429, 'transient', 'transient'],
      [503, 'transient', 'ambiguous'],
    ];
    for (const [status, quoting, opening] of kinds) {
      const { provider } = await oneClick(() => ({ status, body: { message: 'Amount is too low' } }));
      if (quoting) await assert.rejects(provider.quote(swap), faultOf(quoting));
      else assert.equal(await provider.quote(swap), undefined);
      await assert.rejects(provider.open(swap), faultOf(opening));
    }
  });

  test('says what became of an order', async () => {
    const echo = { quoteResponse: { quoteRequest: { destinationAsset: 'its-eth' } } };
    const paid = { amountOut: '5', destinationChainTxHashes: [{ hash: '0xaa', explorerUrl: '' }] };
    const told: readonly [object, object][] = [
      [{ status: 'KNOWN_DEPOSIT_TX' }, { state: 'awaiting_deposit' }],
      [
        { status: 'INCOMPLETE_DEPOSIT', swapDetails: { depositedAmount: '7' } },
        { state: 'incomplete', received: 7n },
      ],
      [{ status: 'PROCESSING', swapDetails: {} }, { state: 'processing' }],
      [
        { status: 'SUCCESS', swapDetails: paid, ...echo },
        { state: 'delivered', output: amount(ETH.id, 5n), txHash: '0xaa' },
      ],
      [
        { status: 'REFUNDED', swapDetails: { refundedAmount: '9' } },
        { state: 'refunded', amount: amount(USDC.id, 9n), txHash: undefined },
      ],
      [
        { status: 'FAILED', swapDetails: { refundReason: 'no' } },
        { state: 'failed', reason: 'no' },
      ],
      [
        { status: 'SUCCESS', swapDetails: paid, quoteResponse: { quoteRequest: { destinationAsset: 'shib' } } },
        { state: 'failed', reason: 'the provider says that it delivered shib' },
      ],
    ];
    for (const [body, status] of told) {
      const { provider } = await oneClick((request) => quoted(request), { body });
      assert.deepEqual(await provider.status(await provider.open(swap)), status);
    }
    for (const body of [{ status: 'NEW' }, { status: 'SUCCESS', swapDetails: {} }, '<html>']) {
      const { provider } = await oneClick((request) => quoted(request), { body });
      await assert.rejects(provider.status(await provider.open(swap)), faultOf('ambiguous'));
    }
  });
});

const REQUEST = `0x${'1'.repeat(64)}`;
const coin = { address: `0x${'0'.repeat(40)}`, decimals: 18, symbol: 'ETH' };
const CHAINS = {
  chains: [
    {
      id: 42161,
      name: 'arbitrum',
      currency: coin,
      solverCurrencies: [coin, { address: USDC.token.toLowerCase(), decimals: 6 }],
    },
    {
      id: 1,
      name: 'ethereum',
      currency: coin,
      solverCurrencies: [coin, { address: `0x${'ab'.repeat(20)}`, decimals: 6, symbol: 'USDC' }],
    },
  ],
};
const usdc = (sum: string) => ({ currency: { chainId: 42161, address: USDC.token }, amount: sum });
const eth = (sum: string, minimumAmount?: string) => ({
  ...{ currency: { chainId: 1, address: coin.address }, amount: sum },
  ...(minimumAmount ? { minimumAmount } : {}),
});
const RELAY_QUOTE = {
  steps: [{ id: 'deposit', requestId: REQUEST, depositAddress: DEPOSIT }],
  details: { currencyIn: usdc(OFFER.amountIn), currencyOut: eth(OFFER.amountOut, OFFER.minAmountOut), timeEstimate: 4 },
  protocol: { v2: { orderData: { output: { deadline: NOW / 1000 + 60 } } } },
};

async function relay(quote: Canned, answers: Readonly<Record<string, unknown>> = {}) {
  const wire = canned((path) => {
    if (path === '/chains') return { body: CHAINS };
    if (path === '/quote/v2') return quote;
    const body = answers[path.split('?')[0] ?? ''];
    return body === undefined ? undefined : { body };
  });
  const config = { url: 'http://p', apiKey: new Secret('key'), parseAddress };
  return { provider: await openRelay(config, ASSETS, wire.outbound, clock), ...wire };
}

describe('Relay', () => {
  test('asks for a strict deposit address of exactly this swap', async () => {
    const { provider, calls, lastBody } = await relay({ body: RELAY_QUOTE });
    assert.ok(provider.supports(USDC.id, ETH.id));
    assert.ok(!provider.supports(find(1, 'USDC').id, ETH.id), 'a namesake is no USDC');
    const order = await provider.open(swap);
    assert.equal(calls.at(-1)?.headers?.['x-api-key'], 'key');
    assert.deepEqual(lastBody(), {
      user: swap.refundTo,
      recipient: swap.recipient,
      originChainId: 42161,
      originCurrency: USDC.token,
      destinationChainId: 1,
      destinationCurrency: coin.address,
      amount: '1000000000',
      tradeType: 'EXACT_INPUT',
      slippageTolerance: '12',
      useDepositAddress: true,
      strict: true,
      refundTo: swap.refundTo,
    });
    assert.deepEqual([order.id, order.depositAddress, order.deadline], [REQUEST, DEPOSIT, NOW + 60_000]);
    await provider.funded(order, txHash('0xfeed'));
    assert.deepEqual(lastBody(), { chainId: '42161', txHash: '0xfeed', requestId: REQUEST });
  });

  test('takes no order that differs from what was asked for', async () => {
    const { details } = RELAY_QUOTE;
    for (const wrong of [
      { steps: [] },
      { steps: [{ depositAddress: DEPOSIT }] },
      { steps: [{ depositAddress: 'nonsense', requestId: REQUEST }] },
      { details: { ...details, currencyIn: usdc('1') } },
      { details: { ...details, currencyOut: usdc('310000000') } },
    ]) {
      const { provider } = await relay({ body: { ...RELAY_QUOTE, ...wrong } });
      await assert.rejects(provider.open(swap), faultOf('ambiguous'), JSON.stringify(wrong));
    }
  });

  test('tells a refusal from trouble behind the provider', async () => {
    const none = await relay({ status: 400, body: { message: 'No routes found', errorCode: 'NO_SWAP_ROUTES_FOUND' } });
    assert.equal(await none.provider.quote(swap), undefined);
    await assert.rejects(none.provider.open(swap), /NO_SWAP_ROUTES_FOUND/);
    const passing = await relay({ status: 400, body: { message: 'later', errorCode: 'PRICE_FETCH_FAILED' } });
    await assert.rejects(passing.provider.quote(swap), faultOf('transient'));
  });

  test('says what became of an order, with the sums of its record', async () => {
    const order: ProviderOrder = await (await relay({ body: RELAY_QUOTE })).provider.open(swap);
    const status = async (told: object, data: object = {}) => {
      const answers = { '/intents/status/v3': told, '/requests/v2': { requests: [{ id: REQUEST, data }] } };
      return (await relay({ body: RELAY_QUOTE }, answers)).provider.status(order);
    };
    assert.deepEqual(await status({ status: 'waiting' }), { state: 'awaiting_deposit' });
    for (const busy of ['depositing', 'pending', 'submitted', 'delayed'])
      assert.deepEqual(await status({ status: busy }), { state: 'processing' });
    assert.deepEqual(await status({ status: 'unknown' }), { state: 'unknown' });
    assert.deepEqual(await status({ status: 'failure', details: 'why' }), { state: 'failed', reason: 'why' });
    const outTxs = [{ hash: '0xaa' }, { hash: '0xbb' }];
    assert.deepEqual(await status({ status: 'success' }, { outTxs, metadata: { currencyOut: eth('5') } }), {
      ...{ state: 'delivered', output: amount(ETH.id, 5n), txHash: '0xaa' },
    });
    assert.deepEqual(await status({ status: 'refund' }, { outTxs, refundCurrencyData: usdc('9') }), {
      ...{ state: 'refunded', amount: amount(USDC.id, 9n), txHash: '0xaa' },
    });
    const strange = { currency: { chainId: 10, address: `0x${'cd'.repeat(20)}` }, amount: '1' };
    assert.equal((await status({ status: 'success' }, { metadata: { currencyOut: strange } })).state, 'failed');
    await assert.rejects(status({ status: 'success' }), faultOf('ambiguous'));
  });
});
