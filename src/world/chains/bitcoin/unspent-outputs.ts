import type { Account } from '../../../kernel/account.ts';
import { type Atoms, atoms } from '../../../kernel/amount.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Address } from '../../../kernel/ids.ts';
import type { BlockRef } from '../chain.ts';
import type { Busy, DepositBook } from '../family.ts';
import { addressOfScript, isOursByKind, xpubOn } from './address-codec.ts';
import { type Coin, coinToken, type Payer } from './codec.ts';
import type { BitcoinNode } from './node.ts';
import {
  type BitcoinBlock,
  COINBASE_DEPTH,
  isCoinbase,
  type OutPoint,
  outPointText,
  type TxOutput,
} from './tx-codec.ts';

export interface UnspentConfig {
  readonly xpub: string;
  readonly book: Pick<DepositBook, 'count' | 'indexes'>;
  readonly busy: Busy;
  /** What is not this deep could vanish, and a payment that spends it would neither be mined nor ever be provably dead. */
  readonly spendDepth: number;
}

interface OwnCoin extends Coin {
  readonly height: number;
  readonly isCoinbase: boolean;
}

/** Our outputs as of one block. */
interface Picture {
  readonly at: BlockRef;
  readonly coins: ReadonlyMap<string, OwnCoin>;
}

/** Indexes may be handed out, and paid, while the picture is being taken. */
const AHEAD = 100;
/** The node takes longer ranges in parts. */
const RANGE = 1_000_000;
/** Behind by more blocks than this, a new picture is quicker than reading them. */
const MAX_BLOCKS_BEHIND = 100;

/**
 * All outputs that our keys can spend, wherever they lie: deposits are spent where they came, change returns to the hot
 * address. The picture is taken from the node's set of unspent outputs and kept up with each block; a reorganisation, like
 * a restart, takes it anew. No wallet of the node is involved.
 */
export class UnspentOutputs {
  readonly #node: BitcoinNode;
  readonly #payer: Payer;
  readonly #config: UnspentConfig;
  #picture: Picture | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(node: BitcoinNode, payer: Payer, config: UnspentConfig) {
    this.#node = node;
    this.#payer = payer;
    this.#config = config;
  }

  async balance(): Promise<{ readonly spendable: Atoms; readonly locked: Atoms }> {
    const { free, all } = await this.#sorted();
    const sum = (coins: readonly Coin[]) => coins.reduce((total, coin) => total + coin.atoms, 0n);
    return { spendable: atoms(sum(free)), locked: atoms(sum(all) - sum(free)) };
  }

  /** What can be spent now and is promised to no other payment. */
  async free(): Promise<readonly Coin[]> {
    return (await this.#sorted()).free;
  }

  /** Our outputs at these places, promised or not; undefined unless no block has spent any of them. */
  async at(points: readonly OutPoint[]): Promise<readonly Coin[] | undefined> {
    const { coins } = await this.#fresh();
    const found = points.flatMap((point) => coins.get(outPointText(point)) ?? []);
    return found.length === points.length ? found : undefined;
  }

  /** One at a time: each goes on where the one before it came to. */
  #fresh(): Promise<Picture> {
    const refreshed = this.#last.then(() => this.#refresh());
    this.#last = refreshed.catch(() => undefined);
    return refreshed;
  }

  async #sorted(): Promise<{ readonly free: readonly Coin[]; readonly all: readonly Coin[] }> {
    const { at, coins } = await this.#fresh();
    const all = [...coins.values()];
    const tokenOf = (coin: Coin) => coinToken(this.#payer.network, coin);
    const deep = all.filter((coin) => {
      const depth = at.height - coin.height + 1;
      return depth >= this.#config.spendDepth && (!coin.isCoinbase || depth >= COINBASE_DEPTH);
    });
    const busy = deep.length > 0 ? await this.#config.busy(deep.map(tokenOf)) : new Set<string>();
    return { all, free: deep.filter((coin) => !busy.has(tokenOf(coin))) };
  }

  async #refresh(): Promise<Picture> {
    const tip = await this.#node.tip();
    const behind = this.#picture && tip.height - this.#picture.at.height;
    const isNear = behind !== undefined && behind >= 0 && behind <= MAX_BLOCKS_BEHIND;
    let picture = this.#picture && isNear ? this.#picture : await this.#take();
    while (picture.at.height < tip.height) {
      const height = picture.at.height + 1;
      const block = await this.#node.block(await this.#node.hashAt(height));
      picture = block.parentHash === picture.at.hash ? await this.#turn(picture, block, height) : await this.#take();
    }
    if (picture.at.height === tip.height && picture.at.hash !== tip.hash) picture = await this.#take();
    this.#picture = picture;
    return picture;
  }

  async #take(): Promise<Picture> {
    const { xpub, book } = this.#config;
    const count = (await book.count()) + AHEAD;
    const ranges = Array.from({ length: Math.ceil(count / RANGE) }, (_, part) => ({
      desc: `wpkh(${xpubOn(this.#payer.network, xpub)}/*)`,
      range: [part * RANGE, Math.min(count, (part + 1) * RANGE) - 1],
    }));
    const { at, unspents } = await this.#node.unspentOf([`addr(${this.#payer.hot})`, ...ranges]);
    const owners = await this.#owners(unspents);
    const coins = new Map<string, OwnCoin>();
    for (const { script, ...unspent } of unspents) {
      const account = owners.get(script);
      if (account === undefined) continue;
      // The set does not say which outputs are a miner's pay; only of young ones does it matter.
      const isYoung = at.height - unspent.height + 1 < COINBASE_DEPTH;
      const isPay = isYoung && (await this.#node.unspent(unspent, false))?.isCoinbase === true;
      coins.set(outPointText(unspent), { ...unspent, account, isCoinbase: isPay });
    }
    return { at, coins };
  }

  /** The picture one block later. The book is asked after the block was read: it then knows every address paid in it. */
  async #turn({ coins: before }: Picture, { hash, transactions }: BitcoinBlock, height: number): Promise<Picture> {
    const owners = await this.#owners(transactions.flatMap(({ outputs }) => outputs));
    const coins = new Map(before);
    for (const tx of transactions) {
      for (const input of tx.inputs) coins.delete(outPointText(input));
      for (const [vout, { atoms: value, script }] of tx.outputs.entries()) {
        const account = owners.get(script);
        const coin = { txid: tx.txid, vout, atoms: value, height, isCoinbase: isCoinbase(tx) };
        if (account !== undefined && value > 0n) coins.set(outPointText(coin), { ...coin, account });
      }
    }
    return { at: { height, hash }, coins };
  }

  /** Whose scripts these are; the book is believed only where the key itself gives the same address. */
  async #owners(outputs: readonly Pick<TxOutput, 'script'>[]): Promise<ReadonlyMap<string, Account>> {
    const { network, hot, addressOf } = this.#payer;
    const scripts = new Set(outputs.map(({ script }) => script).filter(isOursByKind));
    const addresses = [...scripts].map((script) => addressOfScript(network, script)).filter((one) => one !== undefined);
    const indexes = addresses.length > 0 ? await this.#config.book.indexes(addresses) : new Map<Address, number>();
    const owners = new Map<string, Account>();
    for (const script of scripts) {
      const address = addressOfScript(network, script);
      const deposit = address && indexes.get(address);
      if (address === hot) owners.set(script, 'hot');
      if (deposit === undefined) continue;
      if (addressOf({ deposit }) !== address) {
        throw new Fault('permanent', this.#node.at, `${address} is not deposit address ${deposit} of our key`);
      }
      owners.set(script, { deposit });
    }
    return owners;
  }
}
