import { keccak_256 } from '@noble/hashes/sha3.js';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, txHash } from '../../src/kernel/ids.ts';
import { decodeEvm, evmContractOf, evmWord, parseEvmAddress } from '../../src/world/chains/evm/codec.ts';
import { TRANSFER_TOPIC } from '../../src/world/chains/evm/node.ts';
import type { OutboundCall, OutboundReply } from '../../src/world/outbound/http.ts';
import { type ChainBlock, type ChainTx, COIN_GAS, type EvmChain, type MinedTx, TOKEN_GAS } from './evm-chain.ts';

const hex = (value: bigint | number): string => `0x${value.toString(16)}`;
const word = (value: bigint): string => value.toString(16).padStart(64, '0');
const TRANSFER_CALL = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/;
const BALANCE_CALL = /^0x70a082310{24}([0-9a-f]{40})$/;
const BALANCE_PROBE = /^0x7f70a08231.*?52(?:7f0{24}|73)([0-9a-f]{40})6004.*?73([0-9a-f]{40})/;
const COIN_PROBES = /73([0-9a-f]{40})31/g;
/** Blocks below the tip that a reorganisation never reaches. */
export const FINAL_DEPTH = 7;
const SAFE_DEPTH = 3;
const LAG = 4;
/** Fewer than a deposit is deep when it is credited. */
const STATES_KEPT = 1;

interface LogsWanted {
  readonly blockHash?: string;
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly address?: string[];
  readonly topics: (string | null)[];
}

/** It does not answer, stands behind, knows nothing of what waits to be mined, or keeps the states of a few blocks alone. */
export type NodeTrouble = 'down' | 'lags' | 'forgets' | 'prunes';

class Said extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** What a node says of its chain; it may stand behind it, on an old fork of it, or not answer at all. */
export class EvmNode {
  readonly chain: EvmChain;
  readonly #troubles = new Set<NodeTrouble>();

  constructor(chain: EvmChain) {
    this.chain = chain;
  }

  be(trouble: NodeTrouble, isSo: boolean): void {
    if (isSo) this.#troubles.add(trouble);
    else this.#troubles.delete(trouble);
  }

