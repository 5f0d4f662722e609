import { base58 } from '@scure/base';
import { atoms } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import { type Address, txHash } from '../../../kernel/ids.ts';
import type { PaidBy, Refused, Transfer } from '../chain.ts';
import { SOL_ASSET_ID } from './codec.ts';
import type { NodeTx, SolanaNode } from './node.ts';
import { changeOf, sightingsIn } from './transfers.ts';

/** Whether a final transaction took exactly this from the one wallet and brought it to the other, as balances show. */
export async function paidBy(
  node: SolanaNode,
  { from, payer }: { readonly from: Address; readonly payer: Address },
  { asset, atoms: value, to }: Transfer,
  named: string,
): Promise<PaidBy | Refused> {
  if (!isSignature(named)) return { refused: 'this is no transaction signature' };
  const hash = txHash(named);
  const { status } = await node.status(hash);
  if (!status) return { refused: 'no block holds such a transaction' };
  if (!status.isFinal) return { txHash: hash, settled: false, cost: atoms(0n) };
  const block = await node.block(status.height);
  const tx = block.transactions.find((one) => one.hash === hash);
  if (!tx) throw node.fault(`block ${status.height} does not hold ${hash}`);
  if (!tx.ok) return { refused: 'it was executed and failed' };
  const [first] = tx.coins;
  if (first?.account !== payer) return { refused: `its fee was paid by ${first?.account}, not by ${payer}` };
  const came = sightingsIn(tx, block, new Set([to])).filter((one) => one.asset === asset);
  if (came.length !== 1 || came[0]?.atoms !== value)
    return { refused: `it brought ${came.map((one) => one.atoms).join(' and ') || 'nothing'} to ${to}, not ${value}` };
  const cost = costOf(tx, asset === SOL_ASSET_ID && from === payer ? value : 0n);
  const gone = -changeOf(tx, from, asset) - (asset === SOL_ASSET_ID && from === payer ? cost : 0n);
  if (gone !== value) return { refused: `it took ${gone} of ${asset} from ${from}, not ${value}` };
  return { txHash: hash, settled: true, cost: atoms(cost) };
}

const SIGNATURE_BYTES = 64;

/** So many bytes are written in 64 to 88 characters, and so are fewer and more. */
const isSignature = (text: string): boolean =>
  /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text) && base58.decode(text).length === SIGNATURE_BYTES;

/** What the payer of the fee has less, beside the value: the fee, and what a token account that was opened keeps. */
function costOf({ coins }: NodeTx, moved: bigint): bigint {
  const { before, after } = present(coins[0], 'the payer of a transaction');
  return before - after - moved;
}
