import { type Address, type TxHash, txHash } from '../../../kernel/ids.ts';
import type { BlockRef } from '../chain.ts';
import { tronAddressOfHex } from './codec.ts';
import { address, type Reply, record, records, sun, text, tronFault, whole } from './reply.ts';

export interface Header extends BlockRef {
  readonly parentHash: string;
  /** Milliseconds of the chain's time. */
  readonly time: number;
}

/** What a transaction asks for; undefined for the many kinds that move neither coins nor tokens we know. */
export type Ask =
  | {
      readonly kind: 'transfer';
      readonly owner: Address;
      readonly to: Address;
      /** undefined: too large for the node's JSON to carry exactly. */
      readonly amount: bigint | undefined;
    }
  | { readonly kind: 'call'; readonly owner: Address; readonly contract: Address };

export interface NodeTx {
  readonly hash: TxHash;
  /** Its block says that it did what it asked for. */
  readonly ok: boolean;
  readonly ask: Ask | undefined;
}

export interface NodeBlock extends Header {
  readonly transactions: readonly NodeTx[];
}

export interface NodeLog {
  readonly contract: Address;
  readonly topics: readonly string[];
  readonly data: string;
}

export interface NodeInfo {
  readonly hash: TxHash;
  readonly height: number;
  readonly blockTime: number;
  readonly ok: boolean;
  /** Sun that were burned, for whatever reason. */
  readonly fee: bigint;
  /** In the order of the transaction. */
  readonly logs: readonly NodeLog[];
}

export interface Tried {
  readonly reverted: string | undefined;
  readonly energy: bigint;
  readonly answer: string;
}

export interface Resources {
  readonly bandwidth: bigint;
  readonly energy: bigint;
  /** Of the daily allowance; undefined where the account does not exist. */
  readonly free: bigint | undefined;
  /** What all staked coins of the network give, and how many whole ones they are. */
  readonly energyOfAll: bigint;
  readonly trxOfAll: bigint;
}

export interface Permission {
  readonly alone: readonly Address[];
  readonly operations: string;
}

export function headerOf(block: Reply): Header {
  const raw = record(record(block.block_header).raw_data);
  return {
    height: whole(raw, 'number'),
    hash: text(block, 'blockID'),
    parentHash: text(raw, 'parentHash'),
    time: whole(raw, 'timestamp'),
  };
}

export function txOf(tx: Reply): NodeTx {
  const [contract] = records(record(tx.raw_data), 'contract');
  return {
    hash: txHash(text(tx, 'txID')),
    ok: records(tx, 'ret')[0]?.contractRet === 'SUCCESS',
    ask: contract && askOf(contract),
  };
}

function askOf(contract: Reply): Ask | undefined {
  if (contract.type !== 'TransferContract' && contract.type !== 'TriggerSmartContract') return undefined;
  const value = record(record(contract.parameter).value);
  const owner = address(value, 'owner_address');
  if (contract.type === 'TriggerSmartContract') {
    return { kind: 'call', owner, contract: address(value, 'contract_address') };
  }
  const amount = Number.isSafeInteger(value.amount) ? sun(value, 'amount') : undefined;
  return { kind: 'transfer', owner, to: address(value, 'to_address'), amount };
}

export function infoOf(info: Reply): NodeInfo {
  const outcome = record(info.receipt ?? {}).result;
  return {
    hash: txHash(text(info, 'id')),
    height: whole(info, 'blockNumber'),
    blockTime: whole(info, 'blockTimeStamp'),
    // Only contracts have an outcome of their own.
    ok: info.result !== 'FAILED' && (outcome === undefined || outcome === 'SUCCESS'),
    fee: sun(info, 'fee'),
    logs: records(info, 'log').map(logOf),
  };
}

function logOf(log: Reply): NodeLog {
  const topics = Array.isArray(log.topics) ? log.topics.map(String) : [];
  const contract = tronAddressOfHex(String(log.address ?? ''));
  if (!contract) throw tronFault('a log without a contract');
  return { contract, topics, data: typeof log.data === 'string' ? log.data : '' };
}

export const sunOf = (parameter: Reply): bigint => BigInt(String(parameter.value));

/** The text within ABI-encoded `Error(string)`. */
export function errorString(data: string): string | undefined {
  const [, length, words] = /^08c379a0.{64}(.{64})(.*)$/.exec(data) ?? [];
  if (!length || !words) return undefined;
  return Buffer.from(words, 'hex')
    .subarray(0, Number(BigInt(`0x${length}`)))
    .toString('utf8');
}
