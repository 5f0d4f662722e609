import { BITCOIN_REGTEST } from '../../../src/world/chains/bitcoin/networks.ts';
import type { Keeping } from '../../keeping.ts';
import { type BitcoinWorld, commandBitcoin } from '../../nodes/bitcoin-world.ts';
import { type BitcoinChange, BitcoinLedger, type BitcoinSnapshot } from './ledger.ts';
import { bitcoinMethods } from './methods.ts';
import { serve } from './server.ts';

export type { BitcoinChange, BitcoinSnapshot } from './ledger.ts';

export interface BitcoinSimulation extends BitcoinWorld {
  snapshot(): BitcoinSnapshot;
}

/** A Bitcoin network in memory, speaking the protocol of the real node and enforcing its rules. */
export async function startBitcoinSimulator(
  options: { readonly snapshot?: BitcoinSnapshot; readonly keeping?: Keeping<BitcoinChange> } = {},
): Promise<BitcoinSimulation> {
  const network = BITCOIN_REGTEST;
  let ledger = new BitcoinLedger(network, options.snapshot, options.keeping);
  let server = await serve(bitcoinMethods(network, ledger));
  const world = await commandBitcoin({
    kind: 'simulated',
    network,
    rpcUrl: server.url,
    emptyPool: async () => ledger.emptyPool(),
    // It writes each change before it shows it.
    keep: async () => {},
    stop: () => server.stop(),
    async restart() {
      await server.stop();
      const { write } = options.keeping ?? {};
      ledger = new BitcoinLedger(network, ledger.snapshot(), write ? { write } : {});
      server = await serve(bitcoinMethods(network, ledger), server.port);
    },
  });
  return { ...world, snapshot: () => ledger.snapshot() };
}
