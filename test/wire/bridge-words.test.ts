import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeCatalog } from '../../src/catalog/catalog.ts';
import { amount } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { assetId, chainId, type TokenId } from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { usdPrice } from '../../src/kernel/usd.ts';
import type { BridgeAsset } from '../../src/life/quote/bridge-quote.ts';
import type { Asset, ChainRules } from '../../src/world/chains/chain.ts';
import { TRX_ASSET, tronRules } from '../../src/world/chains/tron/rules.ts';
import { ZCASH_DEFAULTS, ZEC_ASSET, zcashRules } from '../../src/world/chains/zcash/rules.ts';
import { venueRules } from '../../src/world/venues/hyperliquid/rules.ts';
import { EVM_ADDRESS } from './assets.ts';
import { bench, NO_LIMITS, START } from './bench.ts';
import { arrived, confirming, expired } from './stages.ts';

const VENUE = chainId(1337);

test('v1 has a word for every stage of a bridge, and says why it failed', async () => {
  const { post, get, desk } = await bench({ quota: NO_LIMITS });
  const read = async (change: Parameters<typeof desk.change>[1]) => {
    const { orderId } = (await post('/v1/bridge/deposit', { toAddress: EVM_ADDRESS })).json();
    desk.change(orderId, change);
    return (await get(`/v1/bridge/order/${orderId}`)).json();
  };
  const statuses = await Promise.all([
    read(() => ({})),
    read(confirming),
    read(({ asked }) => ({ state: { phase: 'paying', out: asked } })),
    read(expired),
  ]);
  assert.deepEqual(
    statuses.map(({ status }) => status),
    ['awaiting_deposit', 'pending_confirmations', 'processing', 'expired'],
  );
  for (const one of statuses) assert.ok(!('failure_reason' in one));
  const reason = 'the deposit did not pass screening';
  const failed = await read((order) => ({
    ...arrived(500_000_000_000n)(order),
    state: { phase: 'refunding', claim: 1, reason },
  }));
  assert.deepEqual([failed.status, failed.amount, failed.tx_in], ['failed', '0.5', '0xdeposit']);
  assert.match(failed.failure_reason, new RegExp(reason));
  const stuck = await read(() => ({ state: { phase: 'failed', code: 'deposit_not_collectable', at: instant(START) } }));
  assert.deepEqual([stuck.status, stuck.completed_at], ['failed', null]);
  assert.match(stuck.failure_reason, /deposit_not_collectable/);
});

const FORMS = { unified: 'u1unified', transparent: 't1transparent' };

const wrapped = (symbol: string, token: string): Asset => ({
  id: assetId(VENUE, token as TokenId),
  chainId: VENUE,
  token: token as TokenId,
  symbol,
  name: symbol,
  decimals: 8,
  native: false,
});

const bridgeOf = (name: string, native: Asset, token: string): BridgeAsset => ({
  name,
  native,
  wrapped: wrapped(`${native.symbol}1`, token),
  minimum: amount(native.id, 1_000_000n),
  withdrawalFlat: amount(native.id, 1_000n),
});

test('the bridges of TRX and ZEC say what they wait for, and ZEC both spellings of its address', async () => {
  const bridges = [
    bridgeOf('trx', TRX_ASSET, `0x${'1'.repeat(32)}`),
    bridgeOf('zec', ZEC_ASSET, `0x${'2'.repeat(32)}`),
  ];
  const venue: ChainRules = venueRules([]);
  const facts = { ...venue.facts, assets: bridges.map((one) => one.wrapped) };
  const zcash = {
    ...zcashRules(ZCASH_DEFAULTS),
    addressForms: () => FORMS as ReturnType<NonNullable<ChainRules['addressForms']>>,
  };
  const tron = tronRules();
  const plain = await bench({ quota: NO_LIMITS });
  const { settings, ...rest } = plain.deps.bridges;
  const { post } = await bench({
    quota: NO_LIMITS,
    catalog: makeCatalog([tron, zcash], { ...venue, facts }),
    quotes: { ...plain.quotes, price: async () => usdPrice(ratio(1n, 1n), 6) },
    bridges: { ...rest, settings: { ...settings, assets: bridges } },
  });
  const create = async (asset: string, direction: string, toAddress: string) => {
    const answer = await post('/v2/bridges', { asset, direction, toAddress });
    assert.equal(answer.statusCode, 201, answer.body);
    return answer.json();
  };
  const [toTron, toZcash] = [tron.facts.addressExample, zcash.facts.addressExample];
  const trx = await create('trx', 'withdraw', toTron);
  assert.deepEqual(
    [trx.status, trx.trx1DepositAddress, trx.destination],
    ['awaiting_trx1', trx.depositAddress, toTron],
  );
  const zec = await create('zec', 'withdraw', toZcash);
  assert.deepEqual([zec.status, zec.zec1DepositAddress], ['awaiting_deposit', zec.depositAddress]);
  assert.equal('depositAddressForms' in zec, false);
  const shielded = await create('zec', 'deposit', EVM_ADDRESS);
  assert.deepEqual([shielded.status, shielded.depositAddressForms], ['awaiting_deposit', FORMS]);
  assert.equal('depositAddressForms' in (await create('trx', 'deposit', EVM_ADDRESS)), false);
  for (const toAddress of ['tex1s2rt77ggv6q989lr49rkgzmh5slsksa9khdgte', 'tnotanaddress']) {
    const refused = await post('/v2/bridges', { asset: 'zec', direction: 'withdraw', toAddress });
    assert.equal(refused.json().code, 'invalid_address', toAddress);
  }
});
