import { type BlockHeader, createBlockHeaderFromRLP } from '@ethereumjs/block';
import type { Common } from '@ethereumjs/common';
import { bytesToHex } from '@ethereumjs/util';
import type { Log } from './machine.ts';
import type { SentTx } from './transaction.ts';

export interface Receipt {
  readonly ok: boolean;
  readonly gasUsed: bigint;
  readonly gasBefore: bigint;
  readonly price: bigint;
  readonly created: string | undefined;
  readonly logs: readonly Log[];
  readonly bloom: string;
}

export class Block {
  readonly height: number;
  readonly hash: string;
  readonly txs: readonly SentTx[];
  readonly receipts: readonly Receipt[];
  readonly rlp: Uint8Array;
  readonly #common: Common;
  #header: BlockHeader | undefined;

  constructor(header: BlockHeader, txs: readonly SentTx[], receipts: readonly Receipt[], common: Common) {
    this.height = Number(header.number);
    this.hash = bytesToHex(header.hash());
    this.txs = txs;
    this.receipts = receipts;
    this.rlp = header.serialize();
    this.#common = common;
    this.#header = header;
  }

  get header(): BlockHeader {
    return this.#header ?? createBlockHeaderFromRLP(this.rlp, { common: this.#common });
  }

  putAway(): void {
    this.#header = undefined;
    for (const sent of this.txs) sent.putAway();
  }
}

export interface Mined {
  readonly block: Block;
  readonly index: number;
}
