import { SCAN_BLOCKS_PER_PAGE } from '../../../kernel/limits.ts';
import type { AttemptStatus, SignedTransfer } from '../chain.ts';
import type { BitcoinNode } from './node.ts';
import type { BitcoinRulesConfig } from './rules.ts';
import { type OutPoint, outPointHex, outPointText, parseBlock, parseTransaction } from './tx-codec.ts';

/** Another spend this deep cannot be undone by any reorganisation we accept. */
export const DEAD_DEPTH = 6;

/** Mined already, an input spent or not there, another payment of the same inputs in the pool, or too cheap for now: `status` tells which. */
export const broadcastBytes = (node: BitcoinNode, { raw }: SignedTransfer): Promise<string | undefined> =>
  node.objection('sendrawtransaction', [raw]);

type Confirmations = Pick<BitcoinRulesConfig, 'payoutConfirmations' | 'settledConfirmations'>;

export class Attempts {
  readonly #node: BitcoinNode;
  readonly #need: Confirmations;
  /** The height where the search for the spender of an output goes on. Losing it costs only time. */
  readonly #unread = new Map<string, number>();

  constructor(node: BitcoinNode, need: Confirmations) {
    this.#node = node;
    this.#need = need;
  }

  async status(signed: SignedTransfer): Promise<AttemptStatus> {
    const found = await this.#node.transaction(signed.txHash);
    if (found && !found.blockHash) return { state: 'pool' };
    if (found?.blockHash) {
      const { confirmations, ...block } = await this.#node.header(found.blockHash);
      if (confirmations === 0) return { state: 'unknown' };
      const { payoutConfirmations: need, settledConfirmations } = this.#need;
      const depth = { have: confirmations, need };
      const settled = confirmations >= settledConfirmations;
      // The signatures hold only for the amounts that were signed, so what it cost is what it was to cost.
      return { state: 'mined', block, depth, settled, ok: true, cost: signed.cost };
    }
    for (const input of parseTransaction(signed.raw).inputs) {
      const proof = await this.#spentByAnother(input, signed.txHash);
      if (proof) return { state: 'dead', proof };
    }
    return { state: 'unknown' };
  }

  /**
   * That our transaction is not found proves nothing. Proof is the other transaction itself: deep enough, on the canonical
   * chain, with our input in it. Blocks are searched backwards, a bounded number at a time.
   */
  async #spentByAnother(point: OutPoint, ours: string): Promise<string | undefined> {
    const node = this.#node;
    const text = outPointText(point);
    const tip = await node.tip();
    const funding = await node.transaction(point.txid);
    if (!funding?.blockHash || (await node.unspent(point, false))) return undefined;
    const { height: lowest } = await node.header(funding.blockHash);
    const highest = this.#unread.get(text) ?? tip.height;
    this.#unread.delete(text);
    const last = Math.max(lowest, highest - SCAN_BLOCKS_PER_PAGE + 1);
    for (let height = highest; height >= last; height -= 1) {
      const rival = spenderIn(await node.blockBytes(await node.hashAt(height)), point);
      if (!rival) continue;
      const isProof = rival !== ours && tip.height - height + 1 >= DEAD_DEPTH;
      return isProof ? `${text} was spent by ${rival} in block ${height}, with the tip at ${tip.height}` : undefined;
    }
    // At the bottom nothing is left to read, and the next search begins at the top again.
    if (last > lowest) this.#unread.set(text, last - 1);
    return undefined;
  }
}

/** The bytes of most blocks do not even contain the output's name. */
function spenderIn(block: string, point: OutPoint): string | undefined {
  if (!block.includes(outPointHex(point))) return undefined;
  const spends = (input: OutPoint) => input.txid === point.txid && input.vout === point.vout;
  return parseBlock(block).transactions.find(({ inputs }) => inputs.some(spends))?.txid;
}
