import { type Instant, instant } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { type Address, type ChainId, type TxHash, txHash } from '../../../kernel/ids.ts';
import type { Outbound } from '../../outbound/http.ts';
import { RpcError } from '../../outbound/json-rpc.ts';
import type { Reply } from '../../outbound/reading.ts';
import { RpcNode } from '../../outbound/rpc-node.ts';
import type { BlockRef, Heads } from '../chain.ts';
import { evmWord, parseEvmAddress } from './codec.ts';
import { balanceProbe, COINS_PER_PROBE, coinsProbe } from './probe.ts';

export interface NodeTx {
  readonly hash: TxHash;
  readonly from: Address;
  /** undefined for a contract's creation. */
  readonly to: Address | undefined;
  readonly value: bigint;
  readonly nonce: number;
  readonly isMined: boolean;
}

export interface NodeBlock extends BlockRef {
  readonly parentHash: string;
  readonly hasLogs: boolean;
  readonly transactions: readonly NodeTx[];
}

export interface NodeLog {
  readonly contract: Address;
  readonly topics: readonly string[];
  readonly data: string;
  readonly txHash: TxHash;
}

export interface NodeReceipt {
  readonly block: BlockRef;
  readonly ok: boolean;
  /** All that the sender paid beside the value it moved. */
  readonly cost: bigint;
}

/** Of which tokens, and between whom. */
interface TransfersBy {
  readonly contracts?: readonly Address[];
  readonly from?: Address;
  readonly to?: Address;
}

export type BlockTag = 'latest' | 'pending' | 'safe' | 'finalized' | number;

/** keccak256("Transfer(address,address,uint256)"). */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const BALANCE_OF = '0x70a08231';
/** Checksums are dear, and the same addresses come again and again. */
const REMEMBERED_ADDRESSES = 100_000;
/** So geth and its kin answer where a network has no such tag, or has not come to it. */
const NO_SUCH_TAG = /not found|not supported|unknown block/i;
/**
 * So nodes say that they have not kept the state of a block: geth and its kin ("missing trie node …", "historical state … is not
 * available"), Nethermind (an exception in the data of its error), Besu ("World state unavailable"), Erigon and reth ("pruned"), anvil
 * ("BlockOutOfRange"), and services where older states cost more ("archive").
 */
const STATE_GONE =
  /missing ?trie ?node|state.* (?:not available|unavailable)|no state|prun(?:ed|ing)|archive|out ?of ?range/i;

/** What was asked of states; undefined where the node is there and has not kept one of them. */
export async function whereKept<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    const cause = error instanceof Fault ? error.cause : undefined;
    if (cause instanceof RpcError && STATE_GONE.test(`${cause.message} ${JSON.stringify(cause.data ?? '')}`))
      return undefined;
    throw error;
  }
}

/** A node's replies as checked values. Every error of the node is a transient `Fault` unless a method says otherwise. */
export class EvmNode extends RpcNode {
  readonly #addresses = new Map<string, Address>();

  constructor(chain: ChainId, url: string, outbound: Outbound) {
    super({ at: `chain:${chain}`, url }, outbound);
  }

  async chainId(): Promise<number> {
    return this.#number(await this.read('eth_chainId', []));
  }

  /** A tag that the node does not know stands at zero: nothing is safe or final by it. */
  async heads(): Promise<Heads> {
    const [tip, safe, finalized] = await Promise.all([
      this.#height('latest'),
      this.#height('safe'),
      this.#height('finalized'),
    ]);
    if (tip === undefined) throw this.fault('the node has no latest block');
    return { tip, safe: safe ?? 0, finalized: finalized ?? 0 };
  }

