import { atoms } from '../../../kernel/amount.ts';
import { txHash } from '../../../kernel/ids.ts';
import type { PaidBy, Refused, Transfer } from '../chain.ts';
import type { DepositBook } from '../family.ts';
import { addressOfScript, scriptOfAddress } from './address-codec.ts';
import type { Payer } from './codec.ts';
import type { BitcoinNode } from './node.ts';
import type { BitcoinTx, TxOutput } from './tx-codec.ts';

type OurAddresses = Pick<DepositBook, 'indexes'>;

export interface Books {
  readonly node: BitcoinNode;
  readonly payer: Payer;
  readonly book: OurAddresses;
  readonly settledConfirmations: number;
}

/** Whether a transaction that spends nothing but our outputs has exactly one output to that address, of exactly that much. */
export async function paidBy(
  { node, payer, book, settledConfirmations }: Books,
  { atoms: value, to }: Transfer,
  named: string,
): Promise<PaidBy | Refused> {
  if (!/^[0-9a-f]{64}$/i.test(named)) return { refused: 'this is no transaction id of this chain' };
  const hash = txHash(named.toLowerCase());
  const found = await node.transaction(hash);
  if (!found?.blockHash) return { refused: 'no block holds such a transaction' };
  const spent = await outputsSpentBy(node, found.tx);
  if (!(await areOurs(payer, book, spent))) return { refused: 'it spends outputs that are not ours' };
  const script = scriptOfAddress(payer.network, to);
  const paid = found.tx.outputs.filter((output) => output.script === script).map((output) => output.atoms);
  if (paid.length !== 1 || paid[0] !== value)
    return { refused: `it pays ${paid.join(' and ') || 'nothing'} to ${to}, not ${value}` };
  const { confirmations } = await node.header(found.blockHash);
  if (confirmations === 0) return { refused: 'no block of the canonical chain holds it' };
  const cost = atoms(sum(spent) - sum(found.tx.outputs));
  return { txHash: hash, settled: confirmations >= settledConfirmations, cost };
}

const sum = (outputs: readonly TxOutput[]): bigint => outputs.reduce((total, output) => total + output.atoms, 0n);

async function outputsSpentBy(node: BitcoinNode, tx: BitcoinTx): Promise<readonly TxOutput[]> {
  const spent: TxOutput[] = [];
  for (const { txid, vout } of tx.inputs) {
    const output = (await node.transaction(txid))?.tx.outputs[vout];
    if (!output) throw node.fault(`the node does not know what ${tx.txid} spends`);
    spent.push(output);
  }
  return spent;
}

async function areOurs({ network, hot }: Payer, book: OurAddresses, outputs: readonly TxOutput[]): Promise<boolean> {
  const addresses = outputs.map(({ script }) => addressOfScript(network, script));
  const indexes = await book.indexes(addresses.filter((address) => address !== undefined));
  return addresses.every((address) => address !== undefined && (address === hot || indexes.has(address)));
}
