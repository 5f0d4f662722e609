import type { Refused, SignedFor, Transfer } from './chain.ts';

/** Why a transaction is not this transfer, as far as the journal tells; undefined where it is. */
export function unlessSignedFor(transfer: Transfer, signed: SignedFor | undefined): Refused | undefined {
  if (!signed) return { refused: 'this chain hides whom a transaction pays, and the signer never signed this one' };
  const { asset, atoms, to } = signed;
  const isIt = asset === transfer.asset && atoms === transfer.atoms && to === transfer.to && signed.from === 'hot';
  return isIt ? undefined : { refused: `it was signed to pay ${atoms} of ${asset} to ${to}` };
}
