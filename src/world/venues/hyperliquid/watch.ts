import type { DepositBook, TakenDeposit } from '../../chains/family.ts';

export type ListAccounts = DepositBook['taken'];

/** A new account is looked at every second, and later every twentieth of its age: 15 s after five minutes, 3 min after an hour. */
const FIRST_MS = 1_000;
const LOOKS_PER_AGE = 20;
/** The venue allows 1,200 a minute for everything; a look costs 2, so this is 360. With more to look at, all wait alike. */
const MOST_LOOKS_PER_MS = 3 / 1_000;
/** Accounts behind the newest ones are walked through one by one, for ever: 30 a minute, for 60 of the 1,200. */
const STEP_MS = 2_000;
/** After an outage the walk goes on where it was; it does not run. */
const MOST_STEPS = 20;

/** How many looks an account of this age has had. The sum grows with the logarithm of the age: about 280 in a year. */
function looksBy(ageMs: number, pace: number): number {
  return ageMs <= 0 ? 0 : Math.ceil(pace * LOOKS_PER_AGE * Math.log1p(ageMs / (LOOKS_PER_AGE * FIRST_MS)));
}

/** Whose turn comes after `from` and until `to`. Follows from the two instants alone, so it survives any restart. */
export function dueBetween(accounts: readonly TakenDeposit[], from: number, to: number): readonly TakenDeposit[] {
  const wanted = accounts.reduce((sum, { since }) => sum + 1 / (FIRST_MS + Math.max(0, to - since) / LOOKS_PER_AGE), 0);
  const pace = wanted > MOST_LOOKS_PER_MS ? MOST_LOOKS_PER_MS / wanted : 1;
  return accounts.filter(({ since }) => looksBy(to - since, pace) > looksBy(from - since, pace));
}

export const turnsBetween = (from: number, to: number, everyMs: number): number =>
  Math.floor(to / everyMs) - Math.floor(from / everyMs);

export const stepsBetween = (from: number, to: number): number => Math.min(MOST_STEPS, turnsBetween(from, to, STEP_MS));
