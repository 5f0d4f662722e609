import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fromExactJson, toExactJson } from '../../sandbox/exact-json.ts';
import { startEvmWorld } from '../../sandbox/nodes/evm-world.ts';
import type { Place } from '../../sandbox/place.ts';
import { openMarket } from '../../sandbox/simulators/providers/market.ts';
import type { OrderChange } from '../../sandbox/simulators/providers/orders.ts';
import { type Amount, amount } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { later } from '../../src/kernel/clock.ts';
import { type Address, chainOf, tokenOf } from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { BITCOIN_REGTEST } from '../../src/world/chains/bitcoin/networks.ts';
import { BITCOIN_DEFAULTS, bitcoinRules } from '../../src/world/chains/bitcoin/rules.ts';
import type { ChainRules } from '../../src/world/chains/chain.ts';
import { solanaRules } from '../../src/world/chains/solana/rules.ts';
import { tronRules } from '../../src/world/chains/tron/rules.ts';
import { ZCASH_DEFAULTS, zcashRules } from '../../src/world/chains/zcash/rules.ts';
import type { ProviderBench } from '../../src/world/providers/conformance.ts';
import type { Swap } from '../../src/world/providers/provider.ts';
import {
  ARBITRUM,
  assetOf,
  ETHEREUM,
  fakePlace,
  mineAll,
  openProvider,
  PRICES,
  PROVIDERS,
  type ProviderName,
  providerBench,
} from './providers-bench.ts';

const NAMES = Object.keys(PROVIDERS) as ProviderName[];
const BITCOIN = bitcoinRules({ ...BITCOIN_DEFAULTS, network: BITCOIN_REGTEST });
const FAMILIES: readonly ChainRules[] = [BITCOIN, solanaRules, tronRules(), zcashRules(ZCASH_DEFAULTS)];

const example = ({ facts }: ChainRules): Address => facts.addressExample as Address;

const swapOf = (
  bench: Pick<ProviderBench, 'clock'>,
  input: Amount,
  output: Swap['output'],
  pays: Pick<Swap, 'recipient' | 'refundTo'>,
): Swap => ({
  ...{ input, output, ...pays },
  slippage: ratio(1n, 100n),
  deadline: later(bench.clock.now(), 600_000),
});

describe('The market behind the providers', () => {
  const [usdc, eth] = [assetOf(ARBITRUM, 'USDC'), assetOf(ETHEREUM, 'ETH')];
  const convert = (seed: string, at: number) =>
    openMarket({ prices: PRICES, seed, driftBps: 50 }).convert(1_000_000_000n, usdc, eth, at, 0);

  test('drifts in the same way from the same seed, and otherwise from another', () => {
    assert.equal(convert('a', 60_000), convert('a', 119_999));
    assert.equal(convert('a', 60_000), convert('a', 60_000));
    const minutes = Array.from({ length: 10 }, (_, minute) => minute * 60_000);
    assert.notDeepEqual(
      minutes.map((at) => convert('a', at)),
      minutes.map((at) => convert('b', at)),
    );
  });

  test('takes its spread and its costs, and has no price for what it does not know', () => {
    const market = openMarket({ prices: { USDC: '1', ETH: '2000' }, spreadBps: 100, costUsd: '10' });
    assert.equal(market.convert(1_010_000_000n, usdc, eth, 0, 0), 495_000_000_000_000_000n);
    assert.equal(market.convert(9_000_000n, usdc, eth, 0, 0), 0n);
    assert.equal(market.convert(1n, usdc, { ...eth, symbol: 'NEW' }, 0, 0), undefined);
  });
});

