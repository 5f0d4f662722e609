import { startSolanaSimulator } from '../simulators/solana/simulator.ts';
import { commandSolana, type SolanaWorld } from './solana-world.ts';
import { startSurfpool, surfpoolMissing } from './surfpool.ts';

/** On the real runtime where this machine has one. Neither it nor the simulator outlives its process. */
export async function startSolanaWorld(kind: 'real' | 'simulated' | 'any' = 'any'): Promise<SolanaWorld> {
  const real = kind === 'real' || (kind === 'any' && surfpoolMissing() === undefined);
  if (!real) {
    const { url: rpcUrl, stop } = await startSolanaSimulator();
    return commandSolana({ kind: 'simulated', rpcUrl, stop });
  }
  return commandSolana({ kind: 'real', ...(await startSurfpool()) });
}
