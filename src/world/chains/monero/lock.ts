import type { MoneroTx } from './tx-codec.ts';

/** Unlock times from here on are seconds of the clock, which a miner may bend. */
const UNLOCK_IS_TIME = 500_000_000n;
/** A day of blocks. A miner's pay is locked for sixty; nobody who means to swap locks his money for longer than this. */
const LONGEST_LOCK_BLOCKS = 720n;

type Locked = Pick<MoneroTx, 'unlockTime'>;

/** Locked by its sender (or as coinbase) beyond the ten blocks that every output waits, so that it cannot be spent yet. */
export const isLocked = ({ unlockTime }: Locked, tip: number): boolean => unlockTime > BigInt(tip + 1);

/** Locked for so long, in the block at `height`, that no order waits for it. */
export const isLockedTooLong = ({ unlockTime }: Locked, height: number): boolean =>
  unlockTime >= UNLOCK_IS_TIME || unlockTime > BigInt(height) + LONGEST_LOCK_BLOCKS;

/** A transaction costs a fraction of a cent, and nobody is to be called for dust: a hundredth of a coin. */
export const LEAST_TOLD = 10n ** 10n;

export const lockedWords = ({ unlockTime }: Locked): string =>
  unlockTime >= UNLOCK_IS_TIME
    ? `its sender locked it until second ${unlockTime} of the clock`
    : `its sender locked it until block ${unlockTime}`;