  async newestTime(): Promise<Instant> {
    const block = this.#object(await this.read('eth_getBlockByNumber', ['latest', false]));
    if (!block) throw this.fault('the node has no latest block');
    return instant(this.#number(block.timestamp) * 1000);
  }

  async tip(): Promise<number> {
    return this.#number(await this.read('eth_blockNumber', []));
  }

  /** Of the canonical chain; undefined where the node has no such block. */
  async hashAt(height: number): Promise<string | undefined> {
    const block = this.#object(await this.read('eth_getBlockByNumber', [tagOf(height), false]));
    return block && this.#hex(block.hash);
  }

  /** With its transactions. */
  async block(at: number): Promise<NodeBlock | undefined> {
    const block = this.#object(await this.readLarge(`block ${at}`, 'eth_getBlockByNumber', [tagOf(at), true]));
    return (
      block && {
        height: this.#number(block.number),
        hash: this.#hex(block.hash),
        parentHash: this.#hex(block.parentHash),
        hasLogs: BigInt(this.#hex(block.logsBloom)) !== 0n,
        transactions: this.#records(block.transactions, 'transactions').map((tx) => this.#tx(tx)),
      }
    );
  }

  /**
   * Transfer logs in that very block, of all contracts or of these; the two parties may be given. Asked by hash: a node
   * that lags or stands on another fork says that it does not know the block, where for a range of heights it would say
   * "none".
   */
  async transferLogs(block: string, by: TransfersBy = {}): Promise<readonly NodeLog[]> {
    return this.#transferLogs({ blockHash: block }, by);
  }

  /** The same in all blocks between these, both included. Whoever asks must know that the node has them all. */
  async transferLogsBetween(first: number, last: number, by: TransfersBy): Promise<readonly NodeLog[]> {
    return this.#transferLogs({ fromBlock: tagOf(first), toBlock: tagOf(last) }, by);
  }

  /** The same of one transaction, as its receipt in that very block tells: however full the block is, this is not. */
  async transferLogsOf(hash: TxHash, block: string, contracts: readonly Address[]): Promise<readonly NodeLog[]> {
    const told = await this.readLarge(`the receipt of ${hash}`, 'eth_getTransactionReceipt', [hash]);
    const receipt = this.#object(told);
    if (receipt?.blockHash !== block) throw this.fault(`the chain moved under ${hash}`);
    const logs = this.#records(receipt.logs, 'logs').map((log) => this.#log(log));
    return logs.filter(({ contract, topics }) => topics[0] === TRANSFER_TOPIC && contracts.includes(contract));
  }

  async transaction(hash: TxHash): Promise<NodeTx | undefined> {
    const tx = this.#object(await this.read('eth_getTransactionByHash', [hash]));
    return tx && this.#tx(tx);
  }

  async receipt(hash: TxHash): Promise<NodeReceipt | undefined> {
    const receipt = this.#object(await this.read('eth_getTransactionReceipt', [hash]));
    return (
      receipt && {
        block: { height: this.#number(receipt.blockNumber), hash: this.#hex(receipt.blockHash) },
        ok: this.#number(receipt.status) === 1,
        cost:
          this.quantity(receipt.gasUsed) * this.quantity(receipt.effectiveGasPrice) +
          this.quantity(receipt.l1Fee ?? '0x0'),
      }
    );
  }

  async nonce(account: Address, at: BlockTag): Promise<number> {
    return this.#number(await this.read('eth_getTransactionCount', [account, tagOf(at)]));
  }

  async code(account: Address): Promise<string> {
    const code = await this.read('eth_getCode', [account, 'latest']);
    return code === '0x' ? code : this.#hex(code).toLowerCase();
  }

  async isPlainAccount(account: Address): Promise<boolean> {
    return (await this.code(account)) === '0x';
  }

  /** Of a token where a contract is given, else of the network's own coin. */
  async balance(account: Address, contract: Address | undefined, at: BlockTag): Promise<bigint> {
    if (!contract) return this.quantity(await this.read('eth_getBalance', [account, tagOf(at)]));
    const call = { to: contract, data: BALANCE_OF + evmWord(account) };
    const word = this.#hex(await this.read('eth_call', [call, tagOf(at)]));
    if (word.length !== 66) throw this.fault(`balanceOf of ${contract} gave ${word.length} characters`);
    return BigInt(word);
  }

  address(value: unknown): Address {
    const text = this.#hex(value).toLowerCase();
    const known = this.#addresses.get(text);
    if (known) return known;
    const address = parseEvmAddress(text);
    if (!address) throw this.fault('expected an address');
    if (this.#addresses.size >= REMEMBERED_ADDRESSES) this.#addresses.clear();
    this.#addresses.set(text, address);
    return address;
  }

  /** What a token that nobody vouches for says it keeps for an account; undefined where it does not say. */
  async toldBalance(account: Address, contract: Address, at: BlockTag): Promise<bigint | undefined> {
    const answer = this.#hex(await this.read('eth_call', [{ data: balanceProbe(contract, account) }, tagOf(at)]));
    if (answer.length !== 2 + 128) throw this.fault(`a probe gave ${answer.length} characters`);
    return BigInt(answer.slice(0, 66)) === 1n ? BigInt(`0x${answer.slice(66)}`) : undefined;
  }

  /**
   * Of the network's own coin, after that very block. Asked by its hash: a node that lags, stands on another fork or has
   * not kept that state says so, where for a height it may answer from another block.
   */
  async coinBalances(accounts: readonly Address[], blockHash: string): Promise<ReadonlyMap<Address, bigint>> {
    const balances = new Map<Address, bigint>();
    for (let start = 0; start < accounts.length; start += COINS_PER_PROBE) {
      const some = accounts.slice(start, start + COINS_PER_PROBE);
      const answer = this.#hex(await this.read('eth_call', [{ data: coinsProbe(some) }, { blockHash }]));
      if (answer.length !== 2 + 64 * some.length) throw this.fault(`a probe gave ${answer.length} characters`);
      for (const [i, account] of some.entries()) {
        balances.set(account, BigInt(`0x${answer.slice(2 + 64 * i, 2 + 64 * (i + 1))}`));
      }
    }
    return balances;
  }

  /** A hexadecimal number of the node. */
  quantity(value: unknown): bigint {
    return BigInt(this.#hex(value));
  }

  async #height(tag: BlockTag): Promise<number | undefined> {
    try {
      const block = this.#object(await this.ask('eth_getBlockByNumber', [tag, false]));
      return block && this.#number(block.number);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (NO_SUCH_TAG.test(error.message)) return undefined;
      throw this.fault(error.message, error);
    }
  }

  async #transferLogs(where: object, { contracts, from, to }: TransfersBy): Promise<readonly NodeLog[]> {
    const topic = (address: Address | undefined) => (address ? `0x${evmWord(address)}` : null);
    const topics = [TRANSFER_TOPIC, topic(from), topic(to)];
    const logs = await this.read('eth_getLogs', [{ ...where, ...(contracts ? { address: contracts } : {}), topics }]);
    return this.#records(logs, 'logs').map((log) => this.#log(log));
  }

  #number(value: unknown): number {
    const number = Number(this.quantity(value));
    if (!Number.isSafeInteger(number)) throw this.fault('a number too large to be a height or a nonce');
    return number;
  }

  #object(value: unknown): Reply | undefined {
    return value === null ? undefined : this.reading.record(value, 'an answer');
  }

  #records(value: unknown, where: string): readonly Reply[] {
    return this.reading.list(value, where).map((one) => this.reading.record(one, where));
  }

  #hex(value: unknown): string {
    if (typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value)) return value;
    return this.reading.malformed('hexadecimal', value ?? null);
  }

  #tx(tx: Reply): NodeTx {
    return {
      hash: txHash(this.#hex(tx.hash)),
      from: this.address(tx.from),
      to: tx.to === null || tx.to === undefined ? undefined : this.address(tx.to),
      value: this.quantity(tx.value),
      nonce: this.#number(tx.nonce),
      isMined: typeof tx.blockHash === 'string',
    };
  }

  #log(log: Reply): NodeLog {
    return {
      contract: this.address(log.address),
      topics: this.reading.list(log.topics, 'topics').map((topic) => this.#hex(topic)),
      data: typeof log.data === 'string' ? log.data : '0x',
      txHash: txHash(this.#hex(log.transactionHash)),
    };
  }
}

const tagOf = (at: BlockTag): string => (typeof at === 'number' ? `0x${at.toString(16)}` : at);
