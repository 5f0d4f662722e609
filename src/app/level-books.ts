import type { Submit } from '../engine/submit.ts';
import type { LevelBooks } from '../life/execution/stock-levels.ts';
import type { EngineBooks } from './engine-books.ts';

/** What the round `levels` reads and writes. */
export const levelBooks = (
  { ledger, payments, cases }: Pick<EngineBooks, 'ledger' | 'payments' | 'cases'>,
  submit: Pick<Submit, 'openHouse'>,
): LevelBooks => ({
  balance: ledger.balance,
  demand: ledger.demand,
  beyondLedger: ledger.beyondLedger,
  open: async (payment) => void (await submit.openHouse(payment)),
  raise: (about) => cases.raise('treasury', about),
  over: (about) => cases.over('treasury', about),
  sweptSince: (asset, since) => payments.houseSpent('cold_sweep', asset, since),
  openSweeps: (asset) => payments.countUnpaid('treasury', 'cold_sweep', asset),
  lastSweep: () => payments.lastNumber('treasury', 'cold_sweep'),
});
