import { randomBytes } from 'node:crypto';
import { type BlockHeader, createBlockHeader, genTransactionsTrieRoot } from '@ethereumjs/block';
import type { Common } from '@ethereumjs/common';
import { bytesToHex, hexToBytes, KECCAK256_RLP } from '@ethereumjs/util';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { RpcFailure } from '../rpc-server.ts';
import { Block, type Mined, type Receipt } from './block.ts';
import { type Changes, History } from './history.ts';
import { Machine, NOBODY } from './machine.ts';
import { Pool } from './pool.ts';
import { accountCell, readAccount } from './state.ts';
import { costOf, offerOf, paidPerGas, rulesOf, type SentTx } from './transaction.ts';

export const GAS_LIMIT = 30_000_000n;
/** Headers take many times the room of their bytes: only those of the last blocks, which everybody asks for, are kept as they are. */
const HEADERS_KEPT = 16;
const FIRST_BASE_FEE = 1_000_000_000n;
const BLOOM_BYTES = 256;
const REFUSED = -32003;

/** The blocks of a network, which come when somebody asks for them, and what waits for the next. */
export class EvmChain {
  readonly common: Common;
  readonly chainId: number;
  readonly history: History;
  readonly pool: Pool;
  readonly machine: Machine;
  coinbase: `0x${string}` = NOBODY;
  nextBaseFee: bigint | undefined;
  readonly #blocks: Block[];
  readonly #byHash = new Map<string, Block>();
  readonly #mined = new Map<string, Mined>();

  private constructor(chainId: number, common: Common, history: History, machine: Machine, blocks: Block[]) {
    this.chainId = chainId;
    this.common = common;
    this.pool = new Pool(common);
    this.history = history;
    this.machine = machine;
    this.#blocks = blocks;
  }

  static async open(chainId: number, statesKept: number): Promise<EvmChain> {
    const { common, settle } = rulesOf(chainId);
    const history = new History(statesKept);
    const blocks: Block[] = [];
    const machine = await Machine.open(common, history, (height) => blocks[height]?.hash);
    const chain = new EvmChain(chainId, common, history, machine, blocks);
    chain.restart();
    settle();
    return chain;
  }

  /** With nothing but its first block. */
  restart(): void {
    this.history.restore({ cells: {}, codes: {}, undone: [] });
    this.pool.clear();
    this.replaceBlocks([]);
    const header = createBlockHeader(
      { number: 0, gasLimit: GAS_LIMIT, baseFeePerGas: FIRST_BASE_FEE, timestamp: secondsNow() },
      { common: this.common },
    );
    this.#push(new Block(header, [], [], this.common));
  }

  replaceBlocks(blocks: readonly Block[]): void {
    this.#blocks.length = 0;
    this.#byHash.clear();
    this.#mined.clear();
    for (const block of blocks) this.#push(block);
  }

  get tip(): Block {
    return this.#blocks.at(-1) as Block;
  }

  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  byHash(hash: string): Block | undefined {
    return this.#byHash.get(hash);
  }

  mined(hash: string): Mined | undefined {
    return this.#mined.get(hash);
  }

  readonly nonceOf = (account: string): bigint => readAccount(this.history.now(account)).nonce;

  /** After all of the account's that can be mined as things stand. */
  pendingNonceOf(account: string): bigint {
    const own = this.pool.sorted(this.nonceOf).pending.find(([first]) => first?.from === account);
    return this.nonceOf(account) + BigInt(own?.length ?? 0);
  }

  /** What a unit of gas costs in the next block beside the tip. */
  baseFeeNext(): bigint {
    if (this.nextBaseFee !== undefined) return this.nextBaseFee;
    return this.tip.height === 0 ? FIRST_BASE_FEE : this.tip.header.calcNextBaseFee();
  }

  send(sent: SentTx): string {
    const { from } = sent;
    const tx = sent.readAs(this.common);
    if (tx.common.chainId() !== this.common.chainId()) throw new RpcFailure(REFUSED, 'invalid chain id for signer');
    if (tx.gasLimit > GAS_LIMIT)
      throw new RpcFailure(-32000, 'intrinsic gas too high -- tx.gas_limit > env.block.gas_limit');
    if (tx.gasLimit < tx.getIntrinsicGas()) throw new RpcFailure(-32000, 'intrinsic gas too low');
    if (tx.nonce < this.nonceOf(from)) throw new RpcFailure(REFUSED, 'nonce too low');
    if (offerOf(tx).max < this.baseFeeNext()) throw new RpcFailure(REFUSED, 'max fee per gas less than block base fee');
    if (readAccount(this.history.now(from)).balance < costOf(tx))
      throw new RpcFailure(REFUSED, 'Insufficient funds for gas * price + value');
    this.pool.add(sent);
    return sent.hash;
  }

