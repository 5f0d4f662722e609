import type { Atoms } from '../../kernel/amount.ts';
import { Fault } from '../../kernel/fault.ts';
import { type TxHash, txHash } from '../../kernel/ids.ts';
import type { BlockRef, PaidBy, Refused, SignedFor, Transfer } from './chain.ts';

/** A chain that tells that a transaction is there and how deep; whom it pays, only the signer's journal does. */
export interface HidingChain {
  /** Where faults of it are from. */
  readonly at: string;
  readonly settledConfirmations: number;
  tip(): Promise<BlockRef>;
  hashAt(height: number): Promise<string | undefined>;
  /** The transaction and its block, if one holds it. `cost` where the chain tells it: elsewhere it is what was signed. */
  find(hash: TxHash): Promise<{ readonly height: number | undefined; readonly cost?: Atoms } | undefined>;
  signedFor(hash: TxHash): Promise<SignedFor | undefined>;
}

/** Whether this transaction is this transfer, on a chain that does not say whom it pays. */
export async function paidByHidden(chain: HidingChain, transfer: Transfer, named: string): Promise<PaidBy | Refused> {
  if (!/^[0-9a-f]{64}$/i.test(named)) return { refused: 'this is no transaction id of this chain' };
  const hash = txHash(named.toLowerCase());
  const signed = await chain.signedFor(hash);
  if (!signed) return { refused: 'this chain hides whom a transaction pays, and the signer never signed this one' };
  const { asset, atoms, to } = signed;
  if (!isSameTransfer(signed, transfer)) return { refused: `it was signed to pay ${atoms} of ${asset} to ${to}` };
  const tip = await chain.tip();
  const found = await chain.find(hash);
  if (found?.height === undefined) return { refused: 'no block holds such a transaction' };
  const settled = tip.height - found.height + 1 >= chain.settledConfirmations;
  // Asked last: what was read is of one chain only if the tip still stands.
  if ((await chain.hashAt(tip.height)) !== tip.hash)
    throw new Fault('transient', chain.at, `the chain moved under ${hash}`);
  return { txHash: hash, settled, cost: found.cost ?? signed.cost };
}

const isSameTransfer = (signed: SignedFor, { asset, atoms, to }: Transfer): boolean =>
  signed.asset === asset && signed.atoms === atoms && signed.to === to && signed.from === 'hot';
