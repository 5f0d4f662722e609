import { setTimeout as sleep } from 'node:timers/promises';
import { createTestClient, type Hex, http, parseAbi, publicActions, walletActions } from 'viem';
import { creditUsd, record } from './accounts.ts';
import { finishWithdrawal } from './moves.ts';
import { decimalText, type Simulation } from './state.ts';

export interface ArbitrumSide {
  readonly rpcUrl: string;
  readonly usdc: Hex;
  readonly bridge: Hex;
  readonly pollMs?: number;
  readonly withdrawalDelayMs?: number;
}

/** Anything smaller is kept by the bridge, as on the real one. */
const MINIMUM_MICROS = 5_000_000n;
const POLL_MS = 250;
const WITHDRAWAL_DELAY_MS = 1_000;
const GAS_MONEY = 10n ** 18n;

const ABI = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
]);

/** Watches a local Arbitrum for deposits and pays withdrawals there in the name of the bridge contract. */
export function startBridge(sim: Simulation, side: ArbitrumSide, changed: () => void): { stop(): Promise<void> } {
  const chain = createTestClient({ mode: 'anvil', transport: http(side.rpcUrl, { retryCount: 0 }) })
    .extend(publicActions)
    .extend(walletActions);
  const stopped = new AbortController();

  const creditDeposits = async (): Promise<void> => {
    const tip = Number(await chain.getBlockNumber({ cacheTime: 0 }));
    // A chain that is shorter than what was read is a new chain.
    if (sim.state.bridgeBlock > tip + 1) sim.state.bridgeBlock = 0;
    if (sim.state.bridgeBlock > tip) return;
    const logs = await chain.getLogs({
      address: side.usdc,
      event: ABI[0],
      args: { to: side.bridge },
      fromBlock: BigInt(sim.state.bridgeBlock),
      toBlock: BigInt(tip),
      strict: true,
    });
    for (const { args, transactionHash, logIndex } of logs)
      deposit(sim, `${transactionHash}:${logIndex}`, args.from.toLowerCase(), args.value);
    sim.state.bridgeBlock = tip + 1;
    if (logs.length > 0) changed();
  };

  const payWithdrawals = async (): Promise<void> => {
    const due = sim.now() - (side.withdrawalDelayMs ?? WITHDRAWAL_DELAY_MS);
    for (const withdrawal of sim.state.withdrawals) {
      if (withdrawal.paidBy !== null || withdrawal.at > due) continue;
      // A bridge that is short pays nobody until it has the money.
      const held = await chain.readContract({
        address: side.usdc,
        abi: ABI,
        functionName: 'balanceOf',
        args: [side.bridge],
      });
      if (held < withdrawal.net) continue;
      await chain.setBalance({ address: side.bridge, value: GAS_MONEY });
      await chain.impersonateAccount({ address: side.bridge });
      const hash = await chain.writeContract({
        address: side.usdc,
        abi: ABI,
        functionName: 'transfer',
        args: [withdrawal.destination as Hex, withdrawal.net],
        account: side.bridge,
        chain: null,
      });
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
      await pause(side.pollMs ?? POLL_MS, stopped.signal);
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

function deposit(sim: Simulation, key: string, from: string, micros: bigint): void {
  if (sim.state.bridged.includes(key)) return;
  sim.state.bridged.push(key);
  if (micros < MINIMUM_MICROS) return;
  creditUsd(sim, from, micros);
  record(sim, [from], { type: 'deposit', usdc: decimalText(micros, 6) });
}

/** Ends early, and quietly, when the signal comes. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
