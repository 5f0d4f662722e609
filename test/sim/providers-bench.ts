import { randomBytes } from 'node:crypto';
import { freshAddresses } from '../../sandbox/fresh-addresses.ts';
import type { BoxChain, Place, Received } from '../../sandbox/place.ts';
import { openMarket } from '../../sandbox/simulators/providers/market.ts';
import { startOneClick } from '../../sandbox/simulators/providers/oneclick.ts';
import { startRelay } from '../../sandbox/simulators/providers/relay.ts';
import type { ProviderOptions } from '../../sandbox/simulators/providers/server.ts';
import { amount } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { type Clock, instant } from '../../src/kernel/clock.ts';
import { type Address, chainOf, tokenOf, txHash } from '../../src/kernel/ids.ts';
import type { Asset, ChainRules } from '../../src/world/chains/chain.ts';
import { evmNetwork } from '../../src/world/chains/evm/networks.ts';
import { evmRules } from '../../src/world/chains/evm/rules.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import type { ProviderBench } from '../../src/world/providers/conformance.ts';
import { openOneClick } from '../../src/world/providers/oneclick/oneclick.ts';
import { openRelay } from '../../src/world/providers/relay/relay.ts';

export const ARBITRUM = evmRules(evmNetwork(42161));
export const ETHEREUM = evmRules(evmNetwork(1));

/** An honest chain in memory: what is paid is received, in a block of its own. */
export function fakePlace({ facts, parseAddress, parseToken }: ChainRules): Place {
  const paid: { readonly token: string; readonly to: string; readonly txHash: string; readonly amount: bigint }[] = [];
  return {
    ...{ chainId: facts.id, name: facts.name, kind: 'simulated', rpcUrl: '', tokens: facts.assets },
    ...{ parseAddress, parseToken },
    customerAddress: facts.addressExample,
    wallets: async () => [],
    async pay({ token, to, atoms }) {
      const hash = `0x${randomBytes(32).toString('hex')}`;
      paid.push({ token, to, txHash: hash, amount: atoms });
      return { txHash: hash, from: '' };
    },
    async received(token, address): Promise<Received> {
      const transfers = paid.flatMap((one, height) =>
        one.token === token && one.to === address ? [{ txHash: one.txHash, amount: one.amount, height }] : [],
      );
      return { total: transfers.reduce((sum, one) => sum + one.amount, 0n), transfers };
    },
  };
}

export const PRICES = { ETH: '3200', USDC: '1', USDT: '1', BTC: '100000', SOL: '150', TRX: '0.3', ZEC: '60' };

export const PROVIDERS = {
  oneclick: { start: startOneClick, open: openOneClick, shortDeposit: 'waits' },
  relay: { start: startRelay, open: openRelay, shortDeposit: 'goes_back' },
} as const;

export type ProviderName = keyof typeof PROVIDERS;

/** A simulator over these places, our provider opened on it, and a clock that only moves when told to. */
export async function openProvider(
  name: ProviderName,
  rules: readonly ChainRules[],
  places: readonly Place[],
  options: Partial<ProviderOptions> = {},
) {
  let time = Date.now();
  const clock: Clock = { now: () => instant(time) };
  const market = openMarket({ prices: PRICES });
  const freshAddress = freshAddresses();
  const simulator = await PROVIDERS[name].start({
    places,
    market,
    freshAddress,
    now: clock.now,
    pollMs: 5,
    ...options,
  });
  const parseAddress = (chain: number, text: string): Address | undefined =>
    rules.find(({ facts }) => facts.id === chain)?.parseAddress(text);
  const assets = rules.flatMap(({ facts }) => facts.assets);
  const provider = await PROVIDERS[name].open({ url: simulator.url, parseAddress }, assets, httpOutbound, clock);
  const passTo = (at: number): void => {
    time = Math.max(time, at);
  };
  return { simulator, provider, clock, market, freshAddress, parseAddress, passTo };
}

/** The conformance suite's bench over places; `mine` makes what was paid visible where that takes a block. */
export async function providerBench(
  name: ProviderName,
  places: readonly Place[],
  mine: () => Promise<void> = async () => {},
): Promise<ProviderBench & Omit<Awaited<ReturnType<typeof openProvider>>, 'freshAddress'>> {
  const opened = await openProvider(name, [ARBITRUM, ETHEREUM], places);
  const { simulator, freshAddress, parseAddress } = opened;
  const place = (chain: number): Place =>
    present(
      places.find((one) => one.chainId === chain),
      `place ${chain}`,
    );
  return {
    ...opened,
    input: amount(assetOf(ARBITRUM, 'USDC').id, 1_000_000_000n),
    output: assetOf(ETHEREUM, 'ETH').id,
    shortDeposit: PROVIDERS[name].shortDeposit,
    freshAddress: (chain: number) => present(parseAddress(chain, freshAddress(chain)), 'a fresh address'),
    async pay(to, { asset, atoms }) {
      const sent = await place(chainOf(asset)).pay({ token: tokenOf(asset), to, atoms });
      await mine();
      return txHash(sent.txHash);
    },
    received: async (address, asset) =>
      amount(asset, (await place(chainOf(asset)).received(tokenOf(asset), address)).total),
    // To see a deposit, to fill it, and to send back what was too much.
    async rest() {
      for (let looks = 0; looks < 3; looks += 1) {
        await simulator.look();
        await mine();
      }
    },
    misbehave: (mode) => simulator.setFault({ mode, count: 1 }),
    close: simulator.close,
  };
}

export const assetOf = ({ facts }: ChainRules, symbol: string): Asset =>
  present(
    facts.assets.find((one) => one.symbol === symbol),
    symbol,
  );

export const mineAll = async (chains: readonly BoxChain[]): Promise<void> => {
  for (const chain of chains) await chain.mine(1);
};
