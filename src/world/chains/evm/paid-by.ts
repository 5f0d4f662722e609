import { atoms } from '../../../kernel/amount.ts';
import { type Address, txHash } from '../../../kernel/ids.ts';
import type { PaidBy, Refused, Transfer } from '../chain.ts';
import { evmContractOf } from './codec.ts';
import { depthUnder, type Finality } from './networks.ts';
import type { EvmNode } from './node.ts';
import { partiesOf } from './transfers.ts';

/** Whether a transaction that this sender signed moved exactly this: by its value, or by the one log of the token that names both. */
export async function paidBy(
  node: EvmNode,
  settled: Finality,
  { sender, from }: { readonly sender: Address; readonly from: Address },
  { asset, atoms: value, to }: Transfer,
  named: string,
): Promise<PaidBy | Refused> {
  if (!/^0x[0-9a-f]{64}$/i.test(named)) return { refused: 'this is no transaction hash of this chain' };
  const hash = txHash(named.toLowerCase());
  const [tx, receipt] = [await node.transaction(hash), await node.receipt(hash)];
  if (!tx || !receipt) return { refused: 'no block holds such a transaction' };
  if (!receipt.ok) return { refused: 'it was executed and failed' };
  if (tx.from !== sender) return { refused: `it was signed by ${tx.from}, not by ${sender}` };
  const { block, cost } = receipt;
  const contract = evmContractOf(asset);
  const logs = contract ? await node.transferLogs(block.hash, { contracts: [contract], from, to }) : [];
  const moved = contract
    ? logs.filter((log) => log.txHash === hash).map((log) => partiesOf(log)?.atoms ?? 0n)
    : [tx.to === to ? tx.value : 0n];
  if (moved.length !== 1 || moved[0] !== value)
    return { refused: `it moved ${moved.join(' and ') || 'nothing'} of ${asset} to ${to}, not ${value}` };
  const heads = await node.heads();
  // Asked last: what is canonical under heads that were read before is at least as deep as they say.
  if ((await node.hashAt(block.height)) !== block.hash) return { refused: 'no block of the canonical chain holds it' };
  const depth = depthUnder(settled, block.height, heads);
  return { txHash: hash, settled: depth.have >= depth.need, cost: atoms(cost) };
}
