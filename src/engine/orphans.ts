import { parseUnits } from '../kernel/amount.ts';
import { type ChainId, chainOf } from '../kernel/ids.ts';
import { showUsd, type UsdMicros } from '../kernel/usd.ts';
import type { Cases } from '../store/cases.ts';
import type { BreakerBoard } from '../store/gates.ts';

const USD_DECIMALS = 6;

export interface OrphanWatch {
  readonly cases: Pick<Cases, 'list'>;
  readonly breakers: BreakerBoard;
  /** So much credited money may be off one chain before nothing more is done there. */
  readonly most: UsdMicros;
}

/**
 * Stops a chain by itself when credited deposits worth more than the limit have left it: whoever takes back so much can
 * reorganise it. The breaker stays until a person closes it. Looked at when something left, and once after a start, in case
 * the process before this one ended in between.
 */
export function orphanWatch(chain: ChainId, { cases, breakers, most }: OrphanWatch) {
  let hasLooked = false;
  return async (somethingLeft: boolean): Promise<void> => {
    if (hasLooked && !somethingLeft) return;
    const gone = (await cases.list()).flatMap(({ about }) =>
      about.case === 'deposit_orphaned' && chainOf(about.asset) === chain
        ? [parseUnits(about.usd, USD_DECIMALS) ?? 0n]
        : [],
    );
    const sum = gone.reduce((total, value) => total + value, 0n) as UsdMicros;
    const scope = `chain:${chain}`;
    const isStopped = (await breakers.all()).some((one) => one.scope === scope && one.open);
    if (sum > most && !isStopped) {
      const reason = `credited deposits of ${gone.length} orders, worth $${showUsd(sum)}, have left this chain`;
      await breakers.set(scope, true, reason);
    }
    hasLooked = true;
  };
}