for (const name of NAMES)
  describe(`The simulated ${name}`, () => {
    test('sends a deposit back when the market fell further than the slippage', async (t) => {
      const { provider, market, order, swap, fund, received, close } = await openOrder(name);
      t.after(close);
      market.setPrice('ETH', '3300');
      await fund();
      assert.equal((await provider.status(order)).state, 'refunded');
      assert.deepEqual(await received(swap.refundTo, swap.input.asset), swap.input);
    });

    test('keeps its quote when the market rose', async (t) => {
      const { provider, market, order, fund, close } = await openOrder(name);
      t.after(close);
      market.setPrice('ETH', '3100');
      await fund();
      const status = await provider.status(order);
      assert.ok(status.state === 'delivered');
      assert.deepEqual(status.output, order.output);
    });

    test('can take a deposit and stay silent', async (t) => {
      const { provider, simulator, order, swap, fund, rest, passTo, received, close } = await openOrder(name);
      t.after(close);
      simulator.setFault({ mode: 'no_delivery' });
      await fund();
      passTo(later(order.deadline, 1));
      await rest();
      assert.deepEqual(await provider.status(order), { state: 'processing' });
      assert.equal((await received(swap.recipient, swap.output)).atoms, 0n);
    });

    test('can deliver after it refunded, and says only that it refunded', async (t) => {
      const { provider, simulator, order, swap, fund, received, close } = await openOrder(name);
      t.after(close);
      simulator.setFault({ mode: 'delivery_after_refund' });
      await fund();
      assert.equal((await provider.status(order)).state, 'refunded');
      assert.deepEqual(await received(swap.refundTo, swap.input.asset), swap.input);
      assert.ok((await received(swap.recipient, swap.output)).atoms >= order.least.atoms);
    });

    test('keeps the fault of another asset for a chain that has one', async (t) => {
      const places = [fakePlace(ARBITRUM), fakePlace(BITCOIN)] as const;
      const opened = await openProvider(name, [ARBITRUM, BITCOIN], places);
      t.after(opened.simulator.close);
      opened.simulator.setFault({ mode: 'other_asset', count: 1 });
      const fresh = (chain: number) => present(opened.parseAddress(chain, opened.freshAddress(chain)), 'an address');
      const [usdc, btc] = [assetOf(ARBITRUM, 'USDC'), assetOf(BITCOIN, 'BTC')];
      const delivered = async (input: Amount, output: Swap['output'], from: Place) => {
        const pays = { recipient: fresh(chainOf(output)), refundTo: fresh(chainOf(input.asset)) };
        const order = await opened.provider.open(swapOf(opened, input, output, pays));
        await from.pay({ token: tokenOf(input.asset), to: order.depositAddress, atoms: input.atoms });
        for (let looks = 0; looks < 2; looks += 1) await opened.simulator.look();
        const status = await opened.provider.status(order);
        return status.state === 'delivered' ? status.output.asset : status.state;
      };
      assert.equal(await delivered(amount(usdc.id, 1_000_000_000n), btc.id, places[0]), btc.id);
      assert.notEqual(await delivered(amount(btc.id, 1_000_000n), usdc.id, places[1]), usdc.id);
    });

    test('goes on from a snapshot without paying again', async (t) => {
      const { provider, simulator, places, order, swap, fund, close } = await openOrder(name);
      await fund();
      const told = await provider.status(order);
      const restore = simulator.snapshot();
      await close();
      const again = await openProvider(name, [ARBITRUM, ETHEREUM], places, { restore });
      t.after(again.simulator.close);
      await again.simulator.look();
      assert.deepEqual(await again.provider.status(order), told);
      const { total } = await places[1].received(assetOf(ETHEREUM, 'ETH').token, swap.recipient);
      assert.ok(told.state === 'delivered' && total === told.output.atoms);
    });

    test('killed after it has paid, goes on from what it wrote down and does not pay again', async (t) => {
      const lines: string[] = [];
      const write = (changes: readonly OrderChange[]) => void lines.push(toExactJson(changes));
      const rules = [ARBITRUM, ETHEREUM] as const;
      const places = rules.map(fakePlace);
      const opened = await openProvider(name, rules, places, { keeping: { write } });
      t.after(opened.simulator.close);
      const [usdc, eth] = [assetOf(ARBITRUM, 'USDC'), assetOf(ETHEREUM, 'ETH')];
      const pays = { recipient: example(ETHEREUM), refundTo: example(ARBITRUM) };
      const order = await opened.provider.open(swapOf(opened, amount(usdc.id, 1_000_000_000n), eth.id, pays));
      await places[0]?.pay({ token: usdc.token, to: order.depositAddress, atoms: 1_000_000_000n });
      for (let looks = 0; looks < 2; looks += 1) await opened.simulator.look();
      const told = await opened.provider.status(order);
      const changes = lines.flatMap((line) => fromExactJson(line) as OrderChange[]);
      const again = await openProvider(name, rules, places, { keeping: { changes } });
      t.after(again.simulator.close);
      await again.simulator.look();
      assert.deepEqual(await again.provider.status(order), told);
      const paid = await places[1]?.received(eth.token, pays.recipient);
      assert.ok(told.state === 'delivered' && paid?.total === told.output.atoms);
    });

    for (const isOut of [true, false])
      test(`killed with a payment under way that is ${isOut ? 'out' : 'not out'}, has paid once in the end`, async (t) => {
        let lines: string[] = [];
        let left: readonly string[] = [];
        const write = (changes: readonly OrderChange[]) => void lines.push(toExactJson(changes));
        const rules = [ARBITRUM, ETHEREUM] as const;
        const [arbitrum, ethereum] = [fakePlace(ARBITRUM), fakePlace(ETHEREUM)];
        const [usdc, eth] = [assetOf(ARBITRUM, 'USDC'), assetOf(ETHEREUM, 'ETH')];
        const pays = { recipient: example(ETHEREUM), refundTo: example(ARBITRUM) };
        const pay: Place['pay'] = async (payment) => {
          const sent = isOut ? await ethereum.pay(payment) : { txHash: 'none', from: '' };
          left = lines;
          lines = [];
          return sent;
        };
        const first = await openProvider(name, rules, [arbitrum, { ...ethereum, pay }], { keeping: { write } });
        t.after(first.simulator.close);
        const order = await first.provider.open(swapOf(first, amount(usdc.id, 1_000_000_000n), eth.id, pays));
        await ethereum.pay({ token: eth.token, to: pays.recipient, atoms: order.output.atoms });
        const before = await ethereum.received(eth.token, pays.recipient);
        await arbitrum.pay({ token: usdc.token, to: order.depositAddress, atoms: 1_000_000_000n });
        for (let looks = 0; looks < 2; looks += 1) await first.simulator.look();

        let isMined = false;
        const received: Place['received'] = async (...of) => (isMined ? ethereum.received(...of) : before);
        const changes = left.flatMap((line) => fromExactJson(line) as OrderChange[]);
        const again = await openProvider(name, rules, [arbitrum, { ...ethereum, received }], { keeping: { changes } });
        t.after(again.simulator.close);
        await again.simulator.look();
        assert.equal((await again.provider.status(order)).state, 'processing', 'the next block tells');
        isMined = true;
        again.passTo(later(again.clock.now(), 10_000));
        for (let looks = 0; looks < 2; looks += 1) await again.simulator.look();
        assert.equal((await again.provider.status(order)).state, 'delivered');
        const { transfers } = await ethereum.received(eth.token, pays.recipient);
        assert.equal(transfers.length, before.transfers.length + 1);
      });

    test('opens addresses that each family takes for its own', async (t) => {
      const rules = [ETHEREUM, ...FAMILIES];
      const opened = await openProvider(name, rules, rules.map(fakePlace));
      t.after(opened.simulator.close);
      const { provider, freshAddress, parseAddress } = opened;
      const eth = assetOf(ETHEREUM, 'ETH');
      const fresh = (chain: number) => {
        const address = parseAddress(chain, freshAddress(chain));
        assert.ok(address, `an address of chain ${chain}`);
        return address;
      };
      const supported = FAMILIES.flatMap(({ facts }) => facts.assets).filter(({ id }) => provider.supports(id, eth.id));
      // Relay knows no Zcash.
      const symbols = ['BTC', 'SOL', 'USDC', 'USDT', 'TRX', 'USDT', ...(name === 'oneclick' ? ['ZEC'] : [])];
      assert.deepEqual(supported.map(({ symbol }) => symbol).sort(), symbols.sort());
      for (const asset of supported) {
        const input = amount(asset.id, 1_000n * 10n ** BigInt(asset.decimals));
        const pays = { recipient: fresh(eth.chainId), refundTo: fresh(asset.chainId) };
        const order = await provider.open(swapOf(opened, input, eth.id, pays));
        assert.equal(parseAddress(asset.chainId, order.depositAddress), order.depositAddress);
        const back = { recipient: pays.refundTo, refundTo: pays.recipient };
        const quote = await provider.quote(swapOf(opened, amount(eth.id, 10n ** 18n), asset.id, back));
        assert.equal(quote?.output.asset, asset.id);
      }
    });
  });

