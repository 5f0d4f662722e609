import type { Keeping } from '../../keeping.ts';
import type { RpcServer } from '../rpc-server.ts';
import { Ledger } from './ledger.ts';
import { solanaMethods } from './methods.ts';
import { serveRpc } from './server.ts';
import type { SolanaChange } from './state.ts';

export interface SolanaSimulator extends RpcServer {
  /** Everything that a restart must not lose. */
  snapshot(): string;
}

/** For machines without Surfpool: real signatures, and just the instructions that the desk and its customers use. */
export async function startSolanaSimulator(
  snapshot?: string,
  keeping?: Keeping<SolanaChange>,
): Promise<SolanaSimulator> {
  const ledger = new Ledger(snapshot, keeping);
  return { ...(await serveRpc(solanaMethods(ledger))), snapshot: () => ledger.snapshot() };
}
