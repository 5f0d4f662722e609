import type { ChainId } from '../kernel/ids.ts';
import type { ScanPage } from '../world/chains/chain.ts';
import type { Submit } from './submit.ts';

/** A person is told once of each: whoever closes the case has dealt with it, though the money may still lie there. */
export const outOfReachReports =
  (chain: ChainId, { commitHouse }: Pick<Submit, 'commitHouse'>) =>
  async (found: NonNullable<ScanPage['outOfReach']>): Promise<void> => {
    for (const { key, asset, atoms, address, txHash, sender } of found)
      await commitHouse({
        key: `out-of-reach:${chain}:${key}`,
        cases: [{ case: 'deposit_out_of_reach', asset, atoms, address, txHash, ...(sender ? { sender } : {}) }],
      });
  };
