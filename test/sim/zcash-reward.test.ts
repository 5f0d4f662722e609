import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Address, assetId, chainId, type OrderId, type TokenId } from '../../src/kernel/ids.ts';
import { percent, ratio } from '../../src/kernel/ratio.ts';
import { usd, usdPrice } from '../../src/kernel/usd.ts';
import type { Case } from '../../src/life/case/case.ts';
import { scanOnce } from '../../src/life/deposit/scan.ts';
import type { DepositBooks } from '../../src/life/deposit/scanning.ts';
import { openUnsettled } from '../../src/life/deposit/unsettled.ts';
import { draftOrder } from '../../src/life/order/create.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { KeptSighting } from '../../src/life/order/sighting.ts';
import { transition } from '../../src/life/order/transition.ts';
import { customerState, v2Status } from '../../src/life/order/view/v2-customer.ts';
import { bridgeQuote } from '../../src/life/quote/bridge-quote.ts';
import type { Asset, Chain, ScanCursor } from '../../src/world/chains/chain.ts';
import { addressForms } from '../../src/world/chains/zcash/codec.ts';
import { ZEC_ASSET } from '../../src/world/chains/zcash/rules.ts';
import { startBench, type ZcashBench, ZEC } from './zcash-bench.ts';

const NOW = instant(1_700_000_000_000);
const VENUE = chainId(1337);
const WRAPPED: Asset = {
  ...{ id: assetId(VENUE, 'ZEC1' as TokenId), chainId: VENUE, token: 'ZEC1' as TokenId },
  ...{ symbol: 'ZEC1', name: 'ZEC1', decimals: 8, native: false },
};
/** A reward may be spent a hundred blocks after its own. */
const MATURE = 101;

let bench: ZcashBench;
before(async () => {
  bench = await startBench();
});
after(() => bench?.world.close());

function depositOrder({ facts }: Chain, depositAddress: Address): Order {
  const zec = (part: bigint) => amount(ZEC_ASSET.id, part);
  const coin = { name: 'zec', native: ZEC_ASSET, wrapped: WRAPPED, minimum: zec(ZEC / 20n), withdrawalFlat: zec(0n) };
  const settings = { depositRate: percent('0.1'), withdrawalRate: percent('0.1'), assets: [coin] };
  const price = usdPrice(ratio(40n, 1n), ZEC_ASSET.decimals);
  const draft = draftOrder(
    {
      ...{ id: `dep_${'a'.repeat(32)}` as OrderId, generation: 'v2', chain: facts, refundTo: undefined, now: NOW },
      bridge: { asset: 'zec', direction: 'deposit' },
      quote: bridgeQuote(settings, coin, 'deposit', price, NOW),
      destination: { asset: WRAPPED.id, address: 'customer' as Address, binding: 'bound' },
      charter: 'bound',
    },
    RULES,
  );
  return { ...draft, depositAddress, depositIndex: 1 };
}

/** The books of one address, in memory. */
function booksOf({ id, depositAddress }: Order): DepositBooks {
  const kept = new Map<string, KeptSighting>();
  let cursor: ScanCursor | undefined;
  const change = (key: string, to: Partial<KeptSighting>) => {
    const known = kept.get(key);
    if (known) kept.set(key, { ...known, ...to });
  };
  return {
    cursor: async () => cursor,
    async savePage(_chain, _space, _after, page, at) {
      cursor = page.cursor;
      for (const { block, ...seen } of page.sightings.filter(({ address }) => address === depositAddress)) {
        if (kept.get(seen.key)?.state === 'final') continue;
        const found = {
          orderId: id,
          credited: atoms(0n),
          firstSeenAt: at,
          isReward: false,
          changed: true,
          isProven: false,
        } as const;
        const state = block ? 'mined' : 'pool';
        kept.set(seen.key, { ...seen, ...found, state, height: block?.height, blockHash: block?.hash });
      }
      return true;
    },
    keptAt: async () => new Map(),
    known: async () => new Set(),
    watched: async (_space, candidates) => new Set(candidates.filter((one) => one === depositAddress)),
    expecting: async () => [],
    live: async () => [...kept.values()],
    settle: async (_chain, final) => {
      for (const one of final) change(one.key, one);
    },
    value: async () => {},
    stake: async () => usd(0),
    reported: async () => {},
    ours: async () => new Set(),
  };
}

test('a mining reward that is paid to the transparent form pauses the order, once, and a person is told', async () => {
  const { chain, world } = bench;
  const [first] = await chain.depositAddresses(1, 1);
  const issued = present(first, 'a deposit address');
  let order = depositOrder(chain, issued);
  const cases: Case[] = [];
  const telling = {
    order: async () => order,
    inflow: async () => {},
    burn: async () => {},
    unclaimed: async () => {},
    outOfReach: async () => {},
    async tell(_id: OrderId, _key: string, fact: Parameters<typeof transition>[1]) {
      const step = transition(order, fact, RULES);
      if (step === 'ignore') return 'known' as const;
      order = step.order;
      cases.push(...step.cases);
      return 'taken' as const;
    },
  };
  const books = booksOf(order);
  const unsettled = openUnsettled();
  const scan = async () => {
    for (let more = true; more; )
      ({ more } = await scanOnce(
        { chain, books, telling, rules: RULES, unsettled, worth: async () => undefined, from: undefined },
        NOW,
      ));
  };
  await scan();
  await world.mineTo(addressForms(issued)?.transparent ?? '', ZEC);
  await scan();
  assert.equal(order.state.phase, 'confirming', 'from afar it looks like any deposit');
  await world.mine(MATURE);
  await scan();
  await scan();
  assert.deepEqual(customerState(order, RULES), { kind: 'paused', reason: 'preparing_refund' });
  assert.deepEqual([v2Status(order), order.used.atoms], ['processing', 0n]);
  assert.deepEqual(
    order.claims.map(({ kind, stage, amount: owed }) => [kind, stage, owed.atoms]),
    [['reward', 'blocked', ZEC]],
  );
  assert.deepEqual(cases, [{ case: 'reward_received', asset: ZEC_ASSET.id, atoms: ZEC }]);
});
