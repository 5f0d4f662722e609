import type { RpcServer } from '../rpc-server.ts';
import { Ledger } from './ledger.ts';
import { solanaMethods } from './methods.ts';
import { serveRpc } from './server.ts';

export interface SolanaSimulator extends RpcServer {
  /** Everything that a restart must not lose. */
  snapshot(): string;
}

/** For machines without Surfpool: real signatures, and just the instructions that the desk and its customers use. */
export async function startSolanaSimulator(snapshot?: string): Promise<SolanaSimulator> {
  const ledger = new Ledger(snapshot);
  return { ...(await serveRpc(solanaMethods(ledger))), snapshot: () => ledger.snapshot() };
}
