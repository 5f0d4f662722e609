import { MONERO_DEFAULTS, moneroRules } from '../../src/world/chains/monero/rules.ts';
import type { MoneroWorld } from '../nodes/monero-world.ts';
import { patiently } from '../patience.ts';
import type { BoxChain } from '../place.ts';

const FRESH_ADDRESSES = 4;

/** Monero as a place of the box. */
export function moneroPlace(world: MoneroWorld): BoxChain {
  const { facts, parseAddress, parseToken } = moneroRules(MONERO_DEFAULTS);
  return {
    chainId: facts.id,
    name: facts.name,
    kind: world.kind,
    rpcUrl: world.daemonUrl,
    tokens: facts.assets.map(({ token, symbol, decimals }) => ({ token, symbol, decimals })),
    parseAddress,
    parseToken,
    customerAddress: world.customerAddress,
    mine: world.mine,
    setAutomine: world.setAutomine,
    reorg: world.reorg,
    pay: async (payment) => ({ txHash: await patiently(() => world.pay(payment)), from: world.customerAddress }),
    received: (_, address) => patiently(() => world.received(address)),
    // Whoever pays out to an address of its own can tell one payout from the next.
    wallets: async () => [world.customerAddress, ...(await patiently(() => world.freshDestinations(FRESH_ADDRESSES)))],
  };
}
