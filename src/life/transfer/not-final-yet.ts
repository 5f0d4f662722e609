import { lesser } from '../../kernel/ratio.ts';

/** What came and is not final: in a block, and in the pool of a node. */
export interface Unfinal {
  readonly mined: bigint;
  readonly pool: bigint;
}

/**
 * How much of the difference between an account and the ledger is money that came and is not final. What is mined the account
 * shows. What is in the pool some wallets show and others do not, and anyone can leave it there for days: it explains what is
 * too much, and never makes anything look as if it were missing.
 */
export function notFinalYet(difference: bigint, { mined, pool }: Unfinal): bigint {
  const beyond = difference - mined;
  return mined + (beyond > 0n ? lesser(beyond, pool) : 0n);
}