test('USDC on a real Arbitrum becomes ETH on a real Ethereum by either provider', async (t) => {
  const worlds = [await startEvmWorld({ chainId: 42161 }), await startEvmWorld({ chainId: 1 })];
  t.after(() => Promise.all(worlds.map((world) => world.close())));
  for (const name of NAMES) {
    const bench = await providerBench(name, worlds, () => mineAll(worlds));
    const pays = { recipient: bench.freshAddress(ETHEREUM.facts.id), refundTo: bench.freshAddress(ARBITRUM.facts.id) };
    const order = await bench.provider.open(swapOf(bench, bench.input, bench.output, pays));
    await bench.provider.funded(order, await bench.pay(order.depositAddress, order.input));
    await bench.rest();
    const status = await bench.provider.status(order);
    assert.ok(status.state === 'delivered' && status.output.atoms >= order.least.atoms);
    assert.deepEqual(await bench.received(pays.recipient, bench.output), status.output);
    await bench.close();
  }
});

/** An order, and the means to fund it and let the provider act. */
async function openOrder(name: ProviderName) {
  const places = [fakePlace(ARBITRUM), fakePlace(ETHEREUM)] as const;
  const bench = await providerBench(name, places);
  const pays = { recipient: bench.freshAddress(ETHEREUM.facts.id), refundTo: bench.freshAddress(ARBITRUM.facts.id) };
  const swap = swapOf(bench, bench.input, bench.output, pays);
  const order = await bench.provider.open(swap);
  const fund = async (): Promise<void> => {
    await bench.pay(order.depositAddress, order.input);
    await bench.rest();
  };
  return { ...bench, places, swap, order, fund };
}
