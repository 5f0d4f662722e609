import type { Rpc } from '../../src/world/outbound/json-rpc.ts';
import { isTaken } from './is-taken.ts';

interface WireTx {
  readonly hash: string;
  readonly from: string;
  readonly nonce: string;
  readonly gas: string;
  readonly value: string;
  readonly gasPrice: string;
  readonly maxFeePerGas?: string;
  readonly r: string;
  readonly s: string;
}

/** A transaction that the node had, in a block or waiting for one. */
export interface KnownTx {
  readonly tx: WireTx;
  readonly raw: string;
}

/** A block that is mined again. */
export interface KnownBlock {
  /** What its transactions paid: they cost the same again, so that nobody's books are wrong whose money came to be final. */
  readonly baseFee: string;
  readonly known: readonly KnownTx[];
}

type WirePool = Readonly<Record<'pending' | 'queued', Readonly<Record<string, Readonly<Record<string, WireTx>>>>>>;

/** Nobody signed for an account that the node only pretends to have the key of. */
const isUnsigned = ({ r, s }: WireTx): boolean => BigInt(r) === 0n && BigInt(s) === 0n;

/** Gives a node again what a rollback took from it. */
export class EvmResent {
  readonly #rpc: Rpc;
  /** Accounts that the node itself signs for. */
  readonly #own: ReadonlySet<string>;

  constructor(rpc: Rpc, own: readonly string[]) {
    this.#rpc = rpc;
    this.#own = new Set(own);
  }

  async inBlock(height: string): Promise<KnownBlock> {
    const { transactions, baseFeePerGas } = (await this.#rpc('eth_getBlockByNumber', [height, true])) as {
      readonly transactions: readonly WireTx[];
      readonly baseFeePerGas: string;
    };
    return { baseFee: baseFeePerGas, known: await this.#withBytes(transactions) };
  }

  /** Takes out of the pool what could be in the next block. What waits for an earlier nonce stays: anvil does not let go of it. */
  async takeWaiting(): Promise<readonly KnownTx[]> {
    const { pending } = (await this.#rpc('txpool_content')) as WirePool;
    const byNonce = (a: WireTx, b: WireTx) => Number(a.nonce) - Number(b.nonce);
    const waiting = await this.#withBytes(Object.values(pending).flatMap((txs) => Object.values(txs).sort(byNonce)));
    for (const { tx } of waiting) await this.#rpc('anvil_dropTransaction', [tx.hash]);
    return waiting;
  }

  /** In this order; answers those that the node refuses as things stand now. */
  async send(known: readonly KnownTx[]): Promise<readonly KnownTx[]> {
    const refused: KnownTx[] = [];
    for (const one of known) if (!(await isTaken(() => this.#sendOne(one)))) refused.push(one);
    return refused;
  }

  /** A rival takes the nonce of a dropped payment that needs no key of others, so that what was paid after it can still be mined. */
  async outdo({ tx }: KnownTx): Promise<void> {
    const { from, nonce } = tx;
    const rival = () => this.#rpc('eth_sendTransaction', [{ from, to: from, nonce, gas: PLAIN_GAS }]);
    if (isUnsigned(tx)) await isTaken(() => this.#as(tx, rival));
    else if (this.#own.has(from)) await isTaken(rival);
  }

  async #withBytes(txs: readonly WireTx[]): Promise<readonly KnownTx[]> {
    const known: KnownTx[] = [];
    for (const tx of txs)
      known.push({ tx, raw: (await this.#rpc('eth_getRawTransactionByHash', [tx.hash])) as string });
    return known;
  }

  #sendOne({ tx, raw }: KnownTx): Promise<unknown> {
    if (!isUnsigned(tx)) return this.#rpc('eth_sendRawTransaction', [raw]);
    // The same fields make the same hash.
    const { gasPrice, ...fields } = tx;
    const priced = tx.maxFeePerGas === undefined ? { ...fields, gasPrice } : fields;
    return this.#as(tx, () => this.#rpc('eth_sendTransaction', [priced]));
  }

  /** Its coins were put there by hand and in no transaction, so that a rollback may have taken them for good. */
  async #as({ from, gas, gasPrice, maxFeePerGas, value }: WireTx, work: () => Promise<unknown>): Promise<void> {
    const needed = BigInt(value) + BigInt(gas) * BigInt(maxFeePerGas ?? gasPrice);
    const held = BigInt((await this.#rpc('eth_getBalance', [from, 'latest'])) as string);
    if (held < needed) await this.#rpc('anvil_setBalance', [from, `0x${needed.toString(16)}`]);
    const wasPretended = ((await this.#rpc('eth_accounts')) as string[]).includes(from);
    if (!wasPretended) await this.#rpc('anvil_impersonateAccount', [from]);
    try {
      await work();
    } finally {
      if (!wasPretended) await this.#rpc('anvil_stopImpersonatingAccount', [from]);
    }
  }
}

const PLAIN_GAS = '0x5208';
