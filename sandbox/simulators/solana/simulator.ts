import type { RpcServer } from '../rpc-server.ts';
import { Ledger } from './ledger.ts';
import { solanaMethods } from './methods.ts';
import { serveRpc } from './server.ts';

/** For machines without Surfpool: real signatures, and just the instructions that the desk and its customers use. */
export function startSolanaSimulator(): Promise<RpcServer> {
  return serveRpc(solanaMethods(new Ledger()));
}
