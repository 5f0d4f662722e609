import { Fault } from '../../kernel/fault.ts';
import type { Outbound } from './http.ts';
import { jsonRpc, type Rpc, type RpcEndpoint, RpcError, type RpcParams } from './json-rpc.ts';
import { type Room, withRoom } from './large-reply.ts';
import { type Reading, readingOf } from './reading.ts';

/** A node that is asked by JSON-RPC. What it refuses to tell, or tells in an odd way, is a transient `Fault`. */
export class RpcNode {
  readonly at: string;
  /** Lets `RpcError`s through, for callers to whom the node's "no" means something. */
  readonly ask: Rpc;
  protected readonly reading: Reading;

  constructor(endpoint: RpcEndpoint, outbound: Outbound) {
    this.at = endpoint.at;
    this.ask = jsonRpc(endpoint, outbound);
    this.reading = readingOf(endpoint.at, 'transient');
  }

  /** `absent`: the code with which the node says that it has no such thing; the answer is then undefined. */
  async read(method: string, params?: RpcParams, absent?: number, room?: Room): Promise<unknown> {
    try {
      return await this.ask(method, params, room);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (error.code === absent) return undefined;
      throw this.fault(error.message, error);
    }
  }

  /** What cannot be asked for in parts and may be large, as a block is; `what` is its name. */
  readLarge(what: string, method: string, params?: RpcParams, absent?: number): Promise<unknown> {
    return withRoom(what, (room) => this.read(method, params, absent, room));
  }

  /** Hands something over, and gives what the node says against it. */
  async objection(method: string, params: RpcParams): Promise<string | undefined> {
    try {
      await this.ask(method, params);
      return undefined;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return error.message;
    }
  }

  fault(message: string, cause?: unknown): Fault {
    return new Fault('transient', this.at, message, cause);
  }
}
