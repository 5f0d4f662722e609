import { setTimeout as sleep } from 'node:timers/promises';
import { creditUsd, record } from './accounts.ts';
import { finishWithdrawal } from './moves.ts';
import { decimalText, type Simulation } from './state.ts';

export interface HomeDeposit {
  readonly key: string;
  /** In lower case. */
  readonly from: string;
  readonly micros: bigint;
}

/** The chain that the venue is funded from, as its bridge there sees it. */
export interface HomeChain {
  readonly pollMs?: number;
  readonly withdrawalDelayMs?: number;
  /** The newest block that counts. */
  tip(): Promise<number>;
  /** What came to the bridge in these blocks, both ends included. */
  came(first: number, last: number): Promise<readonly HomeDeposit[]>;
  /** The bridge pays; nothing is paid while it has less than that. */
  pay(to: string, micros: bigint): Promise<string | undefined>;
}

/** Anything smaller is kept by the bridge, as on the real one. */
const MINIMUM_MICROS = 5_000_000n;
const POLL_MS = 250;
const WITHDRAWAL_DELAY_MS = 1_000;

/** Watches its home chain for deposits and pays withdrawals there. */
export function startBridge(sim: Simulation, home: HomeChain, changed: () => void): { stop(): Promise<void> } {
  const stopped = new AbortController();

  const creditDeposits = async (): Promise<void> => {
    const tip = await home.tip();
    // A chain that is shorter than what was read is a new chain.
    if (sim.state.bridgeBlock > tip + 1) sim.state.bridgeBlock = 0;
    if (sim.state.bridgeBlock > tip) return;
    const deposits = await home.came(sim.state.bridgeBlock, tip);
    for (const one of deposits) deposit(sim, one);
    sim.state.bridgeBlock = tip + 1;
    if (deposits.length > 0) changed();
  };

  const payWithdrawals = async (): Promise<void> => {
    const due = sim.now() - (home.withdrawalDelayMs ?? WITHDRAWAL_DELAY_MS);
    for (const withdrawal of sim.state.withdrawals) {
      if (withdrawal.paidBy !== null || withdrawal.at > due) continue;
      const hash = await home.pay(withdrawal.destination, withdrawal.net);
      if (hash === undefined) continue;
      finishWithdrawal(sim, withdrawal, hash);
      changed();
    }
  };

  const loop = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      // A chain that is down or restarting is asked again; nothing was taken from the lists above.
      await creditDeposits()
        .then(payWithdrawals)
        .catch(() => undefined);
      await pause(home.pollMs ?? POLL_MS, stopped.signal);
    }
  };
  const running = loop();
  return {
    stop: () => {
      stopped.abort();
      return running;
    },
  };
}

function deposit(sim: Simulation, { key, from, micros }: HomeDeposit): void {
  if (sim.state.bridged.includes(key)) return;
  sim.state.bridged.push(key);
  if (micros < MINIMUM_MICROS) return;
  creditUsd(sim, from, micros);
  record(sim, [from], { type: 'deposit', usdc: decimalText(micros, 6) });
}

/** Ends early, and quietly, when the signal comes. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