  async mine(): Promise<Block> {
    const header = this.#nextHeader();
    this.machine.begin(this.history.now);
    const taken: { sent: SentTx; receipt: Receipt }[] = [];
    /** Senders whose later ones have to wait, too. */
    const held = new Set<string>();
    let gas = 0n;
    for (const sent of this.pool.inOrder(this.nonceOf)) {
      const tx = sent.readAs(this.common);
      const fits = gas + tx.gasLimit <= GAS_LIMIT && offerOf(tx).max >= (header.baseFeePerGas ?? 0n);
      const receipt = fits && !held.has(sent.from) && (await this.#execute(sent, header, gas));
      if (!receipt) {
        held.add(sent.from);
        continue;
      }
      taken.push({ sent, receipt });
      gas += receipt.gasUsed;
    }
    const changes = this.machine.changes();
    const block = await this.#seal(header, taken, gas, changes);
    this.history.seal(block.height, changes);
    this.#push(block);
    this.nextBaseFee = undefined;
    this.pool.forgetUsed(this.nonceOf);
    return block;
  }

  rollback(depth: number): void {
    const height = this.tip.height - depth;
    if (depth < 0 || height < 0)
      throw new RpcFailure(
        -32602,
        `Rollback depth must not exceed current chain height: current height ${this.tip.height}, depth ${depth}`,
      );
    this.history.rollback(height);
    this.replaceBlocks(this.#blocks.slice(0, height + 1));
  }

  putAccount(address: string, change: { nonce?: bigint; balance?: bigint; code?: Uint8Array }): void {
    const { nonce, balance, codeHash } = readAccount(this.history.now(address));
    const hash = change.code === undefined ? codeHash : this.codeHash(change.code);
    this.history.put(address, accountCell(change.nonce ?? nonce, change.balance ?? balance, hash));
  }

  /** What a question about the next block is reckoned in: nobody pays for asking. */
  headerForCalls(at: Block): BlockHeader {
    const { number, timestamp, coinbase, mixHash } = at.header;
    const data = { number, timestamp, coinbase, mixHash, gasLimit: GAS_LIMIT, baseFeePerGas: 0n };
    return createBlockHeader(data, { common: this.common });
  }

  async #execute(sent: SentTx, header: BlockHeader, gasBefore: bigint): Promise<Receipt | undefined> {
    try {
      const tx = sent.readAs(this.common);
      const { ok, gasUsed, created, logs, bloom } = await this.machine.execute(tx, header);
      const price = paidPerGas(tx, header.baseFeePerGas ?? 0n);
      return { ok, gasUsed, gasBefore, price, created, logs, bloom: bytesToHex(bloom) };
    } catch {
      // What can be in no block any more, such as one whose coins went elsewhere, waits no longer.
      this.pool.drop(sent.hash);
      return undefined;
    }
  }

  #nextHeader(): BlockHeader {
    const { header: parent, height, hash } = this.tip;
    return createBlockHeader(
      {
        ...{ number: height + 1, parentHash: hexToBytes(hash as `0x${string}`), gasLimit: GAS_LIMIT },
        ...{ coinbase: this.coinbase, baseFeePerGas: this.baseFeeNext(), mixHash: randomBytes(32) },
        timestamp: secondsNow() > parent.timestamp ? secondsNow() : parent.timestamp + 1n,
      },
      { common: this.common },
    );
  }

  async #seal(
    header: BlockHeader,
    taken: readonly { readonly sent: SentTx; readonly receipt: Receipt }[],
    gasUsed: bigint,
    changes: Changes,
  ): Promise<Block> {
    const [txs, receipts] = [taken.map(({ sent }) => sent), taken.map(({ receipt }) => receipt)];
    const transactionsTrie =
      txs.length === 0 ? KECCAK256_RLP : await genTransactionsTrieRoot(txs.map((sent) => sent.readAs(this.common)));
    const sealed = createBlockHeader(
      {
        ...header.toJSON(),
        ...{ gasUsed, logsBloom: bloomOf(receipts), transactionsTrie },
        // No tries are kept: these two stand for what they would, and differ wherever that does.
        stateRoot: digest(this.tip.header.stateRoot, [...changes]),
        receiptTrie: digest(KECCAK256_RLP, receipts.length === 0 ? [] : receipts.map(({ logs, ok }) => [logs, ok])),
      },
      { common: this.common },
    );
    return new Block(sealed, txs, receipts, this.common);
  }

  codeHash(code: Uint8Array): string {
    if (code.length === 0) return '';
    const hash = Buffer.from(keccak_256(code)).toString('hex');
    this.history.keepCode(hash, code);
    return hash;
  }

  #push(block: Block): void {
    this.#blocks.push(block);
    this.#byHash.set(block.hash, block);
    this.#blocks.at(-HEADERS_KEPT)?.putAway();
    for (const [index, { hash }] of block.txs.entries()) this.#mined.set(hash, { block, index });
  }
}

const secondsNow = (): bigint => BigInt(Math.floor(Date.now() / 1000));

function digest(before: Uint8Array, what: readonly unknown[]): Uint8Array {
  return what.length === 0 ? before : keccak_256(Buffer.concat([before, Buffer.from(JSON.stringify(what))]));
}

function bloomOf(receipts: readonly Receipt[]): Uint8Array {
  const bloom = new Uint8Array(BLOOM_BYTES);
  for (const { bloom: one } of receipts)
    for (const [at, byte] of hexToBytes(one as `0x${string}`).entries()) bloom[at] = (bloom[at] ?? 0) | byte;
  return bloom;
}
