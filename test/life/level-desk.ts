import { levelBooks } from '../../src/app/level-books.ts';
import type { AssetId } from '../../src/kernel/ids.ts';
import { type ColdStore, levelKeeper, type StockLevel } from '../../src/life/execution/stock-levels.ts';
import { openLedger } from '../../src/store/ledger.ts';
import type { CaseRoom } from './case-room.ts';

/** The round that keeps stock between its levels, over the database of a room whose accounts hold what its ledger says, or so much more. */
export function levelDesk(
  room: CaseRoom,
  levels: readonly StockLevel[],
  cold: readonly [AssetId, ColdStore][] = [],
  beyondLedger = async (): Promise<bigint | undefined> => 0n,
  /** Between reading the stock and putting anything away. */
  standStill = async (): Promise<void> => {},
) {
  const { db, clock, payments, cases, submit } = room;
  const ledger = openLedger(db, clock);
  const kept = levelBooks({ ledger, payments, cases }, submit);
  const openSweeps = async (asset: AssetId) => {
    await standStill();
    return kept.openSweeps(asset);
  };
  const books = { ...kept, beyondLedger, openSweeps };
  return { ledger, keep: levelKeeper({ levels, cold: new Map(cold), books, clock }) };
}
