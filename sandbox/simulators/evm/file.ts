import { renameSync, writeFileSync } from 'node:fs';
import { createBlockHeaderFromRLP } from '@ethereumjs/block';
import { bytesToHex, hexToBytes } from '@ethereumjs/util';
import { Block, type Receipt } from './block.ts';
import type { EvmChain } from './chain.ts';
import type { KeptHistory } from './history.ts';
import { readKnown, type SentTx } from './transaction.ts';

interface KeptTx {
  readonly raw: string;
  readonly from: string;
  readonly isPretended: boolean;
}

type KeptReceipt = Omit<Receipt, 'gasUsed' | 'gasBefore' | 'price'> & Record<'gasUsed' | 'gasBefore' | 'price', string>;

interface KeptBlock {
  readonly header: string;
  readonly txs: readonly KeptTx[];
  readonly receipts: readonly KeptReceipt[];
}

/** What a chain is written as. Its last part ends as the file of the real node does, so that a file that was cut is told by its end. */
interface KeptChain {
  readonly best_block_number: number;
  readonly coinbase: `0x${string}`;
  readonly blocks: readonly KeptBlock[];
  readonly waiting: readonly KeptTx[];
  readonly accounts: KeptHistory['cells'];
  readonly codes: KeptHistory['codes'];
  readonly historical_states: readonly (readonly [
    height: number,
    { readonly storage: object; readonly before: object },
  ])[];
}

export function writeChain(chain: EvmChain): string {
  const { cells, codes, undone } = chain.history.keep();
  const kept: KeptChain = {
    best_block_number: chain.tip.height,
    coinbase: chain.coinbase,
    blocks: chain.blocks.map(keepBlock),
    waiting: chain.pool.all().map(keepTx),
    ...{ accounts: cells, codes },
    historical_states: undone.map(([height, before]) => [height, { storage: {}, before }]),
  };
  return JSON.stringify(kept);
}

export function readChain(chain: EvmChain, text: string): void {
  const kept = JSON.parse(text) as KeptChain;
  const { blocks, waiting, accounts, codes, historical_states: states } = kept;
  const undone = states.map(([height, { before }]) => [height, before] as KeptHistory['undone'][number]);
  chain.history.restore({ cells: accounts, codes, undone });
  const readTx = ({ raw, from, isPretended }: KeptTx): SentTx => readKnown(raw, from, isPretended, chain.common);
  const readBlock = ({ header: rlp, txs, receipts }: KeptBlock): Block => {
    const header = createBlockHeaderFromRLP(hexToBytes(rlp as `0x${string}`), { common: chain.common });
    return new Block(header, txs.map(readTx), receipts.map(readReceipt), chain.common);
  };
  chain.replaceBlocks(blocks.map(readBlock));
  chain.coinbase = kept.coinbase;
  chain.pool.clear();
  for (const one of waiting) chain.pool.add(readTx(one));
}

/** In one step: whoever reads finds all of it. */
export function saveChain(chain: EvmChain, path: string): void {
  writeFileSync(`${path}.part`, writeChain(chain));
  renameSync(`${path}.part`, path);
}

const keepTx = ({ raw, from, isPretended }: SentTx): KeptTx => ({ raw, from, isPretended });

const keepBlock = ({ rlp, txs, receipts }: Block): KeptBlock => ({
  header: bytesToHex(rlp),
  txs: txs.map(keepTx),
  receipts: receipts.map(({ gasUsed, gasBefore, price, ...rest }) => ({
    ...rest,
    ...{ gasUsed: `${gasUsed}`, gasBefore: `${gasBefore}`, price: `${price}` },
  })),
});

const readReceipt = ({ gasUsed, gasBefore, price, ...rest }: KeptReceipt): Receipt => ({
  ...rest,
  ...{ gasUsed: BigInt(gasUsed), gasBefore: BigInt(gasBefore), price: BigInt(price) },
});
