/** Milliseconds between two rounds of each kind, and between two looks for work that fell due. */
export interface Pace {
  readonly scan: number;
  readonly readings: number;
  readonly deposits: number;
  readonly treasury: number;
  readonly addresses: number;
  readonly fullPool: number;
  readonly outputs: number;
  readonly journal: number;
  readonly prices: number;
  readonly breakers: number;
  readonly solvency: number;
  readonly levels: number;
  readonly months: number;
  readonly work: number;
}

/** What a desk keeps to; rehearsals have paces of their own. */
export const PACE: Pace = {
  scan: 500,
  readings: 2_000,
  deposits: 5_000,
  treasury: 1_000,
  addresses: 500,
  fullPool: 5_000,
  outputs: 15_000,
  journal: 2_000,
  prices: 10_000,
  breakers: 1_000,
  solvency: 60_000,
  levels: 2_000,
  months: 60_000,
  work: 500,
};
