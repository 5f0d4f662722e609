import type { ChainId } from '../kernel/ids.ts';

/** Each of these rounds has one leader among all engines; `webhooks` among all processes that serve the API. */
export type Seat =
  | 'treasury'
  | 'readings'
  | 'deposits'
  | 'addresses'
  | 'outputs'
  | 'prices'
  | 'clocks'
  | 'breakers'
  | 'solvency'
  | 'levels'
  | 'months'
  | 'webhooks'
  | ScannerSeat;
type ScannerSeat = `scan ${number}`;

/** By the chain's own number: settings in which chains come and go must not give one chain two scanners. */
export const scannerSeat = (chain: ChainId): ScannerSeat => `scan ${chain}`;
