import { Fault } from '../../../kernel/fault.ts';
import { RpcError } from '../../outbound/json-rpc.ts';
import { fieldsOf, type Reply, readingOf } from '../../outbound/reading.ts';

export type { Reply } from '../../outbound/reading.ts';

/** Reading what Zcash's servers answer: fields are checked where they are used. No amount of ZEC outgrows a number. */

export const AT_ZCASH = 'chain:20000000000133';

const reading = readingOf(AT_ZCASH, 'transient');
export const { record, records, text, whole } = fieldsOf(reading);

/** Zatoshis are JSON numbers, and all that will ever exist are fewer than a number can count. */
export const zatoshis = (reply: Reply, field: string): bigint => BigInt(whole(reply, field));

const TX_ID = /^[0-9a-f]{64}$/;

/** A transaction's or a block's. */
export function hash(reply: Reply, field: string): string {
  const value = text(reply, field);
  if (TX_ID.test(value)) return value;
  return reading.malformed(field, value);
}

const POOLS = ['transparent', 'sapling', 'orchard', 'ironwood'] as const;
export type Pool = (typeof POOLS)[number];

export function pool(reply: Reply): Pool {
  const found = POOLS.find((name) => name === reply.pool);
  if (found) return found;
  return reading.malformed('pool', reply.pool ?? null);
}

/** A place where value lies, unique for ever; whoever spends it excludes every other spend of it. */
export const outputKey = (txid: string, of: Pool, index: number): string => `${txid}:${of}:${index}`;

const BAD_ADDRESS = -5;
const NOT_ENOUGH = -6;
const BAD_PARAMETER = -8;

/** The wallet sends nothing by itself, so its refusal always means that nothing happened. */
export function walletFault(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  const isForGood = error.code === BAD_ADDRESS || error.code === BAD_PARAMETER;
  const words = error.code === NOT_ENOUGH ? `funds are short or not deep enough: ${error.message}` : error.message;
  return new Fault(isForGood ? 'permanent' : 'transient', AT_ZCASH, words, error);
}
