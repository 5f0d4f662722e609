import type { Clock } from '../kernel/clock.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { ByHand } from '../life/payment/payment.ts';
import type { Outbox } from '../store/outbox.ts';

/** Leaves the engine the instruction to book what somebody has counted in a cold store. */
export const coldCounter =
  (outbox: Outbox, clock: Clock) =>
  async (asset: AssetId, atoms: bigint, byHand: ByHand): Promise<void> => {
    const now = clock.now();
    const key = `count_cold:${asset}:${now}`;
    await outbox.add('treasury', [{ key, effect: { effect: 'count_cold', asset, atoms, byHand } }], now);
  };
