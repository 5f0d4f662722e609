import type { ChainId } from '../kernel/ids.ts';
import type { OutOfReach } from '../world/chains/chain.ts';
import type { Submit } from './submit.ts';

/** A person is told once of each: whoever closes the case has dealt with it, though the money may still lie there. */
export const outOfReachReports =
  (chain: ChainId, { commitHouse }: Pick<Submit, 'commitHouse'>) =>
  async (found: readonly OutOfReach[]): Promise<void> => {
    for (const { key, asset, atoms, address, txHash, sender, why } of found)
      await commitHouse({
        key: `out-of-reach:${chain}:${key}`,
        cases: [{ case: 'deposit_out_of_reach', asset, atoms, address, txHash, why, ...(sender ? { sender } : {}) }],
      });
  };
