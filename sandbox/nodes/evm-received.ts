import type { Address } from '../../src/kernel/ids.ts';
import { evmWord, parseEvmAddress } from '../../src/world/chains/evm/codec.ts';
import { TRANSFER_TOPIC } from '../../src/world/chains/evm/node.ts';
import type { Rpc } from '../../src/world/outbound/json-rpc.ts';
import type { Received } from '../place.ts';

type Transfer = Received['transfers'][number];

interface WireBlock {
  readonly transactions: readonly { readonly hash: string; readonly to: string | null; readonly value: string }[];
}

const BLOCKS_AT_ONCE = 50;

const quantity = (height: number): string => `0x${height.toString(16)}`;

export function sumOf(transfers: readonly Transfer[]): Received {
  return { total: transfers.reduce((sum, { amount }) => sum + amount, 0n), transfers };
}

/** What an address received of a token, by the token's logs. */
export async function tokenReceived(rpc: Rpc, contract: Address, address: Address): Promise<readonly Transfer[]> {
  const topics = [TRANSFER_TOPIC, null, `0x${evmWord(address)}`];
  const filter = { fromBlock: '0x0', toBlock: 'latest', address: contract, topics };
  const logs = (await rpc('eth_getLogs', [filter])) as { transactionHash: string; data: string; blockNumber: string }[];
  return logs.map(({ transactionHash, data, blockNumber }) => ({
    txHash: transactionHash,
    amount: BigInt(data),
    height: Number(blockNumber),
  }));
}

/** What addresses received of the chain's own coin: plain payments, found by reading each block once. */
export class CoinsReceived {
  readonly #rpc: Rpc;
  #found: (Transfer & { readonly to: Address })[] = [];
  #next = 1;

  constructor(rpc: Rpc) {
    this.#rpc = rpc;
  }

  async by(address: Address): Promise<readonly Transfer[]> {
    const tip = Number(await this.#rpc('eth_blockNumber'));
    while (this.#next <= tip) {
      const count = Math.min(BLOCKS_AT_ONCE, tip - this.#next + 1);
      const heights = Array.from({ length: count }, (_, i) => this.#next + i);
      this.#found.push(...(await Promise.all(heights.map((height) => this.#paymentsIn(height)))).flat());
      this.#next += count;
    }
    return this.#found.filter(({ to }) => to === address).map(({ to: _, ...transfer }) => transfer);
  }

  /** The blocks above are about to be replaced. */
  forgetAbove(height: number): void {
    this.#found = this.#found.filter((one) => one.height <= height);
    this.#next = Math.min(this.#next, height + 1);
  }

  async #paymentsIn(height: number): Promise<(Transfer & { readonly to: Address })[]> {
    const block = (await this.#rpc('eth_getBlockByNumber', [quantity(height), true])) as WireBlock;
    const payments = block.transactions.filter(({ to, value }) => to && BigInt(value) > 0n);
    if (payments.length === 0) return [];
    const receipts = (await this.#rpc('eth_getBlockReceipts', [quantity(height)])) as {
      transactionHash: string;
      status: string;
    }[];
    const good = new Set(receipts.filter(({ status }) => status === '0x1').map((one) => one.transactionHash));
    return payments.flatMap(({ hash, to, value }) => {
      const payee = parseEvmAddress(to?.toLowerCase() ?? '');
      return payee && good.has(hash) ? [{ to: payee, txHash: hash, amount: BigInt(value), height }] : [];
    });
  }
}
