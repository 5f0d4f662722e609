import { atoms } from '../../../kernel/amount.ts';
import { type Address, txHash } from '../../../kernel/ids.ts';
import type { PaidBy, Refused, Transfer } from '../chain.ts';
import type { TronNode } from './node.ts';
import { tronFault } from './reply.ts';
import { movementsOf } from './transfers.ts';

/** Whether a transaction of this account moved exactly this, as the chain itself or the token's one log says. */
export async function paidBy(
  node: TronNode,
  contracts: ReadonlySet<Address>,
  from: Address,
  { asset, atoms: value, to, loan }: Transfer,
  named: string,
): Promise<PaidBy | Refused> {
  if (loan) return { refused: 'what is lent is no payment' };
  if (!/^[0-9a-f]{64}$/i.test(named)) return { refused: 'this is no transaction id of this chain' };
  const hash = txHash(named.toLowerCase());
  const info = (await node.info(hash, 'wallet')) ?? (await node.info(hash, 'walletsolidity'));
  const tx = info && (await node.transaction(hash));
  if (!info || !tx) return { refused: 'no block holds such a transaction' };
  if (!tx.ok || !info.ok) return { refused: 'it was executed and failed' };
  if (tx.ask?.owner !== from) return { refused: `it was signed by ${tx.ask?.owner}, not by ${from}` };
  const moved = movementsOf(contracts, tx, info)
    .filter((one) => one.from === from && one.to === to && one.asset === asset)
    .map((one) => one.atoms());
  if (moved.length !== 1 || moved[0] !== value)
    return { refused: `it moved ${moved.join(' and ') || 'nothing'} of ${asset} to ${to}, not ${value}` };
  const [heads, block] = [await node.heads(), await node.header(info.height)];
  if (block?.time !== info.blockTime) throw tronFault(`the chain moved under ${hash}`);
  return { txHash: hash, settled: info.height <= heads.finalized, cost: atoms(info.fee) };
}
