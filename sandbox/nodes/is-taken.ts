import { RpcError } from '../../src/world/outbound/json-rpc.ts';

/** Whether a node takes what it is sent; its no is an answer. */
export async function isTaken(sending: () => Promise<unknown>): Promise<boolean> {
  try {
    await sending();
    return true;
  } catch (error) {
    if (error instanceof RpcError) return false;
    throw error;
  }
}