  answer({ at, label, body = '' }: OutboundCall): OutboundReply {
    if (this.#troubles.has('down')) throw new Fault('transient', at, `${label}: ECONNREFUSED`);
    const { method, params } = JSON.parse(body) as { method: string; params: unknown[] };
    try {
      const result = this.#methods[method]?.(...(params as never[]));
      if (result === undefined) throw new Said(-32601, `the method ${method} does not exist`);
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result }) };
    } catch (error) {
      if (!(error instanceof Said)) throw error;
      const said = { code: error.code, message: error.message };
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, error: said }) };
    }
  }

  get #tip(): number {
    return Math.max(0, this.chain.height - (this.#troubles.has('lags') ? LAG : 0));
  }

  #height(tag: unknown): number {
    if (tag === 'latest' || tag === 'pending') return this.#tip;
    if (tag === 'safe') return Math.max(0, this.#tip - SAFE_DEPTH);
    if (tag === 'finalized') return Math.max(0, this.#tip - FINAL_DEPTH);
    if (typeof tag === 'object' && tag !== null) {
      const { blockHash } = tag as { blockHash: string };
      return this.#blockOf(blockHash).height;
    }
    return Number(tag);
  }

  /** Of a block whose state is asked for. */
  #stateAt(tag: unknown): number {
    const height = this.#height(tag);
    if (this.#troubles.has('prunes') && height < this.#tip - STATES_KEPT) throw new Said(-32000, 'missing trie node');
    return height;
  }

  #blockOf(hash: string): ChainBlock {
    const found = this.chain.blocks.find((block) => block.hash === hash && block.height <= this.#tip);
    if (!found) throw new Said(-32000, 'unknown block');
    return found;
  }

  readonly #methods: Readonly<Record<string, (...params: never[]) => unknown>> = {
    eth_chainId: () => hex(this.chain.network.facts.id),
    eth_blockNumber: () => hex(this.#tip),
    eth_getBlockByNumber: (tag: unknown, isFull: boolean) => {
      const block = this.chain.blocks[this.#height(tag)];
      return block && block.height <= this.#tip ? this.#wireBlock(block, isFull) : null;
    },
    eth_getLogs: ({ blockHash, fromBlock, toBlock, address, topics }: LogsWanted) => {
      const blocks = blockHash
        ? [this.#blockOf(blockHash)]
        : this.chain.blocks.slice(this.#height(fromBlock), this.#height(toBlock) + 1);
      const wanted = address?.map((one) => one.toLowerCase());
      return blocks
        .flatMap(logsOf)
        .filter(
          (log) =>
            (!wanted || wanted.includes(log.address)) &&
            topics.every((topic, at) => topic === null || log.topics[at] === topic.toLowerCase()),
        );
    },
    eth_getTransactionByHash: (hash: string) => {
      const mined = this.#mined(hash);
      if (mined) return wireTx(mined.mined.tx, mined.block);
      const pooled = this.#troubles.has('forgets') ? undefined : this.chain.pool.get(hash);
      return pooled ? wireTx(pooled) : null;
    },
    eth_getTransactionReceipt: (hash: string) => {
      const found = this.#mined(hash);
      if (!found) return null;
      const { block, mined } = found;
      return {
        transactionHash: hash,
        blockNumber: hex(block.height),
        blockHash: block.hash,
        status: mined.ok ? '0x1' : '0x0',
        gasUsed: hex(mined.gasUsed),
        effectiveGasPrice: hex(mined.price),
      };
    },
    eth_getTransactionCount: (account: string, tag: unknown) => {
      const mined = this.chain.nonce(account, this.#stateAt(tag));
      if (tag !== 'pending') return hex(mined);
      const waiting = new Set(
        [...this.chain.pool.values()].flatMap((tx) =>
          tx.from.toLowerCase() === account.toLowerCase() && !this.#troubles.has('forgets') ? [tx.nonce] : [],
        ),
      );
      let next = mined;
      while (waiting.has(next)) next += 1;
      return hex(next);
    },
    eth_getCode: (account: string) => (this.chain.refusing.has(account.toLowerCase()) ? '0x60' : '0x'),
    eth_getBalance: (account: string, tag: unknown) => hex(this.chain.balance(account, undefined, this.#stateAt(tag))),
    eth_call: (call: { from?: string; to?: string; data?: string; value?: string }, tag: unknown) =>
      this.#call(call, this.#stateAt(tag)),
    eth_estimateGas: (call: { to: string; data?: string }) => hex(call.data ? TOKEN_GAS : COIN_GAS),
    eth_feeHistory: (_count: string) => ({
      baseFeePerGas: [hex(this.chain.tip.baseFee), hex(this.chain.baseFee)],
      reward: [[hex(10n ** 7n)]],
    }),
    eth_sendRawTransaction: (raw: string) => {
      const tx = txOf(raw);
      const refused = this.chain.submit(tx);
      if (refused) throw new Said(-32000, refused);
      return tx.hash;
    },
  };

  #mined(hash: string) {
    const found = this.chain.find(hash);
    return found && found.block.height <= this.#tip ? found : undefined;
  }

  #call(
    { from = '', to, data = '0x', value }: { from?: string; to?: string; data?: string; value?: string },
    height: number,
  ) {
    if (!to) {
      const probe = BALANCE_PROBE.exec(data);
      if (probe) return `0x${word(1n)}${word(this.chain.balance(`0x${probe[1]}`, `0x${probe[2]}`, height))}`;
      const accounts = [...data.matchAll(COIN_PROBES)].map(([, account]) => `0x${account}`);
      return `0x${accounts.map((account) => word(this.chain.balance(account, undefined, height))).join('')}`;
    }
    const [, holder] = BALANCE_CALL.exec(data) ?? [];
    if (holder) return `0x${word(this.chain.balance(`0x${holder}`, to, height))}`;
    const [, payee, atoms] = TRANSFER_CALL.exec(data) ?? [];
    const moved = payee
      ? { token: to as Address, payee: `0x${payee}` as Address, atoms: BigInt(`0x${atoms}`) }
      : { token: undefined, payee: to as Address, atoms: BigInt(value ?? '0x0') };
    if (!this.chain.wouldMove({ from: from as Address, ...moved }, height)) throw new Said(3, 'execution reverted');
    return payee ? `0x${word(1n)}` : '0x';
  }

  #wireBlock(block: ChainBlock, isFull: boolean) {
    const { height, hash, parentHash, time, baseFee, txs } = block;
    return {
      number: hex(height),
      hash,
      parentHash,
      timestamp: hex(time),
      baseFeePerGas: hex(baseFee),
      logsBloom: logsOf(block).length > 0 ? '0x1' : '0x0',
      transactions: txs.map(({ tx }) => (isFull ? wireTx(tx, block) : tx.hash)),
    };
  }
}

const logsOf = ({ hash, height, txs }: ChainBlock) =>
  txs.flatMap(({ tx, ok }: MinedTx) =>
    ok && tx.token
      ? [
          {
            address: tx.token.toLowerCase(),
            topics: [TRANSFER_TOPIC, `0x${evmWord(tx.from)}`, `0x${evmWord(tx.payee)}`],
            data: `0x${word(tx.atoms)}`,
            transactionHash: tx.hash,
            blockHash: hash,
            blockNumber: hex(height),
          },
        ]
      : [],
  );

const wireTx = (tx: ChainTx, block?: ChainBlock) => ({
  hash: tx.hash,
  from: tx.from.toLowerCase(),
  to: tx.to.toLowerCase(),
  value: hex(tx.token ? 0n : tx.atoms),
  nonce: hex(tx.nonce),
  input: tx.input,
  blockHash: block?.hash ?? null,
  blockNumber: block ? hex(block.height) : null,
});

/** Signed bytes, as anybody can read them. */
export function txOf(raw: string): ChainTx {
  const { from, to, nonce, transfer, gas, maxFeePerGas, maxPriorityFeePerGas, data } = decodeEvm(raw);
  const hash = txHash(`0x${Buffer.from(keccak_256(Buffer.from(raw.slice(2), 'hex'))).toString('hex')}`);
  const token = evmContractOf(transfer.asset);
  const payee = parseEvmAddress(transfer.to) ?? transfer.to;
  const fees = { gas, maxFee: maxFeePerGas, tip: maxPriorityFeePerGas };
  return { hash, from, to, nonce, token, payee, atoms: transfer.atoms, input: data, ...fees };
}
