import { atoms } from '../../../kernel/amount.ts';
import { Fault } from '../../../kernel/fault.ts';
import { type TxHash, txHash } from '../../../kernel/ids.ts';
import type { PaidBy, Refused, SignedFor, Transfer } from '../chain.ts';
import { unlessSignedFor } from '../signed-for.ts';
import type { Daemon } from './daemon.ts';
import { AT_MONERO } from './reply.ts';

/** The chain tells that a transaction is there and how deep; whom it pays, only the signer's journal does. */
export async function paidBy(
  daemon: Daemon,
  signedFor: (hash: TxHash) => Promise<SignedFor | undefined>,
  settledConfirmations: number,
  transfer: Transfer,
  named: string,
): Promise<PaidBy | Refused> {
  if (!/^[0-9a-f]{64}$/i.test(named)) return { refused: 'this is no transaction id of this chain' };
  const hash = txHash(named.toLowerCase());
  const signed = await signedFor(hash);
  const refused = unlessSignedFor(transfer, signed);
  if (refused || !signed) return refused ?? { refused: 'the signer never signed it' };
  const tip = await daemon.tip();
  const [found] = await daemon.transactions([hash]);
  if (found?.height === undefined) return { refused: 'no block holds such a transaction' };
  const settled = tip.height - found.height + 1 >= settledConfirmations;
  // Asked last: what was read is of one chain only if the tip still stands.
  if ((await daemon.hashAt(tip.height)) !== tip.hash)
    throw new Fault('transient', AT_MONERO, `the chain moved under ${hash}`);
  return { txHash: hash, settled, cost: atoms(found.tx.fee) };
}
