import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../src/kernel/fault.ts';
import { MONERO_DEFAULTS, moneroRules } from '../src/world/chains/monero/rules.ts';
import { readJson, writeJson } from './files.ts';
import type { MoneroWorld } from './nodes/monero-world.ts';
import type { BoxChain } from './place.ts';
import { type MoneroSnapshot, startMoneroSimulator } from './simulators/monero/simulator.ts';

/** Closing keeps what it knows in the file. */
export async function simulatedMonero(file: string, resumes: boolean, hotAddress: string): Promise<MoneroWorld> {
  const simulation = await startMoneroSimulator({
    hotAddress,
    ...(resumes ? { snapshot: readJson(file) as MoneroSnapshot } : {}),
  });
  return {
    ...simulation,
    async close() {
      await simulation.close();
      writeJson(file, simulation.snapshot());
    },
  };
}

const FRESH_ADDRESSES = 4;
/** Change is locked for ten blocks: a customer who pays often has to wait for it now and then. */
const UNLOCKED_WITHIN_MS = 20_000;
const TRY_EVERY_MS = 250;

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
    mine: world.mine,
    setAutomine: world.setAutomine,
    reorg: world.reorg,
    pay: async (payment) => ({ txHash: await patiently(() => world.pay(payment)), from: world.customerAddress }),
    received: (_, address) => world.received(address),
    // Whoever pays out to an address of its own can tell one payout from the next.
    wallets: async () => [
      world.customerAddress,
      ...(await Promise.all(Array.from({ length: FRESH_ADDRESSES }, () => world.freshDestination()))),
    ],
  };
}

async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + UNLOCKED_WITHIN_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const canWait = error instanceof Fault && error.kind === 'transient' && performance.now() < deadline;
      if (!canWait) throw error;
      await sleep(TRY_EVERY_MS);
    }
  }
}
