import type { Keeping } from '../keeping.ts';
import { startSolanaSimulator } from '../simulators/solana/simulator.ts';
import type { SolanaChange } from '../simulators/solana/state.ts';
import { commandSolana, type SolanaWorld } from './solana-world.ts';
import { startSurfpool, surfpoolMissing } from './surfpool.ts';

export interface SimulatedSolana extends SolanaWorld {
  /** Text for the next one to go on from. */
  snapshot(): string;
}

export async function startSimulatedSolana(
  snapshot?: string,
  keeping?: Keeping<SolanaChange>,
): Promise<SimulatedSolana> {
  const simulator = await startSolanaSimulator(snapshot, keeping);
  const world = await commandSolana({ kind: 'simulated', rpcUrl: simulator.url, stop: simulator.stop });
  return { ...world, snapshot: simulator.snapshot };
}

/** On the real runtime where this machine has one; that one forgets all when it stops. */
export async function startSolanaWorld(kind: 'real' | 'simulated' | 'any' = 'any'): Promise<SolanaWorld> {
  const real = kind === 'real' || (kind === 'any' && surfpoolMissing() === undefined);
  return real ? commandSolana({ kind: 'real', ...(await startSurfpool()) }) : startSimulatedSolana();
}
