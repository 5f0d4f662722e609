import { Fault } from '../../../kernel/fault.ts';
import { Secret } from '../../../kernel/secret.ts';
import { RpcError } from '../../outbound/json-rpc.ts';

/** Reading what Zcash's servers answer: fields are checked where they are used. No amount of ZEC outgrows a number. */

export const AT_ZCASH = 'chain:20000000000133';

export type Reply = Readonly<Record<string, unknown>>;

const odd = (field: string, wanted: string, value: unknown): Fault =>
  new Fault('transient', AT_ZCASH, `${field} is not ${wanted}: ${JSON.stringify(value)?.slice(0, 100)}`);

export function record(value: unknown): Reply {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Reply;
  throw odd('an answer', 'an object', value);
}

export function records(value: unknown): Reply[] {
  if (Array.isArray(value)) return value.map(record);
  throw odd('an answer', 'a list', value);
}

export function text(reply: Reply, field: string): string {
  const value = reply[field];
  if (typeof value === 'string') return value;
  throw odd(field, 'text', value);
}

export function whole(reply: Reply, field: string): number {
  const value = reply[field];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw odd(field, 'a count', value);
}

/** Zatoshis are JSON numbers, and all that will ever exist are fewer than a number can count. */
export const zatoshis = (reply: Reply, field: string): bigint => BigInt(whole(reply, field));

const TX_ID = /^[0-9a-f]{64}$/;

/** A transaction's or a block's. */
export function hash(reply: Reply, field: string): string {
  const value = text(reply, field);
  if (TX_ID.test(value)) return value;
  throw odd(field, 'a hash', value);
}

const POOLS = ['transparent', 'sapling', 'orchard', 'ironwood'] as const;
export type Pool = (typeof POOLS)[number];

export function pool(reply: Reply): Pool {
  const found = POOLS.find((name) => name === reply.pool);
  if (found) return found;
  throw odd('pool', 'known', reply.pool);
}

/** A place where value lies, unique for ever; whoever spends it excludes every other spend of it. */
export const outputKey = (txid: string, of: Pool, index: number): string => `${txid}:${of}:${index}`;

export interface RpcLogin {
  readonly user: string;
  readonly password: string;
}

/** `user:password`, where the password may hold colons and the name may not. */
export function loginOf(text: string): Secret<RpcLogin> {
  const [user = '', ...rest] = text.split(':');
  return new Secret({ user, password: rest.join(':') });
}

export const basicAuth = ({ user, password }: RpcLogin): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

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
